"""Devices, and device-specific code."""
from chainer_fast.backends import _cpu, cuda as cuda, intel64 as intel64
