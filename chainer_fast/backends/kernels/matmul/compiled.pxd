"""Matrix products; see the kernels in this folder."""
cpdef object dot(a, b)
cpdef object matmul(a, b)

cdef object product_on_device(object a, object b, bint trans_a, bint trans_b)
cdef bint add_row_on_device(object row, object matrix) except -1
