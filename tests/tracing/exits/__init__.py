"""Processes that answer requests and end at once: no unit is lost that time or a spool allows."""
