"""Devices, and what is particular to each of them."""
from chainer_fast.backends import _cpu, cuda, intel64
