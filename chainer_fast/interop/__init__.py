"""Bridges to other libraries.

Each module imports its library, and nothing imports the modules but the programs that
want them. :func:`chainer_fast.from_dlpack` and the method ``__dlpack__`` of variables
share arrays with any library.
"""
