"""Times of functions and links next to PyTorch's: ``python -m benchmarks.sweep``.

``tables/`` has kinds of rows, ``kinds.py`` makes a row for each function, size, dtype
and layout of a kind, ``cases.py`` makes steps of them, and ``walk.py`` names what has
no row, with the reason.
"""
