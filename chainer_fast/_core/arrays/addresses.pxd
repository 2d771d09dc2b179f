"""A hash table by the addresses of objects, which it keeps alive."""
from cpython.object cimport PyObject

cdef extern from "chainer_fast/_core/arrays/addresses.hpp" namespace "chainer_fast":
    cdef struct Entry:
        PyObject *key
        PyObject *value

    cdef cppclass AddressTable:
        Entry *entries
        size_t capacity, size
        Entry *find(PyObject *key)
        Entry *make(PyObject *key) except NULL
        void remove(Entry *)
