"""Scores of a few classes out of many, in single and double precision."""
from libc.stddef cimport ptrdiff_t

cpdef object spread_rows(g, x, ids, counted, ptrdiff_t rows, bint alone=*)
