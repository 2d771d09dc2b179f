"""Devices, and code that is specific to each of them."""
from chainer_fast.backends import _cpu, cuda as cuda, intel64 as intel64
