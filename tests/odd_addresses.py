"""A plugin of pytest: compiled forms of kernels get arrays at odd addresses, too.

``pytest -p tests.odd_addresses`` has each compiled form called once more before it is
called as ever, with copies that begin behind a single byte, as a part of a file or of
records may. Results of the first call are dropped: it is the sanitizer of undefined
behaviour that tells of loads that are not aligned. See ``make sanitize``.
"""
import warnings

import numpy as np

from chainer_fast.backends import kernels

# What these draw is gone.
STATEFUL = 'chainer_fast.backends.kernels.noise'


def moved(value):
    """Return arrays, and those in lists and tuples, as copies at odd addresses."""
    if type(value) in (list, tuple):
        return type(value)([moved(each) for each in value])
    if type(value) is not np.ndarray or value.dtype.hasobject or value.itemsize == 1:
        return value
    copy = np.ndarray(value.shape, value.dtype, bytearray(value.nbytes + 2), 1)
    copy[...] = value
    return copy


def call(self, x, *args):
    if type(x) is np.ndarray and self.compiled is not None and (
            self.__module__ != STATEFUL):
        with warnings.catch_warnings(), np.errstate(all='ignore'):
            warnings.simplefilter('ignore')
            try:
                self.compiled(*map(moved, (x, *args)))
            except Exception:
                pass    # the call as ever tells of it
    return original(self, x, *args)


original = kernels.Kernel.__call__


def pytest_configure(config):
    kernels.Kernel.__call__ = call
