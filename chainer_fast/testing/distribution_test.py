"""Module from which programs import :class:`distribution_unittest`."""
from chainer_fast.testing._distribution_test import distribution_unittest  # noqa: F401
from chainer_fast.testing.attr import get_error

_error = get_error()
