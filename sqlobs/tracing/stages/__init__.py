"""What happens inside and after a request: model calls, retrieval, executions, feedback."""
