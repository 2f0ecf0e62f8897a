"""What resolving is done with: scopes, relations, the state of one statement, what was found."""
