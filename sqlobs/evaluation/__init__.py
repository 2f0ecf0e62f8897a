"""Offline evaluation: cases, runs, and what is decided about each of them."""
