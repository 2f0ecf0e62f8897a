"""One text-to-SQL request, from the call of the function until it has been counted and sent."""
