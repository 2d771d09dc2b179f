"""Helpers for tests of programs on many processes."""
from chainer_fast.mn.testing.device import get_device as get_device
