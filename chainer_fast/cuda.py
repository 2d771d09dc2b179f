"""The older place of :mod:`chainer_fast.backends.cuda`; the module is the same one."""
import sys

from chainer_fast.backends import cuda

sys.modules[__name__] = cuda
