"""Expressions, and the clauses of a query that are made of them."""
