"""Measurements that the documentation quotes: ratios within one run, medians of several rounds."""
