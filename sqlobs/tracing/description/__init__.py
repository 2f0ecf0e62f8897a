"""Records as attributes: masked, redacted and capped."""
