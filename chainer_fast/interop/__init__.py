"""Bridges to other libraries.

Each module imports its library. Only programs that use a module import it.
:func:`chainer_fast.from_dlpack` and the method ``__dlpack__`` of variables share arrays
with any library.
"""
