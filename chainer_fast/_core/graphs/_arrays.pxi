# Arrays that hold a variable: wrappers. Part of graph.pyx.
#
# Arrays of floats of one dtype that are in the default graph or in none, and numbers,
# are added and multiplied as variables or arrays of NumPy are; routines that are handed
# down serve all others.

ctypedef object (*_Operation)(object, object)

cdef list _routines = [None] * 4


def bind_operators_of_arrays(*routines):
    """Make known what operators of any operands are, one of them an array.

    Parameters
    ----------
    *routines : callable
        Those that add, subtract, multiply and divide two operands; they return
        ``NotImplemented`` for what they do not know.
    """
    _routines[:] = routines


cdef class ArrayBase:
    """Compiled base of wrappers: a variable, and places in graphs."""

    def __add__(self, other):
        return _operate_on_arrays(PyNumber_Add, 0, self, other)

    def __sub__(self, other):
        return _operate_on_arrays(PyNumber_Subtract, 1, self, other)

    def __mul__(self, other):
        return _operate_on_arrays(PyNumber_Multiply, 2, self, other)

    def __truediv__(self, other):
        return _operate_on_arrays(PyNumber_TrueDivide, 3, self, other)

    def __radd__(self, other):
        return _with_number(PyNumber_Add, 0, self, other, True)

    def __rsub__(self, other):
        return _with_number(PyNumber_Subtract, 1, self, other, True)

    def __rmul__(self, other):
        return _with_number(PyNumber_Multiply, 2, self, other, True)

    def __rtruediv__(self, other):
        return _with_number(PyNumber_TrueDivide, 3, self, other, True)


cpdef object array_around(VariableBase variable, object device, object ids=None):
    """Return an array around a variable.

    Parameters
    ----------
    variable : Variable
        With an array of the device.
    device : object
        Of the library, with ``native``: whether it is the host.
    ids : frozenset of BackpropId, optional
        The graphs, if there is one beside the default one.
    """
    cdef ArrayBase array = <ArrayBase>cf_allocate(_Wrapper, _NO_ARGS)
    array._v = variable
    array._device = device
    array._ids = ids
    return array


cpdef object plain_array(object array, object device):
    """Return an array around one of NumPy or CuPy, in no graph."""
    return array_around(new_variable(array, False), device)


cdef object _result_inside(VariableBase variable, object device):
    """Return an array around a result of floats, in the graph only if that is on."""
    if not current().enable_backprop:
        variable = new_variable(variable.arr, False)
    return array_around(variable, device)


cdef object plain_inside(object array):
    """Return the plain array inside a wrapper; others are returned as they are."""
    return (<ArrayBase>array)._v.arr if is_wrapper(array) else array


cdef int _clear_inside(ArrayBase array) except -1:
    """Clear the gradient of the default graph."""
    array._grad = None
    array._v.grad_arr = None
    array._v._grad_var = None
    return 0


cpdef list plain_variables(tuple arrays):
    """Return the variables inside arrays that need no closer look, or else None.

    Those are arrays of floats of one dtype, on one device of the host, that are in the
    default graph or in none.
    """
    cdef ArrayBase array, first = None
    cdef list variables = []
    for each in arrays:
        if type(each) is not _Wrapper:
            return None
        array = <ArrayBase>each
        x = array._v.arr
        if array._ids is not None or not PyArray_CheckExact(x) or (
                not PyArray_ISFLOAT(<np.ndarray>x)):
            return None
        if first is None:
            first = array
        elif array._device is not first._device or (
                not same_type(x, first._v.arr)):
            return None
        variables.append(array._v)
    return variables


cdef object _operate_on_arrays(
        _Operation operation, int place, ArrayBase a, object other):
    cdef ArrayBase b
    cdef object x, y
    if type(other) is not _Wrapper:
        return _with_number(operation, place, a, other, False)
    b = <ArrayBase>other
    x, y = a._v.arr, b._v.arr
    if a._ids is not None or b._ids is not None or a._device is not b._device or (
            not PyArray_CheckExact(x) or not PyArray_CheckExact(y)
            or not same_type(x, y)
            or not PyArray_ISFLOAT(<np.ndarray>x)
            or not PyArray_SAMESHAPE(<np.ndarray>x, <np.ndarray>y)):
        return _routines[place](a, other)
    if a._v._requires_grad or b._v._requires_grad:
        variable = _by_shortcut(place, a._v, b._v)
        if variable is None:
            variable = _quietly(operation, a._v, b._v)
        return _result_inside(variable, a._device)
    return plain_array(PyArray_FROM_O(_quietly(operation, x, y)), a._device)


cdef object _quietly(_Operation operation, object a, object b):
    """Return what an operator makes of two operands, without warnings of floats."""
    scope = _enter_silence(current())
    try:
        return operation(a, b)
    finally:
        _leave_silence(scope)


cdef object _with_number(
        _Operation operation, int place, ArrayBase a, object other, bint reflected):
    """Return what an operation makes of an array and something else, or the reverse."""
    cdef object x = a._v.arr, number
    # Variables are divided by a number as multiplied by its reciprocal.
    if a._ids is not None or not PyArray_CheckExact(x) or (
            not PyArray_ISFLOAT(<np.ndarray>x)
            or not (PyFloat_CheckExact(other) or PyLong_CheckExact(other))
            or (place == 3 and a._v._requires_grad)):
        routine = _routines[place]
        return routine(other, a) if reflected else routine(a, other)
    scope = _enter_silence(current())
    try:
        if a._v._requires_grad:
            x, number = a._v, other
        else:
            number = (<object>PyArray_DESCR(<np.ndarray>x)).type(other)
        x = operation(number, x) if reflected else operation(x, number)
    finally:
        _leave_silence(scope)
    if a._v._requires_grad:
        return _result_inside(x, a._device)
    return plain_array(PyArray_FROM_O(x), a._device)


# Functions of variables of wrappers.

cdef object _unpack(
        FunctionBase function, PyObject **xs, Py_ssize_t n, PyObject **inner):
    """Find the variables inside wrappers, and inside variables of wrappers.

    Arrays that the function itself has are replaced by the plain ones inside.

    Returns
    -------
    Device or None
        None if the inputs need a closer look.
    """
    cdef PyObject *own = instance_dict(function)
    cdef object device = None, found
    cdef ArrayBase array
    cdef Py_ssize_t i
    for i in range(n):
        found = <object>xs[i]
        if isinstance(found, VariableBase):
            found = (<VariableBase>found).arr
        if not is_wrapper(found):
            return None
        array = <ArrayBase>found
        if array._ids is not None or (i > 0 and array._device is not device):
            return None
        device = array._device
        inner[i] = <PyObject *>array._v
    if own is not NULL:
        for name, found in (<dict>own).items():
            if is_wrapper(found):
                (<dict>own)[name] = plain_inside(found)
    return device


cdef VariableBase _pack(VariableBase result, object device, bint enable_backprop):
    """Return a variable of a wrapper around a result."""
    if result.arr is None:
        return new_variable(None, False)
    if result._requires_grad and not (enable_backprop and _is_float(result.arr)):
        result = new_variable(result.arr, False)
    return new_variable(array_around(result, device), result._requires_grad)


cdef bint _is_float(object array) except -1:
    if PyArray_CheckExact(array):
        return PyArray_ISFLOAT(<np.ndarray>array)
    return array.dtype.kind == 'f'


cdef object _apply_inside(
        Shortcut shortcut, FunctionBase function, PyObject **xs, Py_ssize_t n,
        ThreadState state):
    """Apply a shortcut to what is inside wrappers; None if it declines."""
    cdef PyObject *inner[MAX_SHORTCUT_INPUTS]
    cdef object result
    if n > MAX_SHORTCUT_INPUTS:
        return None
    device = _unpack(function, xs, n, inner)
    if device is None:
        return None
    scope = _enter_silence(state) if shortcut.traits.warns else None
    try:
        result = _apply_by(shortcut, function, inner, n, state)
    finally:
        if scope is not None:
            _leave_silence(scope)
    if PyTuple_CheckExact(result):
        return tuple([_pack(y, device, state.enable_backprop) for y in result])
    return None if result is None else _pack(result, device, state.enable_backprop)


cdef tuple _apply_to_wrappers(FunctionBase function, tuple inputs):
    """Apply a function to variables and arrays, one of which is a wrapper, or of one.

    Functions of this package compute with the plain arrays inside.
    """
    cdef Py_ssize_t n = PyTuple_GET_SIZE(inputs)
    cdef ThreadState state = current()
    cdef vector[PyObject *] inner
    cdef object device = None
    inner.resize(n)
    if _of_wrappers.computes_inside(type(function)):
        device = _unpack(
            function, PySequence_Fast_ITEMS(inputs), n, inner.data())
    if device is None or not device.native:
        return _of_wrappers.apply(function, inputs)
    if own_attribute(function, '_local_function_hooks'):
        return _of_wrappers.apply(function, inputs)
    scope = _enter_silence(state)
    try:
        outputs = function.apply(tuple([<object>inner[i] for i in range(n)]))
    finally:
        _leave_silence(scope)
    return tuple([_pack(y, device, state.enable_backprop) for y in outputs])
