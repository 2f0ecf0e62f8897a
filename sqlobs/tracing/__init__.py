"""Spans, counters and units of generations as they run: decorators, context, streams, worker."""
