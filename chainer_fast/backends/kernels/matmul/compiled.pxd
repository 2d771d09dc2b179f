"""Matrix products; see the kernels beside."""


cpdef object dot(a, b)
cpdef object matmul(a, b)
