"""Records of the computational graph, and the application of a function.

The public classes in ``variable.py`` and ``function_node.py`` derive from the ones here
and are made known by :func:`bind`.
"""
import contextvars
import copyreg
import functools
import traceback
import weakref
from time import perf_counter_ns

import numpy

cimport cython
from cpython.contextvars cimport (
    PyContext_CheckExact, PyContext_Enter, PyContext_Exit)
from cpython.dict cimport PyDict_GetItemWithError, PyDict_Size
from cpython.float cimport PyFloat_CheckExact
from cpython.long cimport PyLong_CheckExact
from cpython.number cimport (
    PyNumber_Add, PyNumber_InPlaceAdd, PyNumber_Multiply, PyNumber_Subtract,
    PyNumber_TrueDivide)
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_DECREF, Py_INCREF, Py_TYPE, Py_XDECREF
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GET_ITEM, PyTuple_GET_SIZE, \
    PyTuple_New, PyTuple_SET_ITEM
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from libcpp.vector cimport vector
cimport numpy as np
from numpy cimport NPY_INT32, NPY_INTP, PyArray_CheckExact, PyArray_CHKFLAGS, \
    PyArray_DATA, PyArray_DESCR, PyArray_DIM, PyArray_DIMS, PyArray_EMPTY, \
    PyArray_FROM_O, PyArray_ISFLOAT, PyArray_ITEMSIZE, PyArray_NBYTES, PyArray_NDIM, \
    PyArray_SAMESHAPE, PyArray_SIZE, PyArray_Transpose, PyArray_TYPE, PyArray_ZEROS, \
    npy_intp

from chainer_fast._core.arrays.dtypes cimport has_dtype, same_dtype, same_type
from chainer_fast._core.arrays.entries cimport entry_of
from chainer_fast._core.arrays.gapless cimport (
    any_common_gapless_kind, any_gapless_kind)
from chainer_fast._core.arrays.plain cimport (
    cf_any_float_kind, cf_float_kind, is_half, is_matrix, is_numpy_float, kind_of)
from chainer_fast._core.arrays.private cimport (
    KNOWN_PYTHON, drop_instance_dict, instance_dict, is_going, may_be_held_weakly,
    may_have_more_references, type_version)
from chainer_fast._core.configuration.state cimport ThreadState, current
from chainer_fast._core.devices.launches cimport (
    all_on_devices, device_in_use, is_on_device, use_again)

np.import_array()

cdef extern from "numpy/arrayobject.h":
    object PyArray_CastToType(np.ndarray, np.dtype, int is_fortran)

cdef extern from *:
    """
    /* An instance without a call of __init__. */
    static inline PyObject *cf_allocate(PyObject *type, PyObject *no_args) {
        return ((PyTypeObject *)type)->tp_new((PyTypeObject *)type, no_args, NULL);
    }
    /* Owned references, which the destructor drops. */
    struct Held {
        PyObject **objects = NULL;
        Py_ssize_t n = 0;
        ~Held() {
            for (Py_ssize_t i = 0; i < n; ++i)
                Py_DECREF(objects[i]);
        }
    };
    """
    cppclass Held:
        PyObject **objects
        Py_ssize_t n
    object cf_allocate(object type, object no_args)
    PyObject **PySequence_Fast_ITEMS(object tuple_or_list)
    object weakref_of "PyWeakref_NewRef" (object referent, PyObject *callback)

#: Whether this was tried with the interpreter; others go the general way.
TRIED = bool(KNOWN_PYTHON)

cdef tuple _NO_ARGS = ()

# The public classes, and functions of the modules above that the engine needs.
cdef type _Variable = None
cdef type _VariableNode = None
cdef Methods _node_methods = None       # its __init__
cdef object _gone = None                # a reference to what is no more
cdef object _accepts_array = None       # array -> bool
cdef object _describe_arrays = None     # the accepted types, for messages
cdef object _compatible = None          # arrays -> bool
cdef object _device_scope = None        # arrays -> context manager, or None on the CPU
cdef object _has_nan = None             # array -> bool
cdef object _run_static = None          # (function, arrays) -> outputs
cdef object _cure_of_mixture = None     # arrays -> text
cdef object _unexpected = None          # (function, names, known names) -> TypeError

# Arrays of one kind hold a variable each, :class:`ArrayBase`: *wrappers*, which are in
# graphs themselves, and keep their gradients. Their class, what serves variables of
# them, and the name of the library; None until that is imported.
cdef type _Wrapper = None
cdef object _of_wrappers = None
cdef str _name_of_wrappers = None


def bind(*, variable, variable_node, accepts_array, describe_arrays, compatible,
         device_scope, has_nan, run_static, cure_of_mixture, unexpected):
    """Make the public classes and the array rules known; called once, at import."""
    global _Variable, _VariableNode, _node_methods, _gone, _accepts_array
    global _describe_arrays, _compatible, _device_scope, _has_nan, _run_static
    global _cure_of_mixture, _unexpected
    _Variable = variable
    _VariableNode = variable_node
    _node_methods = Methods(variable_node, ('__init__',))
    _gone = weakref.ref(new_variable(None, True))
    _accepts_array = accepts_array
    _describe_arrays = describe_arrays
    _compatible = compatible
    _device_scope = device_scope
    _has_nan = has_nan
    _run_static = run_static
    _cure_of_mixture = cure_of_mixture
    _unexpected = unexpected


# Called with a variable, or a node, the array of it that Python code reads, and whether
# that is a gradient. There is no function most of the time.
cdef object _on_read = None


def watch_reads(callback):
    """Have a function called when code reads an array of a variable; None ends that."""
    global _on_read
    _on_read = callback


def bind_wrappers(kind):
    """Make the kind of arrays that are wrappers known; called once, if one registers.

    Parameters
    ----------
    kind : Kind
        The record, see ``kinds.py``.
    """
    global _Wrapper, _of_wrappers, _name_of_wrappers
    _Wrapper, = kind.types
    _of_wrappers = kind.variables
    _name_of_wrappers = kind.name


cdef bint is_wrapper(object array) noexcept:
    """Return whether an array is one that holds a variable."""
    return <PyObject *>Py_TYPE(array) == <PyObject *>_Wrapper


# One module, since these types refer to each other; a file each, for readability.
include "_methods.pxi"
include "_nodes.pxi"
include "_variables.pxi"
include "_functions.pxi"
include "_shortcuts.pxi"
include "_questions.pxi"
include "_observed.pxi"
include "_operators.pxi"
include "_silence.pxi"
include "_arrays.pxi"
include "_factors.pxi"
include "_rows.pxi"
include "_parts.pxi"
include "_gradients.pxi"
include "_float_errors.pxi"
include "_halves.pxi"
