"""sqlobs inside other libraries: one module for each, which imports that library at its use."""
