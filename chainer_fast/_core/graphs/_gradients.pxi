# Gradients on their way: the kinds there are, and how each adds up. Part of graph.pyx.
#
#   array            from a compiled shortcut; of NumPy or CuPy
#   VariableBase     from a ``backward`` written in Python
#   RowGradient      from a compiled shortcut, for a matrix of which few rows are used
#   Part             from a compiled shortcut, for an array of which a part is used
#   list             variables that are to be summed in one call
#   Factors          an array, and products that are still to be added to it
#   PartSum          an array that parts are added to
#
# A gradient of the last three kinds is open: it is in a table of gradients, and
# :func:`settle` makes one of the others of it.  A part is never there: :func:`opened`
# makes a sum of it.  Arrays become variables only where a variable is asked for.  No
# other file asks of which kind a gradient is.

cdef object _add_variables = None
cdef Shortcut _add = None


def bind_add(add, Shortcut shortcut not None):
    """Make known what sums variables, and its shortcut; called once, at import."""
    global _add_variables, _add
    _add_variables = add
    _add = shortcut


# -- as another kind. The header has ``settle`` and ``as_grad_array``.


cdef object settle_open(object gradient):
    cdef Factors factors
    if type(gradient) is list:
        if len(<list>gradient) > 1:
            return _add_variables(*[as_grad_variable(g) for g in <list>gradient])
        return (<list>gradient)[0] if <list>gradient else None
    if type(gradient) is PartSum:
        return (<PartSum>gradient).take()
    if type(gradient) is not Factors:
        return gradient
    factors = <Factors>gradient
    product = factors.product()
    if product is not None:
        # As it would be in the table, the sum so far is in a field and a variable.
        total = factors.earlier
        factors.earlier = add_gradients(total, product, False)
    return factors.earlier


cdef object opened(object gradient):
    """Return a gradient that others are added to: of a part, a sum."""
    if type(gradient) is not Part:
        return gradient
    whole = whole_of(<Part>gradient)
    found = whole[(<Part>gradient).index] if (<Part>gradient).is_view else None
    return new_sum(whole, found if PyArray_CheckExact(found) else whole)


cdef object placed(object gradient):
    """Return a gradient, of a part the whole array."""
    return whole_of(<Part>gradient) if type(gradient) is Part else gradient


cdef object _dense(object gradient):
    if type(gradient) is RowGradient:
        return dense(<RowGradient>gradient)
    return placed(gradient)


cdef object array_of_other(object gradient):
    if isinstance(gradient, VariableBase):
        return (<VariableBase>gradient).arr
    return _dense(gradient)


cdef VariableBase as_grad_variable(object gradient):
    """Return a gradient that is not open as a variable; None stays None."""
    if gradient is None or isinstance(gradient, VariableBase):
        return gradient
    return new_variable(_dense(gradient), True)


cdef list as_terms(object gradient):
    """Return a gradient as a list of variables: itself if it is one."""
    if type(gradient) is list:
        return <list>gradient
    gradient = settle(gradient)
    return [] if gradient is None else [as_grad_variable(gradient)]


cdef object as_factors(object gradient, npy_intp rows):
    """Return a gradient as one that takes products of so many rows; None if not plain.
    """
    cdef Factors factors
    if type(gradient) is Factors:
        factors = <Factors>gradient
        if not factors.has_room(rows):
            settle(factors)
        return factors
    if not PyArray_CheckExact(gradient):
        return None
    factors = Factors.__new__(Factors)
    factors.earlier = gradient
    return factors


cdef bint takes_factors(object gradient) noexcept:
    """Return whether :func:`as_factors` has made a gradient."""
    return type(gradient) is Factors


cdef bint has_rows(object gradient) noexcept:
    """Return whether a gradient is stored as rows."""
    return type(gradient) is RowGradient


cdef bint is_like(object gradient, object array) except -1:
    """Return whether rows, a part or an array have the shape and type of an array.

    A part has those of its node, which may be passed instead of the array.
    """
    if type(gradient) is RowGradient:
        return has_shape_of(<RowGradient>gradient, array)
    if type(gradient) is Part and (<Part>gradient).node is not None:
        return (<Part>gradient).node is array or (
            PyArray_CheckExact(array) and same_type((<Part>gradient).values, array)
            and shape_matches((<Part>gradient).node, array))
    return (PyArray_CheckExact(gradient) and PyArray_CheckExact(array)
            and same_type(gradient, array)
            and PyArray_SAMESHAPE(<np.ndarray>gradient, <np.ndarray>array))


# -- sums


cdef bint _is_ours(object array) noexcept:
    """Return whether a sum may go into an array: no other code refers to it."""
    # One reference from the table and one from the caller's variable.
    return (not may_have_more_references(array, 2)
            and not may_be_held_weakly(<PyObject *>array)
            and PyArray_CHKFLAGS(array, np.NPY_ARRAY_OWNDATA | np.NPY_ARRAY_BEHAVED))


cdef object _add_arrays(object a, object b, bint in_place):
    """Return the sum of two arrays of NumPy, of one type and shape."""
    cdef int flags, typenum = PyArray_TYPE(a)
    cdef Py_ssize_t n = PyArray_SIZE(a)
    cdef void *x
    cdef void *y
    if not in_place:
        found = _add.forward(None, [<PyObject *>a, <PyObject *>b], 2)
        # Zero-dimensional arrays add up to a scalar.
        return PyArray_FROM_O(a + b) if found is None else found
    if not any_common_gapless_kind(a, b):
        return PyNumber_InPlaceAdd(a, b)
    x, y = PyArray_DATA(<np.ndarray>a), PyArray_DATA(<np.ndarray>b)
    if n >= LONG_LOOP:
        with nogil:
            flags = add_into(typenum, x, y, n)
    else:
        flags = add_into(typenum, x, y, n)
    if flags:
        report_float_errors(flags)
    return a


cdef bint _add_part(PartSum total, object gradient) except -1:
    """Add a part, or rows; return False for any other gradient."""
    cdef RowGradient rows
    cdef Part part
    if not is_like(gradient, total.whole):
        return False
    if type(gradient) is Part:
        part = <Part>gradient
        return total.add(part.index, part.values, part.is_view)
    if type(gradient) is RowGradient:
        rows = <RowGradient>gradient
        return total.add(rows.ids, rows.values, False)
    return False


cdef object add_gradients(object total, object gradient, bint held):
    """Return a sum; unless the user holds ``total``, it may go into its memory.

    The second term is not open.
    """
    cdef PyObject **x = [<PyObject *>total, <PyObject *>gradient]
    if PyArray_CheckExact(total) and PyArray_CheckExact(gradient):
        if is_like(gradient, total):
            return _add_arrays(total, gradient, not held and _is_ours(total))
    elif type(total) is list:
        (<list>total).append(gradient)
        return settle(total)
    elif type(total) is Factors:
        return add_gradients(settle(total), gradient, held)
    elif type(total) is PartSum:
        if _add_part(<PartSum>total, gradient):
            return total
        return add_gradients(settle(total), gradient, held)
    elif is_on_device(total) and is_on_device(gradient):
        found = _add.forward_on_device(None, x, 2)
        if found is not None:
            return found
    elif type(total) is RowGradient and type(gradient) is RowGradient:
        found = add_rows(<RowGradient>total, <RowGradient>gradient, held)
        if found is not None:
            return found
    elif type(gradient) is RowGradient or type(gradient) is Part:
        found = add_gradients(_dense(total), _dense(gradient), held)
        # There may be more of them.
        return new_sum(found, found) if PyArray_CheckExact(found) else found
    elif type(total) is RowGradient:
        return add_gradients(_dense(total), gradient, held)
    return _add_variables(as_grad_variable(total), as_grad_variable(gradient))


# -- the gradient of a variable


cdef object gradient_of(VariableBase variable):
    """Return the gradient of a variable as it was given; None if there is none."""
    return variable.grad_arr if variable._grad_var is None else variable._grad_var


cdef int give_gradient(VariableBase variable, object gradient) except -1:
    """Set the gradient of a variable, any that is not open, without a check."""
    if isinstance(gradient, VariableBase):
        return put_grad(variable, (<VariableBase>gradient).arr, gradient)
    return put_grad(variable, gradient, None)
