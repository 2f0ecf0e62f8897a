"""A run's rows: what an evaluation found about each case, as values that are written and shown."""
