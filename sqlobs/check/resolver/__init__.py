"""The static analysis: one walk over a tree that resolves its names and gives facts."""
