"""A stand-in for CuPy that computes with NumPy, for machines without a GPU."""
