"""Sums of matrix products of few rows, computed as products of many rows."""
from numpy cimport npy_intp


cdef class Factors:
    cdef object earlier          # what the products are added to
    cdef object left, right      # rows of the factors, one below the other
    cdef npy_intp n              # how many there are

    cdef bint append(self, object left, object right) except -1
    cdef bint has_room(self, npy_intp rows) noexcept
    cdef object product(self)
    cdef bint _make_room(
        self, object left, object right, npy_intp rows, npy_intp m, npy_intp n
        ) except -1
