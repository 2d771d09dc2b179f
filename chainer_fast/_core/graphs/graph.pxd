"""Records of the computational graph: variables, their nodes, and functions.

Strong references run from variables to nodes, from nodes to the function that made
them, and from functions to their input nodes: backward in time only, so that a graph
holds no cycle.  The way forward (node to variable, function to output node) is kept in
borrowed pointers that either end clears when it goes.

A graph holds a node and a function for each step of a program, so their size counts.
Rare attributes (names, hooks of one function, stack traces, layouts, marks of old-style
functions) live in the instance dictionary, which exists only once something is in it;
the public classes hold the defaults.
"""
cimport cython
from cpython.object cimport PyObject, PyTypeObject
from libc.stdint cimport int64_t
from libcpp cimport bool as cbool
from numpy cimport PyArray_CheckExact, npy_intp

from chainer_fast._core.arrays.private cimport type_version
from chainer_fast._core.configuration.state cimport ThreadState

cdef extern from "chainer_fast/_core/graphs/rank.hpp":
    cppclass Rank:
        int64_t get() noexcept
        void set(int64_t) noexcept
    ctypedef struct FunctionBits:
        unsigned char output_kind
        unsigned char in_single


cdef enum:
    INLINE_DIMS = 4
    LONGEST_INLINE = 0x7fffffff

# Values of ``ndim`` when there is no array, and when its shape does not fit in the node
# and is in the instance dictionary.
cdef enum:
    NO_SHAPE = -1
    SHAPE_ELSEWHERE = -2

# Functions with more inputs go the general way in plans of static chains; elsewhere it
# takes memory to apply them.
cdef enum:
    MAX_SHORTCUT_INPUTS = 8


cdef class VariableNodeBase:
    cdef dict __dict__
    cdef object __weakref__
    cdef PyObject *variable_ptr          # VariableBase, borrowed
    cdef PyObject *creator_ptr           # FunctionBase whose lone output this is
    cdef FunctionBase creator_base
    cdef object array                    # kept only while a function needs it
    cdef public object dtype
    cdef int dims[INLINE_DIMS]
    cdef Rank rank_of
    cdef signed char ndim
    cdef char needs_grad


cdef class VariableBase:
    cdef dict __dict__
    cdef object __weakref__
    cdef PyObject *node_ptr              # as node_base, also while being collected
    cdef VariableNodeBase node_base      # made when first asked for
    cdef object arr
    cdef object grad_arr
    cdef object name_text
    cdef list sharers                    # weak references to all copies, itself too
    cdef public object _grad_var
    cdef public object _cached_device
    cdef public object _layout
    cdef public object _loss_scale
    cdef public bint _requires_grad
    cdef public bint _grad_valid


cdef class ArrayBase:
    cdef object __weakref__
    cdef public VariableBase _v
    cdef public object _device
    cdef public object _ids              # of all graphs, if one is not the default
    cdef public object _required         # graphs whose gradient is kept
    cdef public object _grad             # around the variable's gradient


cdef enum:
    NO_OUTPUT, LONE_OUTPUT, OUTPUT_REFERENCES


cdef class FunctionBase:
    cdef dict __dict__
    cdef object __weakref__
    cdef tuple input_nodes
    # The node of a lone output, borrowed; or a tuple of weak references, owned (they
    # refer to nothing strongly, so the garbage collector need not see them).
    cdef PyObject *output
    cdef object kept_outputs             # a lone array, or a tuple of arrays
    cdef public object _input_indexes_to_retain
    cdef public object _output_indexes_to_retain
    cdef public Py_ssize_t _input_count      # from the call of ``forward`` on
    cdef public Py_ssize_t _output_count     # from its end on
    cdef Rank rank_of
    cdef FunctionBits bits
    cdef public cbool lazy_grad_sum


cdef class Traits:
    """What the engine has to know of a shortcut, to be set when it is made."""
    cdef tuple retain_inputs
    cdef tuple retain_outputs
    # Names of attributes of functions, in the order in which compiled code counts them.
    cdef tuple fields
    cdef bint serves_devices
    # Whether NumPy may warn during ``forward``.
    cdef bint warns
    # Whether ``backward`` may find Factors instead of the second gradient. Its last
    # step adds a product to them, or replaces them with a gradient.
    cdef bint takes_factors
    # Whether it serves halves, as floats; whether the fields that it sets become
    # halves, as the methods set them; and whether other inputs may be floats. The
    # methods compute in single precision themselves, then, and round at the end.
    cdef bint in_single
    cdef bint rounds_fields
    cdef bint mixes_halves


cdef class Shortcut:
    """Compiled shortcut of a class of functions with one output.

    It serves the cases that it knows, such as arrays of one float type in C order, of
    NumPy or of one GPU, and declines all others; the function's own methods then do the
    work.
    """
    # The only field, so that a shortcut that replaces another one needs nothing else.
    cdef Traits traits
    cdef object field(self, FunctionBase function, Py_ssize_t i)
    cdef int keep(self, FunctionBase function, Py_ssize_t i, object value) except -1
    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n)
    cdef int backward(
        self, FunctionBase function, object gy, PyObject **gx) except -1
    cdef object forward_on_device(
        self, FunctionBase function, PyObject **x, Py_ssize_t n)
    cdef int backward_on_device(
        self, FunctionBase function, object gy, PyObject **gx) except -1


@cython.final
cdef class Methods:
    cdef readonly object cls
    cdef readonly dict by_name
    cdef tuple names                # its keys, which are walked through more quickly
    cdef unsigned int version       # of the class, when it was last compared
    cdef bint compare(self, object cls) except -1
    cdef bint replaced_in(self, object fields) except -1

    cdef inline bint unchanged(self) except -1:
        """Return whether the class still has the methods; fast if it is unchanged."""
        cdef unsigned int version = type_version(<PyTypeObject *>self.cls)
        return (version != 0 and version == self.version) or self.compare(self.cls)


# -- kinds of gradients, beside arrays and variables


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


cdef class RowGradient:
    cdef object ids              # of the rows, no two alike
    cdef object values           # the gradients of these rows
    cdef npy_intp rows           # of the matrix
    # What these two are the first rows of, and a table that finds an id in it.
    cdef object all_ids, all_values, table


cdef class Part:
    cdef VariableNodeBase node   # whose gradient it is
    cdef object index, values
    cdef bint is_view            # whether the index gives a view, or a scalar


cdef class PartSum:
    cdef object whole            # the array; no other object refers to it
    cdef object doubtful         # a view of elements that may be minus zero, or None

    cdef object take(self)
    cdef bint add(self, object index, object values, bint is_view) except -1


# -- what compiled code asks of the graph


cdef Shortcut shortcut_of(FunctionBase function)
cdef VariableBase new_variable(object array, bint requires_grad)
cdef VariableNodeBase node_of(VariableBase variable)
cdef VariableBase variable_of(VariableNodeBase node)
cdef VariableNodeBase lone_output(FunctionBase function)
cdef list nodes_of_outputs(FunctionBase function)
cdef bint shape_matches(VariableNodeBase node, object array) except -1
cdef int put_grad(VariableBase variable, object array, VariableBase grad) except -1
cdef int clear_grad(VariableBase variable) except -1
cdef object settle_open(object gradient)
cdef object array_of_other(object gradient)
cdef VariableBase as_grad_variable(object gradient)
cdef list as_terms(object gradient)
cdef object as_factors(object gradient, npy_intp rows)
cdef bint takes_factors(object gradient) noexcept
cdef bint has_rows(object gradient) noexcept
cdef bint is_like(object gradient, object array) except -1
cdef object add_gradients(object total, object gradient, bint held)
cdef object gradient_of(VariableBase variable)
cdef int give_gradient(VariableBase variable, object gradient) except -1
cdef object opened(object gradient)
cdef object placed(object gradient)
cdef bint is_few(npy_intp n, npy_intp size) noexcept
cdef Part new_part(VariableNodeBase node, object index, object values, bint is_view)
cdef bint few_rows(npy_intp n, npy_intp rows, npy_intp columns) noexcept
cdef RowGradient new_rows(object ids, npy_intp rows, npy_intp columns, int typenum)
cdef object own_attribute(FunctionBase function, str name)
cdef object hooks_of(FunctionBase function, ThreadState state)
cdef bint on_host(tuple arrays) noexcept
cdef bint is_wrapper(object array) noexcept
cpdef object array_around(VariableBase variable, object device, object ids=*)
cpdef object plain_array(object array, object device)
cdef object plain_inside(object array)


# -- what compiled shortcuts ask of a function


cdef PyObject *new_ref(object array) noexcept
cdef bint wanted(FunctionBase function, Py_ssize_t i)
cdef object input_array(FunctionBase function, Py_ssize_t i)
cdef object output_array(FunctionBase function)
cdef bint fits_inputs(FunctionBase function, object gy, Py_ssize_t n) except -1
cdef int place_of(object axis, int ndim) except -2
cdef bint number(
    FunctionBase function, str name, double *value, bint casts=*) except -1


# -- halves as floats


cpdef object as_floats(array)
cpdef object as_halves(array)
cdef object rounded(object array)
cdef bint reads_as(FunctionBase function, object array, object dtype) noexcept
cdef int backward_in_single(
    Shortcut shortcut, FunctionBase function, object gy, PyObject **gx,
    Py_ssize_t n) except -1


# -- error flags of floats


cdef enum Operation:
    SUM, PRODUCT, QUOTIENT

cdef int add_into(int typenum, void *target, void *source, Py_ssize_t n) noexcept nogil
cdef int report_float_errors(int flags, Operation operation=*) except -1
cdef void clear_float_errors() noexcept nogil
cdef int float_errors() noexcept nogil


# Most gradients are arrays of NumPy, for which these are no calls.

cdef inline object settle(object gradient):
    """Return what an open gradient adds up to, or None; others stay as they are."""
    return gradient if PyArray_CheckExact(gradient) else settle_open(gradient)


cdef inline object as_grad_array(object gradient):
    """Return a gradient that is not open as an array; None stays None."""
    return gradient if PyArray_CheckExact(gradient) else array_of_other(gradient)
