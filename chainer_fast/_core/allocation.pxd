"""Instances that are made without a call of ``__init__``."""

cdef extern from *:
    """
    /* An instance without a call of __init__. */
    static inline PyObject *cf_allocate(PyObject *type, PyObject *no_args) {
        return ((PyTypeObject *)type)->tp_new((PyTypeObject *)type, no_args, NULL);
    }
    """
    object cf_allocate(object type, object no_args)
