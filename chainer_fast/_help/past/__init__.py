"""What programs of earlier years were written in: names that are gone, and Python 2.

Errors of the package, legacy mode and ``chainer-fast check`` share it.
"""
