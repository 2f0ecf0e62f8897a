"""Name resolution: one walk over a tree that resolves its names and infers its types."""
