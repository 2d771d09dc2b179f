"""Who holds an object without a reference that counts."""
from cpython.object cimport PyObject

cdef extern from *:
    """
    /* Whether there are weak references, by which somebody may come back to an object
       that nobody else refers to. */
    static inline int cf_is_held_weakly(PyObject *object) {
        const Py_ssize_t offset = Py_TYPE(object)->tp_weaklistoffset;
        return offset != 0 && *(PyObject **)((char *)object + offset) != NULL;
    }
    """
    bint is_held_weakly "cf_is_held_weakly" (PyObject *) noexcept
