# Computation of halves in single precision. Part of graph.pyx.
#
# A shortcut that has loops for floats and doubles alone serves halves as well, if its
# traits specify it: it receives floats instead of halves, and its results are rounded
# once. So NumPy rounds after each operation, and this code after the last one.

cdef extern from "chainer_fast/_cpu/half_loops.hpp" namespace "chainer_fast" nogil:
    ptrdiff_t LONG_LOOP
    void all_floats_from_halves(
        const unsigned short *, float *, ptrdiff_t) noexcept
    void all_halves_from_floats(
        const float *, unsigned short *, ptrdiff_t) noexcept
    void halves_from_doubles(const double *, unsigned short *, ptrdiff_t) noexcept
    void add_all[T](T *target, T *source, ptrdiff_t) noexcept

cdef extern from "numpy/arrayobject.h":
    object PyArray_NewLikeArray(np.ndarray, np.NPY_ORDER, np.dtype, int subok)
    object PyArray_NewCopy(np.ndarray, np.NPY_ORDER)


cdef object _HALF = numpy.dtype(numpy.float16)
cdef object _TOO_LARGE = numpy.full(1, 1e30, numpy.float32)


cdef object _converted(object array, int typenum):
    """Return a copy of halves as floats, or of those or doubles as halves.

    It has the same order in memory.
    """
    cdef int given = PyArray_TYPE(array)
    cdef np.dtype dtype = np.PyArray_DescrFromType(typenum)
    cdef object out
    cdef void *source
    cdef void *target
    cdef Py_ssize_t n = PyArray_SIZE(array)
    if n and not any_gapless_kind(array):
        array = PyArray_NewCopy(<np.ndarray>array, np.NPY_KEEPORDER)
    if PyArray_CHKFLAGS(<np.ndarray>array, np.NPY_ARRAY_C_CONTIGUOUS):
        out = PyArray_EMPTY(PyArray_NDIM(array), PyArray_DIMS(array), typenum, 0)
    else:
        Py_INCREF(dtype)    # NumPy takes this reference
        out = PyArray_NewLikeArray(<np.ndarray>array, np.NPY_KEEPORDER, dtype, 0)
    source, target = PyArray_DATA(<np.ndarray>array), PyArray_DATA(<np.ndarray>out)
    if n >= LONG_LOOP:
        with nogil:
            _convert(given, source, target, n)
    else:
        _convert(given, source, target, n)
    return out


cdef void _convert(int given, void *source, void *target, ptrdiff_t n) noexcept nogil:
    if given == np.NPY_FLOAT64:
        halves_from_doubles(<double *>source, <unsigned short *>target, n)
    elif given == np.NPY_FLOAT32:
        all_halves_from_floats(<float *>source, <unsigned short *>target, n)
    else:
        all_floats_from_halves(<unsigned short *>source, <float *>target, n)


cpdef object as_floats(array):
    """Return an array in float32 if it is of float16, and others as they are.

    It has the order in memory that ``array.astype`` would give it.
    """
    return _converted(array, np.NPY_FLOAT32) if is_half(array) else array


cpdef object as_halves(array):
    """Return an array in float16 if it is of other floats; NumPy warns of overflow."""
    if not PyArray_CheckExact(array) or not cf_float_kind(<np.ndarray>array):
        return array
    cf_clear_flags()
    found = _converted(array, np.NPY_FLOAT16)
    if cf_get_flags() & CF_OVERFLOW:
        # NumPy takes long to find many such numbers, but warns once.
        _TOO_LARGE.astype(numpy.float16)
    return found


cdef bint reads_as(FunctionBase function, object array, object dtype) noexcept:
    """Return whether an array has a type, or contains the floats of halves."""
    if not function.bits.in_single:
        return has_dtype(array, dtype)
    return same_dtype(dtype, _HALF) and cf_any_float_kind(<np.ndarray>array) == b'f'


cdef object _rounded(Shortcut shortcut, object array):
    """Return an array in float16 if it is of float32.

    None if a number is too large, unless the methods of the class warn as this does.
    """
    if not PyArray_CheckExact(array) or PyArray_TYPE(array) != np.NPY_FLOAT32:
        return array
    return as_halves(array) if shortcut.traits.mixes_halves else rounded(array)


cdef object rounded(object array):
    """Return an array of float32, or a scalar, in float16; None if one is too large."""
    if not PyArray_CheckExact(array):
        return array.astype(numpy.float16)
    cf_clear_flags()
    found = _converted(array, np.NPY_FLOAT16)
    return None if cf_get_flags() else found


# -- calls of a shortcut with floats


cdef object _forward_in_single(
        Shortcut shortcut, FunctionBase function, PyObject **x, Py_ssize_t n):
    """Return the result of a shortcut for floats instead of halves, or None."""
    cdef vector[PyObject *] arrays
    cdef list floats = []
    cdef object array
    cdef Py_ssize_t i
    if not is_half(<object>x[0]):
        return None
    for i in range(n):
        array = <object>x[i]
        if i > 0 and array is <object>x[i - 1]:
            array = floats[i - 1]
        elif is_half(array):
            array = _converted(array, np.NPY_FLOAT32)
        elif not shortcut.traits.mixes_halves and PyArray_CheckExact(array) and (
                np.PyArray_ISFLOAT(<np.ndarray>array)):
            return None
        floats.append(array)
        arrays.push_back(<PyObject *>array)
    function.bits.in_single = True
    try:
        made = shortcut.forward(function, arrays.data(), n)
    finally:
        function.bits.in_single = False
    if not PyTuple_CheckExact(made):
        return _rounded(shortcut, made)
    floats = [_rounded(shortcut, array) for array in <tuple>made]
    return None if any([array is None for array in floats]) else tuple(floats)


cdef int backward_in_single(
        Shortcut shortcut, FunctionBase function, object gy, PyObject **gx,
        Py_ssize_t n) except -1:
    """Compute gradients from floats instead of halves; return 0 if not possible.

    ``gx`` is empty if it returns 0.
    """
    cdef VariableNodeBase node
    cdef object found
    cdef Py_ssize_t i
    cdef int done = 0
    if PyTuple_CheckExact(gy):
        if not any([is_half(each) for each in <tuple>gy]):
            return 0
        gy = tuple([as_floats(each) for each in <tuple>gy])
    elif not is_half(gy):
        return 0
    else:
        gy = _converted(gy, np.NPY_FLOAT32)
    _forget(gx, n)
    function.bits.in_single = True
    try:
        done = shortcut.backward(function, gy, gx)
    finally:
        function.bits.in_single = False
    for i in range(n):
        if not done:
            break
        node = <VariableNodeBase>function.input_nodes[i]
        if gx[i] is NULL or not same_dtype(node.dtype, _HALF):
            continue
        found = _rounded(shortcut, <object>gx[i])
        if found is None:
            done = 0
        else:
            Py_DECREF(<object>gx[i])
            gx[i] = new_ref(found)
    if not done:
        _forget(gx, n)
    return done


cdef int _forget(PyObject **gx, Py_ssize_t n) except -1:
    cdef Py_ssize_t i
    for i in range(n):
        Py_XDECREF(gx[i])
        gx[i] = NULL
    return 0
