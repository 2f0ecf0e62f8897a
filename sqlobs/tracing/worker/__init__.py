"""The thread that checks, counts and sends off the request thread."""
