# Forms of calls: their relevant properties, encoded as numbers. Part of sessions.pyx.

cdef enum:
    _WORDS = 96                  # maximum of a form
    _ARGUMENTS = 12              # maximum of a call

# The meaning of a word of a form, in its lowest byte.
cdef enum:
    _NONE, _ARRAY, _INTEGER, _FLOAT, _SEQUENCE, _TYPE, _TRUE, _FALSE

cdef int _ALIGNMENT = _image_orders.ALIGNMENT

cdef struct _Form:
    int n
    long long words[_WORDS]
    # Of the array arguments.
    intptr_t addresses[_ARGUMENTS]


cdef inline bint _add(_Form *form, long long word) noexcept:
    if form.n == _WORDS:
        return False
    form.words[form.n] = word
    form.n += 1
    return True


cdef bint _add_integer(_Form *form, object value) except -1:
    cdef int overflow = 0
    cdef long long number = PyLong_AsLongLongAndOverflow(value, &overflow)
    return overflow == 0 and _add(form, number)


cdef bint _add_array(_Form *form, int i, object array, int device) except -1:
    """Add an array; return whether cuDNN can read it in place."""
    cdef object shape, dtype = array.dtype
    cdef int kind = kind_of_dtype(dtype)
    cdef bint last = not array._c_contiguous
    cdef Py_ssize_t axis, ndim
    if kind < 0 or not (<np.dtype>dtype).isnative or (
            last and not is_channels_last(array)):
        return False
    form.addresses[i] = address_on(device, array)
    if form.addresses[i] == 0 or form.addresses[i] % _ALIGNMENT:
        return False
    shape = array.shape
    ndim = PyTuple_GET_SIZE(shape)
    if not _add(form, _ARRAY | kind << 8 | last << 16 | ndim << 24):
        return False
    for axis in range(ndim):
        if not _add(form, <object>PyTuple_GET_ITEM(shape, axis)):
            return False
    return True


cdef bint _add_argument(_Form *form, int i, object value, int device) except -1:
    """Add an argument to a form; return whether it can be encoded."""
    cdef double number
    cdef type kind = type(value)
    if value is None:
        return _add(form, _NONE)
    if is_on_device(value):
        return _add_array(form, i, value, device)
    if kind is tuple or kind is list:
        if not _add(form, _SEQUENCE | <long long>len(value) << 8):
            return False
        for each in value:
            if not PyLong_CheckExact(each) or not _add_integer(form, each):
                return False
        return True
    if kind is bool:
        return _add(form, _TRUE if value else _FALSE)
    if kind is int:
        return _add(form, _INTEGER) and _add_integer(form, value)
    if PyFloat_CheckExact(value):
        number = PyFloat_AS_DOUBLE(value)
        return _add(form, _FLOAT) and _add(form, (<long long *>&number)[0])
    if isinstance(value, np.dtype):
        return kind_of_dtype(value) >= 0 and (<np.dtype>value).isnative and _add(
            form, _TYPE | <long long>kind_of_dtype(value) << 8)
    return False
