"""Updates of parameters, in compiled passes where possible.

In order of dependency: *recipes*, the compiled forms of update rules and hooks
(``_recipes.pxi``); loops over the arrays of one update (``_operands.pxi``), over rows
that have a gradient (``_rows.pxi``), and on GPUs (``_device_arrays.pxi``); hooks and
the gradients of a link (``_gradients.pxi``); and the loop over its parameters
(``_rules.pxi``).
"""
cimport cython
cimport numpy as np
from cpython.bool cimport PyBool_Check
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.dict cimport PyDict_Check, PyDict_GetItemWithError, PyDict_Next
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.long cimport PyLong_AsLong, PyLong_CheckExact
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.float cimport FLT_MAX
from libc.math cimport fabs, isfinite, signbit
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport intptr_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memset, strcmp, strncmp
from libcpp.vector cimport vector
from numpy cimport (
    NPY_ARRAY_ALIGNED, NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_F_CONTIGUOUS,
    NPY_ARRAY_NOTSWAPPED, NPY_ARRAY_WRITEABLE, NPY_FLOAT16, NPY_FLOAT32, NPY_FLOAT64,
    NPY_INTP, PyArray_CheckExact, PyArray_CompareLists, PyArray_DATA, PyArray_DIM,
    PyArray_DIMS, PyArray_EMPTY, PyArray_FLAGS, PyArray_ISNOTSWAPPED, PyArray_ITEMSIZE,
    PyArray_NDIM, PyArray_SIZE, PyArray_STRIDE, PyArray_TYPE, npy_intp)

from chainer_fast._core.arrays.dtypes cimport DOUBLE, HALF, SINGLE
from chainer_fast._core.arrays.entries cimport entry_of
from chainer_fast._core.arrays.plain cimport is_numpy_number
from chainer_fast._core.arrays.private cimport instance_dict, sum_squares
from chainer_fast._core.configuration.state cimport current
from chainer_fast._core.devices.launches cimport (
    Arguments, DeviceKernel, address_on, current_context, is_on_device, kind_of_dtype,
    kind_on_device)
from chainer_fast._core.graphs.graph cimport (
    PRODUCT, QUOTIENT, ArrayBase, Methods, Operation, RowGradient, VariableBase,
    as_grad_array, clear_float_errors, float_errors, has_rows, is_like, is_wrapper,
    plain_inside, report_float_errors)

np.import_array()

cdef extern from *:
    # A read of the field, instead of a call of PyDict_Size.
    Py_ssize_t PyDict_GET_SIZE(object mapping)

# The public classes; a rule or parameter of any other class takes the slow path.
cdef type _Parameter = None
cdef type _Hyperparameter = None
cdef type _Hookable = None
cdef object _parameter_update = None

# The names of their attributes, as declared by the classes.
cdef tuple _fields = None
cdef str _parent_field = None
cdef str _pre_hooks_field = None
cdef str _post_hooks_field = None

# Makes a context in which hooks see gradients without loss scale.
cdef object _unscaled = None
cdef HookRecipe _scale = None       # multiplies gradients
cdef HookRecipe _unscale = None     # divides them


def bind(*, parameter, rule, hyperparameter, hookable, unscaled, HookRecipe scale,
         HookRecipe unscale):
    """Register what the engine needs from higher modules; called once, at import.

    Parameters
    ----------
    parameter, rule, hyperparameter, hookable : type
        The public classes. All but the first have a tuple ``_fields``: the names of the
        initial attributes of their instances, in order, by which dictionaries of
        instances are read.
    unscaled : callable
        Takes a list of parameters, and returns a context in which hooks of the
        optimizer see their gradients without loss scale.
    scale, unscale : HookRecipe
        Multiply and divide gradients by a number.
    """
    global _Parameter, _Hyperparameter, _Hookable, _parameter_update, _unscaled
    global _fields, _parent_field, _pre_hooks_field, _post_hooks_field
    global _scale, _unscale
    if len(rule._fields) != N_FIELDS:
        raise ValueError(
            'expected %d names in %s._fields, not %s: adapt the list of attributes in '
            '_core/updates/_rules.pxi' % (N_FIELDS, rule.__name__, rule._fields))
    _Parameter = parameter
    _Hyperparameter = hyperparameter
    _Hookable = hookable
    _unscaled = unscaled
    _scale = scale
    _unscale = unscale
    _parameter_update = parameter.update
    _fields = rule._fields
    _parent_field, = hyperparameter._fields
    _pre_hooks_field, _post_hooks_field = hookable._fields


# One module, since calls within a module are fast, with a file for each part.
include "_recipes.pxi"
include "_operands.pxi"
include "_rows.pxi"
include "_device_arrays.pxi"
include "_gradients.pxi"
include "_rules.pxi"
