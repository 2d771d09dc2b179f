"""Convolutions of plain images; see the kernels in this folder."""
from chainer_fast.backends.kernels.convolution.arguments cimport Convolution, Task

cdef object compute(Task task, const Convolution &c, char kind, a, b, bias)
