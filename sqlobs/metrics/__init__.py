"""Pure functions from a reference and a prediction to a score, and the statistics of scores."""
