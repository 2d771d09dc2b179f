# Loops over arrays of NumPy, by the names of their elements. Part of elementwise.pyx.
from numpy cimport PyArray_DATA, PyArray_EMPTY, PyArray_SIZE, PyArray_TYPE, npy_intp


cdef extern from "chainer_fast/backends/kernels/common/element_loops.hpp" \
        namespace "chainer_fast" nogil:
    ElementLoop COPY
    Py_ssize_t LONG_LOOP

cdef extern from "chainer_fast/backends/kernels/common/gathered_loops.hpp" \
        namespace "chainer_fast":
    void run_gathered(
        const AnyLoop &, char kind, int ndim, const npy_intp *shape, object a, object b,
        object c, object out, object second, double p, double q) noexcept

# Loops of the files `elements.cc` of the families.
cdef extern from * namespace "chainer_fast":
    """
    namespace chainer_fast {
    extern const std::vector<ElementLoop> &ACTIVATION_LOOPS, &ARITHMETIC_LOOPS;
    }
    """
    const vector[ElementLoop] ACTIVATION_LOOPS, ARITHMETIC_LOOPS


cdef class Loop:
    """A loop over arrays of one shape and type.

    Attributes
    ----------
    name : str
        Name of the element, such as ``'ReLU::of'``, or of a function of NumPy.
    arrays, constants, outputs : int
        Numbers of input arrays, of constants and of output arrays.
    on_device : callable or None
        The same for arrays of CuPy, if the element has such a form.
    kernels : tuple of DeviceKernel, or None
        That form for arrays of one shape: contiguous ones, and those with strides along
        one axis, two axes, and so on.
    """

    def __call__(self, a, b=None):
        """Return the result for one or two arrays, or ``NotImplemented``."""
        if self.arrays != (1 if b is None else 2) or (
                self.constants or self.outputs != 1):
            return NotImplemented
        found = run_loop(self, a, a if b is None else b)
        return NotImplemented if found is None else found


cdef Loop _loop_of(const ElementLoop *line):
    cdef Loop made = Loop()
    made.name = line.element.decode('ascii')
    if line.function is not NULL:
        made.name += '::' + line.function.decode('ascii')
    made.arrays = line.arrays
    made.constants = line.constants
    made.outputs = 2 if made.name.endswith('::grads') else 1
    for i in range(2):
        if line.ufuncs.names[i] is not NULL:
            name = line.ufuncs.names[i].decode('ascii')
            made.ufuncs[i] = unary_of(
                getattr(numpy, name), getattr(ufuncs, name, None))
    (<Loops *>&made.any)[0] = line.loops
    made.any.ufuncs = made.ufuncs
    return made


cdef dict loops_of(const vector[ElementLoop] &table):
    """Return the loops of a table by name."""
    cdef dict found = {}
    cdef size_t i
    for i in range(table.size()):
        loop = _loop_of(&table[i])
        found[loop.name] = loop
    return found


copy = _loop_of(&COPY)

#: The loops of families.
ACTIVATION = loops_of(ACTIVATION_LOOPS)
ARITHMETIC = loops_of(ARITHMETIC_LOOPS)


cdef inline void *_data(object array) noexcept:
    return NULL if array is None else PyArray_DATA(<np.ndarray>array)


cdef inline int _call(
        const AnyLoop &loop, char kind, object a, object b, object c, object out,
        object second, double p, double q) except -1:
    """Call a loop with arrays, or None."""
    cdef void *x = _data(a)
    cdef void *y = _data(b)
    cdef void *z = _data(c)
    cdef void *first = _data(out)
    cdef void *other = _data(second)
    cdef Py_ssize_t n = PyArray_SIZE(a)
    if n >= LONG_LOOP:
        with nogil:
            loop.run(kind, x, y, z, first, other, n, p, q)
    else:
        loop.run(kind, x, y, z, first, other, n, p, q)
    return 0


cdef inline object _run(
        const AnyLoop &loop, char kind, object a, object b, double p, double q):
    """Return the results of a loop for one or two arrays; None if it raised a flag."""
    cdef object out = empty_gapless_like(a)
    clear_float_errors()
    _call(loop, kind, a, b, None, out, None, p, q)
    return None if float_errors() else out


cdef inline object _run_with(
        const AnyLoop &loop, object a, object b, double p, double q):
    """Return results of a loop for two arrays, in the order of the first, or None."""
    cdef char kind = any_common_gapless_kind(a, b)
    if kind:
        return _run(loop, kind, a, b, p, q)
    if any_gapless_kind(a):
        b = in_order_of(b, a)
        kind = any_common_gapless_kind(a, b)
        return _run(loop, kind, a, b, p, q) if kind else None
    return _run_spread(loop, a, b, False, p, q)


cdef object _run_spread(
        const AnyLoop &loop, object a, object b, bint broadcasts, double p, double q):
    """Return the results of a loop for one or two arrays with gaps, or None."""
    cdef Spread shape
    if not (shape_of_one(a, &shape) if a is b
            else shape_of_two(a, b, broadcasts, &shape)):
        return None
    out = PyArray_EMPTY(
        shape.ndim, shape.dims, PyArray_TYPE(<np.ndarray>a), 0)
    clear_float_errors()
    run_gathered(loop, cf_any_float_kind(<np.ndarray>a), shape.ndim, shape.dims, a, b,
                 None, out, None, p, q)
    return None if float_errors() else out


cdef inline object _run_alone(const AnyLoop &loop, object a, double p, double q):
    """Return the results of a loop for one array, or None."""
    cdef char kind = any_gapless_kind(a)
    return _run(loop, kind, a, a, p, q) if kind else (
        _run_spread(loop, a, a, False, p, q))


cdef object run_loop(Loop loop, object a, object b, double p=0):
    """Return the results of a loop for two arrays, or twice for one and a constant.

    They have the order of the first. The result is None if no loop supports the
    arrays, or if it raised a flag.
    """
    return _run_with(loop.any, a, b, p, 0)
