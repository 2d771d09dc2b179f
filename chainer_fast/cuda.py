"""The older name of :mod:`chainer_fast.backends.cuda`; both are the same module."""
import sys

from chainer_fast.backends import cuda

sys.modules[__name__] = cuda
