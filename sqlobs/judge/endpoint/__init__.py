"""The way to a model: cached, paced, budgeted, retried; what fails is a value with a reason."""
