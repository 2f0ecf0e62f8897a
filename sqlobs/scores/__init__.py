"""The registry of scores, and the code that the collector and `sqlobs evaluate` score with."""
