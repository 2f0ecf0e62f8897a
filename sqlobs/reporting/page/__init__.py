"""One self-contained HTML page about a run: no network, no build step, safe with hostile text."""
