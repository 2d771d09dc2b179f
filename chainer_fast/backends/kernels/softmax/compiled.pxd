"""What the compiled forms of softmax share with its shortcuts."""

cdef object forward(object x, object axis, bint logarithm)
cdef object gradient(object y, object gy, object axis, bint logarithm)
