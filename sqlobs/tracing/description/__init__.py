"""Turns records into attributes: masked, redacted, with size limits."""
