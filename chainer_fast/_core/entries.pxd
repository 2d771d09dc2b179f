"""Entries of dictionaries that users may write to, such as those of instances."""
from cpython.dict cimport PyDict_GetItemWithError, PyDict_Next
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_CheckExact


cdef inline PyObject *entry_of(object entries, object name) except? NULL:
    """Return the value of a name or a class, borrowed; NULL if there is none.

    No code of the user's runs, as the comparison with keys of other types may be. Keys
    are nearly always the very objects; names may be equal ones.
    """
    cdef PyObject *key
    cdef PyObject *value
    cdef Py_ssize_t position = 0
    cdef bint plain = True
    while PyDict_Next(entries, &position, &key, &value):
        if key is <PyObject *>name:
            return value
        plain = plain and PyUnicode_CheckExact(<object>key)
    return PyDict_GetItemWithError(entries, name) if plain and position else NULL
