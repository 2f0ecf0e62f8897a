"""Queries and changes of rows; `statement` knows what resolves each class of node."""
