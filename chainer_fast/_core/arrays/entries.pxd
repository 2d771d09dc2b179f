"""Entries of dictionaries that users may write to, such as those of instances."""
from cpython.dict cimport PyDict_GetItemWithError, PyDict_Next
from cpython.object cimport PyObject
from cpython.unicode cimport (
    PyUnicode_CheckExact, PyUnicode_Compare, PyUnicode_GET_LENGTH)

from chainer_fast._core.arrays.private cimport has_only_names


cdef inline PyObject *entry_of(object entries, object name) except? NULL:
    """Return the value of a name or a class, borrowed; NULL if missing.

    No code of the user runs, whereas a comparison with a key that is not a string may
    be such code. Keys are nearly always identical objects; names may also be equal
    ones.
    """
    cdef PyObject *key
    cdef PyObject *value
    cdef Py_ssize_t position = 0
    if has_only_names(entries):
        return PyDict_GetItemWithError(entries, name)
    while PyDict_Next(entries, &position, &key, &value):
        if key is <PyObject *>name or _are_equal_names(<object>key, name):
            return value
    return NULL


cdef inline bint _are_equal_names(object a, object b) except -1:
    return PyUnicode_CheckExact(a) and PyUnicode_CheckExact(b) and (
        PyUnicode_GET_LENGTH(a) == PyUnicode_GET_LENGTH(b)
        and PyUnicode_Compare(a, b) == 0)
