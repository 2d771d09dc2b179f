"""Uses of CPython and NumPy beyond their public guarantees.

The header lists the versions with a fast form.
"""
from cpython.object cimport PyObject, PyTypeObject
from libc.stdint cimport uint32_t
from numpy cimport npy_intp

cdef extern from "chainer_fast/_core/arrays/private.hpp" namespace "chainer_fast":
    # Whether the fast forms support the interpreter.
    bint KNOWN_PYTHON

    # The instance dictionary, borrowed, or NULL if it does not exist yet.
    PyObject *instance_dict(object) noexcept
    void drop_instance_dict(object) noexcept
    bint has_only_names(object dictionary) noexcept

    unsigned int type_version(PyTypeObject *) noexcept
    bint class_attribute_is(object, object name, PyObject *value) except -1
    void make_as_objects(object type) noexcept

    bint is_going(PyObject *) noexcept
    bint may_have_more_references(object, Py_ssize_t n) noexcept
    bint may_be_held_weakly(PyObject *) noexcept
    object referent(object reference)

    ctypedef void (*InnerLoop)(char **, npy_intp *, npy_intp *, void *) noexcept
    bint find_loop(
        PyObject *ufunc, int typenum, InnerLoop *loop, void **data) noexcept
    int sum_squares(object array, void *result) except -1

    ctypedef struct Twister:
        uint32_t key[624]
        int pos
    Twister *find_twister(object capsule) except? NULL
