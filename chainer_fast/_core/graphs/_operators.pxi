# Arithmetic operators of variables. Part of graph.pyx.
#
# Two variables, or a variable and a number or an array of NumPy, take the shortcut of
# the operator's class of functions; everything else goes to functions of basic_math.

cdef enum:
    ADD, SUB, MUL, DIV, POW, FLOORDIV, MATMUL, N_OPERATORS

# By operator: the functions of basic_math, and the classes that have shortcuts.
cdef list _general = [None] * N_OPERATORS
cdef list _general_reflected = [None] * N_OPERATORS
cdef list _of_variables = [None] * N_OPERATORS
cdef list _of_constant = [None] * N_OPERATORS
cdef list _of_constant_reflected = [None] * N_OPERATORS
cdef object _general_neg = None
cdef type _Neg = None
cdef dict _OPERATORS = {
    'add': ADD, 'sub': SUB, 'mul': MUL, 'truediv': DIV, 'pow': POW,
    'floordiv': FLOORDIV, 'matmul': MATMUL}


def bind_operators(functions, reflected, of_variables, of_constant,
                   of_constant_reflected, neg, neg_class):
    """Make the functions behind the operators known; called once, at import.

    Parameters
    ----------
    functions, reflected : dict
        Names of operators (``'add'``, ...) to functions of two operands; of the
        reflected ones, the first is the variable on the right.
    of_variables : dict
        Names to classes of functions with shortcuts, for two variables.
    of_constant, of_constant_reflected : dict
        The same for a variable and the scalar attribute ``value``.
    neg, neg_class
        The function and the class of the sign.
    """
    global _general_neg, _Neg
    for table, given in (
            (_general, functions), (_general_reflected, reflected),
            (_of_variables, of_variables), (_of_constant, of_constant),
            (_of_constant_reflected, of_constant_reflected)):
        for name, value in given.items():
            table[_OPERATORS[name]] = value
    _general_neg = neg
    _Neg = neg_class


cdef inline bint _is_number(object x) noexcept:
    return PyFloat_CheckExact(x) or PyLong_CheckExact(x) or is_numpy_float(x)


cdef object _operate(int operator, VariableBase left, object right):
    """Return ``left (operator) right`` of a variable on the left."""
    cdef VariableBase y = None
    if isinstance(right, VariableBase):
        y = _by_shortcut(operator, left, right)
    elif PyArray_CheckExact(right):
        right = _as_type_of(left, right, operator)
        y = _with_array(operator, left, right, False)
    elif _is_number(right):
        # ``x - c`` is the function that adds ``-c``; ``x / c`` multiplies by ``1 / c``.
        if operator == SUB:
            y = _with_constant(_of_constant[ADD], left, -right)
        elif operator != DIV:
            y = _with_constant(_of_constant[operator], left, right)
        elif right != 0:
            # NumPy may have warned of the quotient: the general way takes it as well.
            operator, right = MUL, 1. / right
            y = _with_constant(_of_constant[MUL], left, right)
    if y is not None:
        return y
    return _general[operator](left, right)


cdef object _operate_reflected(int operator, VariableBase right, object left):
    """Return ``left (operator) right`` of anything but a variable on the left."""
    cdef VariableBase y = None
    if PyArray_CheckExact(left):
        # Sums and products have the variable first.
        left = _as_type_of(right, left, operator)
        y = _with_array(operator, right, left, operator == SUB or operator == DIV)
    elif _is_number(left):
        y = _with_constant(_of_constant_reflected[operator], right, left)
    if y is not None:
        return y
    return _general_reflected[operator](right, left)


cdef VariableBase _by_shortcut(int operator, VariableBase left, VariableBase right):
    """Return what an operator makes of two variables; None if it has no shortcut.

    Shortcuts of operators do not warn: they decline.
    """
    cdef PyObject *xs[2]
    xs[0], xs[1] = <PyObject *>left, <PyObject *>right
    cls = _of_variables[operator]
    return None if cls is None else apply_shortcut(new_function(cls), xs, 2, current())


cdef object _as_type_of(VariableBase variable, object array, int operator):
    """Return an array of NumPy, cast to the type of a variable.

    It is left as it is if the operator has no shortcut, or if it is not in C order,
    since the general way keeps its order. NumPy may warn of the cast, but once: nothing
    is left to cast for the general way.
    """
    cdef np.dtype dtype
    if _of_variables[operator] is None or variable.arr is None or (
            not PyArray_CheckExact(variable.arr)):
        return array
    dtype = <np.dtype>PyArray_DESCR(<np.ndarray>variable.arr)
    if same_type(array, variable.arr) or not PyArray_CHKFLAGS(
            <np.ndarray>array, np.NPY_ARRAY_C_CONTIGUOUS):
        return array
    Py_INCREF(dtype)    # NumPy takes this reference
    return PyArray_CastToType(<np.ndarray>array, dtype, 0)


cdef VariableBase _with_array(
        int operator, VariableBase variable, object array, bint array_first):
    """Return what an operator makes of a variable and an array; None if it declines."""
    cdef PyObject *xs[2]
    cls = _of_variables[operator]
    if cls is None:
        return None
    xs[array_first], xs[not array_first] = <PyObject *>variable, <PyObject *>array
    return apply_shortcut(new_function(cls), xs, 2, current())


cdef VariableBase _with_constant(object cls, VariableBase variable, object value):
    cdef PyObject *x = <PyObject *>variable
    cdef FunctionBase function
    if cls is None:
        return None
    function = new_function(cls)
    function.value = value
    return apply_shortcut(function, &x, 1, current())


cdef object _negate(VariableBase variable):
    cdef PyObject *x = <PyObject *>variable
    cdef VariableBase y = None
    if _Neg is not None:
        y = apply_shortcut(new_function(_Neg), &x, 1, current())
    return _general_neg(variable) if y is None else y
