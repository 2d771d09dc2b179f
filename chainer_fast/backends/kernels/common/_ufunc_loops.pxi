# Loops of NumPy's functions of one argument. Part of ufuncs.pyx.

cdef bint _take(UnaryLoop *loop, ufunc, int typenum, dtype) except -1:
    """Take the loop of a ufunc for a type; False if it does not do what the ufunc does.
    """
    x = numpy.linspace(.1, 2, 20, dtype=dtype)
    y = numpy.empty_like(x)
    if not find_loop(<PyObject *>ufunc, typenum, &loop.loop, &loop.data):
        return False
    loop.run(PyArray_DATA(<np.ndarray>x), PyArray_DATA(<np.ndarray>y), PyArray_SIZE(x),
             x.itemsize)
    return (ufunc(x) == y).all()


cdef Unary unary_of(ufunc, of_floats=None) except *:
    """Return the loops of a ufunc of NumPy; they last as long as NumPy does.

    The loop for floats is that of the function ``of_floats`` of our own, if given.
    """
    cdef Unary loops
    cdef Unary others = library_loops(ufunc.__name__.encode())
    if others.d.loop is NULL:
        raise ValueError('there are no loops of %r' % ufunc)
    if not _take(&loops.d, ufunc, np.NPY_DOUBLE, numpy.float64):
        loops.d = others.d
    if of_floats is not None:
        loops.f.loop = <InnerLoop>(<_Table>_tables[of_floats]).function
    elif not _take(&loops.f, ufunc, np.NPY_FLOAT, numpy.float32):
        loops.f = others.f
    return loops
