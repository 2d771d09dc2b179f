"""What old programs depend on: names that no longer exist, and Python 2.

Errors of the package, legacy mode and ``chainer-fast check`` use it.
"""
