"""Convolutions by oneDNN; see the kernels of ``kernels.convolution``."""


cpdef object convolve(x, W, b, stride, pad, dilate, groups, outs)
cpdef object convolve_transposed(x, W, b, stride, pad, dilate, groups, outs)
cpdef object correlate(x, gy, ksize, stride, pad, dilate, groups, dtype)
