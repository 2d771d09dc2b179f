"""Names and habits of NumPy 1."""
