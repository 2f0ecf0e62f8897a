"""Sends records: providers, exporters, metrics, and units for the collector."""
