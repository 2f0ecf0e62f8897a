"""Types of expressions: what an engine infers, and what it refuses to combine."""
