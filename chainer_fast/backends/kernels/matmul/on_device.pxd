"""Products of matrices on GPUs by cuBLAS, and what is done to their rows."""


cdef object product_on_device(object a, object b, bint trans_a, bint trans_b)
cdef bint add_row_on_device(object row, object matrix) except -1
