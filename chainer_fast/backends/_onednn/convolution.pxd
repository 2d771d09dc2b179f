"""Convolutions by oneDNN; see the kernels of ``kernels.convolution``."""
from chainer_fast.backends.kernels.convolution.arguments cimport Convolution, Task


cdef object compute_by_library(
    Task task, const Convolution &c, a, b, bias, bint rival)
