"""Grafana dashboard and Prometheus rules as code, over the names of `sqlobs.semconv` alone."""
