"""Callables and streams whose calls are activities."""
