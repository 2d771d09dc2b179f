"""Queries about NumPy arrays, mostly in headers.

``plain`` defines which arrays loops can read, ``gapless`` does so for any order of
axes, and ``dtypes`` compares types. ``private`` contains all uses of internals of
Python and NumPy; ``entries`` and ``addresses`` are look-ups in dictionaries and in
tables. ``batching`` makes arrays of examples.
"""
