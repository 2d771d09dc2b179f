"""Questions about arrays of NumPy, nearly all of them answered in headers.

``plain`` says which arrays loops can read, ``gapless`` which of those in any order of
axes, and ``dtypes`` which have one type. ``private`` is all that is known of the
insides of Python and NumPy; ``entries`` and ``addresses`` are look-ups in dictionaries
and in tables. ``batching`` makes arrays of examples.
"""
