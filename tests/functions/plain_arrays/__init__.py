"""Plain arrays and scalars of many types in the place of each array of a function."""
