"""Convolutions by oneDNN; see the kernels of ``kernels.convolution``."""


cpdef object convolve(x, W, b, stride, pad, dilate, groups, outs, bint rival=*)
cpdef object convolve_transposed(
    x, W, b, stride, pad, dilate, groups, outs, bint rival=*)
cpdef object correlate(x, gy, ksize, stride, pad, dilate, groups, dtype, bint rival=*)
