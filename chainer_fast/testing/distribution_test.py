"""Home of :class:`distribution_unittest` for programs that import this module."""
from chainer_fast.testing._distribution_test import distribution_unittest  # noqa: F401
from chainer_fast.testing.attr import get_error

_error = get_error()
