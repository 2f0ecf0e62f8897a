"""Traces generations as they run: decorators, context blocks, streams, spans, metrics, units."""
