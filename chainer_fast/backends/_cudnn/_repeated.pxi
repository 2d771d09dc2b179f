# Repeated calls. Part of sessions.pyx.

cdef enum:
    _RESULTS = 8                 # maximum of a call
    _CONSTANT = 1 << 20          # instead of the number of an argument


cdef class _Call:
    """A recorded call: the plan, and the sources of its tensors.

    Attributes
    ----------
    sources : vector of int
        For each tensor: the index of an argument; a negative number for a result,
        counted from -1; or ``_CONSTANT``.
    constants : vector of addresses
        Addresses of constant tensors.
    held : list
        The objects at these addresses.
    results : list of tuple
        Shape and type of each result, and whether its channels are last.
    in_tuple : bool
        Whether the call returns a tuple.
    """
    cdef Kept kept
    cdef vector[int] sources
    cdef vector[intptr_t] constants
    cdef list held
    cdef list results
    cdef bint in_tuple

    cdef object make(self, Session session, const intptr_t *operands):
        """Make the call with other operands."""
        cdef Engine plan = self.kept.plan
        cdef Execution execution = plan.execution
        cdef intptr_t addresses[_RESULTS]
        cdef list made = []
        cdef object array, workspace, place = 0
        cdef int i, source
        for i, (shape, dtype, last) in enumerate(self.results):
            if last:
                array = new_channels_last(shape, dtype)
            else:
                array = new_on_device(shape, dtype)
            addresses[i] = array.data.ptr
            made.append(array)
        if plan.size:
            workspace = cupy.cuda.alloc(plan.size)
            place = workspace.ptr
        # From here on, nothing else in the thread can execute the plan.
        for i in range(<int>self.sources.size()):
            source = self.sources[i]
            execution.addresses[i] = (
                self.constants[i] if source == _CONSTANT
                else operands[source] if source >= 0 else addresses[-1 - source])
        session.executions += 1
        self.kept.used = session.executions
        execution.launch(place)
        return tuple(made) if self.in_tuple else made[0]


cdef bint _lies(object array, bint last) except -1:
    """Return whether an array has the strides of a new one with channels last."""
    return [n * array.itemsize for n in _image_orders.strides(
        array.shape, last)] == list(array.strides)


cdef _Call _understand(
        Session session, list noted, tuple names, tuple args, object result):
    """Return a repeatable form of a recorded call, or None if there is none.

    Every array argument and every result must be a tensor of the only plan that has
    run: then nothing else was computed.
    """
    cdef _Call call = _Call()
    cdef tuple results = result if type(result) is tuple else (result,)
    cdef dict arrays, operands
    cdef list tensors
    cdef object array
    if len(noted) != 1 or len(results) > _RESULTS:
        return None
    call.kept, tensors, arrays = noted[0]
    call.in_tuple = type(result) is tuple
    call.results, call.held = [], []
    for array in results:
        last = not _lies(array, False)
        if (last and (array.ndim < 3 or not _lies(array, True))) or (
                not any([array is each for each in arrays.values()])):
            return None
        call.results.append((array.shape, array.dtype, last))
    operands = {name: i for i, name in enumerate(names) if is_on_device(args[i])}
    if not operands.keys() <= set(tensors):
        return None
    for name in tensors:
        array = arrays[name]
        address = 0
        if name in operands:
            source = operands[name]
            if array.data.ptr != args[source].data.ptr:     # a copy
                return None
        elif any([array is each for each in results]):
            source = -1 - [array is each for each in results].index(True)
        elif not is_on_device(array) or array is session.zeros or (
                array is session.scratch):
            source, address = _CONSTANT, array.data.ptr
            call.held.append(array)
        else:
            return None
        call.sources.push_back(source)
        call.constants.push_back(address)
    return call


cdef class Repeated:
    """A function implemented with cuDNN, whose calls are repeated.

    Parameters
    ----------
    function : callable
        It takes CuPy arrays and, by position, arguments that can be encoded as
        numbers. It returns an array, a tuple of arrays or ``NotImplemented``, and only
        runs a plan. Its effects are determined by the form of its arguments and the
        settings of cuDNN. Tensors that are arguments have the arguments' names.
    """
    cdef readonly object function
    cdef tuple names
    cdef dict __dict__

    def __init__(self, function):
        self.function = function
        code = function.__code__
        self.names = code.co_varnames[:code.co_argcount]
        functools.update_wrapper(self, function)

    def __call__(self, *args):
        cdef int device = 0
        cdef Session session = _find_session(&device)
        if session is None:
            return self.function(*args)
        session.follow_settings()
        return self.call(session, device, args)

    cdef object call(self, Session session, int device, tuple args):
        """Make a call, repeating a recorded one if possible, with current settings."""
        cdef _Form form
        cdef bytes key
        cdef PyObject *found
        if session.calls is None or not self._read(args, device, &form):
            return self.function(*args)
        key = PyBytes_FromStringAndSize(
            <const char *>form.words, form.n * sizeof(long long))
        found = PyDict_GetItemWithError(session.calls, key)
        if found is NULL or not _is_kept(<_Call>found):
            return self._note(session, key, args)
        call = <_Call>found
        session.follow_stream()
        try:
            return (<_Call>call).make(session, form.addresses)
        except (MemoryError, RuntimeError):
            # The function finds a plan that needs less memory or is not in a damaged
            # file, or it raises the error again.
            pass
        return self._note(session, key, args)

    cdef bint _read(self, tuple args, int device, _Form *form) except -1:
        """Encode the form of arguments; return whether that is possible."""
        cdef Py_ssize_t i, n = PyTuple_GET_SIZE(args)
        form.n = 0
        if n != len(self.names) or n > _ARGUMENTS:
            return False
        _add(form, <uintptr_t><PyObject *>self)
        for i in range(n):
            if not _add_argument(
                    form, i, <object>PyTuple_GET_ITEM(args, i), device):
                return False
        return True

    cdef object _note(self, Session session, bytes key, tuple args):
        """Make a call with the function, and record it."""
        cdef dict calls = session.calls
        cdef _Call call = None
        # Code that frees an object meanwhile may make calls itself.
        cdef list before = session.noted, noted = []
        session.noted = noted
        try:
            result = self.function(*args)
        finally:
            session.noted = before
        if result is not NotImplemented:
            call = _understand(session, noted, self.names, args, result)
        calls.pop(key, None)
        if call is not None and _is_kept(call):
            if len(calls) >= LIMIT:
                calls.clear()
            calls[key] = call
        return result


cdef bint _is_kept(_Call call) noexcept:
    return call.kept.plan is not None and call.kept.plan.execution is not None


cdef class _Preferred:
    """A CUDA form, and a form with cuDNN that takes precedence."""
    cdef object form
    cdef object own
    cdef dict __dict__

    def __init__(self, form, own):
        self.form, self.own = form, own
        functools.update_wrapper(self, own)

    def __call__(self, *args):
        cdef int device = 0
        cdef Session session = _find_session(&device)
        cdef object result = NotImplemented
        if session is not None:
            session.follow_settings()
        if session is None or not session.wanted:
            if _cudnn.wanted():
                result = self.form(*args)
        elif type(self.form) is Repeated:
            result = (<Repeated>self.form).call(session, device, args)
        else:
            result = self.form(*args)
        return self.own(*args) if result is NotImplemented else result


def preferred(form):
    """Return a decorator of CUDA forms that gives precedence to a form with cuDNN.

    Parameters
    ----------
    form : callable
        The form with cuDNN. It has the same parameters, and returns
        ``NotImplemented`` if cuDNN does not support them, before it has changed
        anything.

    Returns
    -------
    callable
    """
    return lambda own: _Preferred(form, own)
