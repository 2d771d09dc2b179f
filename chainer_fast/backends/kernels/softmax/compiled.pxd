"""Declarations that the compiled forms of softmax share with its shortcuts."""

cdef object softmax_of(object x, object axis, bint logarithm)
cdef object gradient_of(object y, object gy, object axis, bint logarithm)
