"""Other tokens for what sqlglot refuses in a dialect although its engine takes it, by engine."""
