# Loops of NumPy's functions of one or two arguments. Part of ufuncs.pyx.
from numpy cimport PyArray_CheckExact, PyArray_EMPTY, PyArray_NDIM, PyArray_Ravel

from chainer_fast._core.arrays.gapless cimport (
    common_gapless_kind, empty_gapless_like, gapless_kind)
from chainer_fast._core.arrays.plain cimport cf_float_kind
from chainer_fast._core.graphs.graph cimport clear_float_errors, float_errors
from chainer_fast.backends.kernels.common.layout cimport Spread, shape_of_two

cdef extern from "chainer_fast/backends/kernels/common/gathered_loops.hpp" \
        namespace "chainer_fast":
    void run_ufunc(const Unary &, char kind, int ndim, const np.npy_intp *shape,
                   object a, object b, object out) noexcept


cdef bint _take(UnaryLoop *loop, ufunc, int typenum, dtype) except -1:
    """Find the loop of a ufunc for a type; return False if they are not equivalent.
    """
    x = numpy.linspace(.1, .9, 20, dtype=dtype)
    y = numpy.empty_like(x)
    if not find_loop(<PyObject *>ufunc, typenum, &loop.loop, &loop.data):
        return False
    if ufunc.nin == 1:
        loop.run(PyArray_DATA(<np.ndarray>x), PyArray_DATA(<np.ndarray>y),
                 PyArray_SIZE(x), x.itemsize)
        return (ufunc(x) == y).all()
    loop.run_with(
        PyArray_DATA(<np.ndarray>x), PyArray_DATA(<np.ndarray>x), x.itemsize,
        PyArray_DATA(<np.ndarray>y), PyArray_SIZE(x), x.itemsize)
    return (ufunc(x, x) == y).all()


cdef Unary unary_of(ufunc, own=None) except *:
    """Return the loops of a ufunc of NumPy; they last as long as NumPy does.

    The loop for floats is that of the function ``own``, if given, and so is the loop
    for doubles if it has one.
    """
    cdef Unary loops
    cdef Unary others = library_loops(ufunc.__name__.encode())
    cdef _Table table
    if others.d.loop is NULL:
        raise ValueError('there are no loops of %r' % ufunc)
    if not _take(&loops.d, ufunc, np.NPY_DOUBLE, numpy.float64):
        loops.d = others.d
    if own is not None:
        table = <_Table>_tables[own]
        loops.f.loop, loops.f.data = <InnerLoop>table.functions[0], table.data[0]
        if table.functions[1] is not NULL:
            loops.d.loop, loops.d.data = <InnerLoop>table.functions[1], table.data[1]
    elif not _take(&loops.f, ufunc, np.NPY_FLOAT, numpy.float32):
        loops.f = others.f
    return loops


# By functions, so that their loops are searched for once.
cdef dict _found = {}


cdef class _Loops:
    """The loops of a ufunc, which is referenced to keep them valid."""
    cdef Unary loops
    cdef bint has_floats, has_doubles
    cdef object ufunc

    def __cinit__(self, ufunc not None):
        self.ufunc = ufunc
        self.has_floats = find_loop(
            <PyObject *>ufunc, np.NPY_FLOAT, &self.loops.f.loop, &self.loops.f.data)
        self.has_doubles = find_loop(
            <PyObject *>ufunc, np.NPY_DOUBLE, &self.loops.d.loop, &self.loops.d.data)


cdef object _shared(ufunc, x, y):
    """Return a ufunc's result for arrays; None if it should not be shared."""
    cdef Spread shape
    cdef _Loops found
    cdef char kind
    cdef int axis
    cdef bint gapless
    cdef np.npy_intp n = 1
    other = x if y is None else y
    if not PyArray_CheckExact(x) or not PyArray_CheckExact(other):
        return None
    whole, other = (other, x) if PyArray_NDIM(x) == 0 else (x, other)
    kind = cf_float_kind(<np.ndarray>whole)
    gapless = common_gapless_kind(whole, other) != 0 if PyArray_NDIM(other) else (
        gapless_kind(whole) and gapless_kind(other) == kind)
    if gapless:
        shape.ndim, shape.dims[0] = 1, PyArray_SIZE(whole)
    elif not shape_of_two(whole, other, True, &shape):
        return None
    for axis in range(shape.ndim):
        n *= shape.dims[axis]
    if not kind or n < 2 * FUNCTION_GRAIN:
        return None
    found = _found.get(ufunc)
    if found is None:
        found = _found[ufunc] = _Loops(ufunc)
    if not (found.has_floats if kind == b'f' else found.has_doubles):
        return None
    if gapless:
        out = empty_gapless_like(whole)
        x, y, to = [None if each is None else PyArray_Ravel(each, np.NPY_KEEPORDER)
                    for each in (x, y, out)]
    else:
        to = out = PyArray_EMPTY(shape.ndim, shape.dims, np.PyArray_TYPE(whole), 0)
    clear_float_errors()
    run_ufunc(found.loops, kind, shape.ndim, shape.dims, x, y, to)
    return None if float_errors() else out


def shared(ufunc, x, y=None):
    """Return the result of a ufunc, computed by several threads for large arrays.

    Parameters
    ----------
    ufunc : numpy.ufunc
        Function of one argument, or of two.
    x : array
    y : array, optional
        The other argument.

    Returns
    -------
    array
        As of the ufunc, with its warnings.
    """
    out = _shared(ufunc, x, y)
    if out is not None:
        return out
    return ufunc(x) if y is None else ufunc(x, y)
