"""Where records go: providers, exporters, metrics, and units on their way to the collector."""
