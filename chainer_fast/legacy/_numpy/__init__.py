"""Names and behavior of NumPy 1."""
