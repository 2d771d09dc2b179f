# Shortcuts of normalizing functions, for plain arrays of one float type. Part of
# compiled.pyx.

cdef object _batch_apply = declared('batch_apply')
cdef object _batch_backward = declared('batch_backward')
cdef object _batch_forward = declared('batch_forward')
cdef object _inverses = declared('inverses')
cdef object _response_backward = declared('response_backward')
cdef object _response_forward = declared('response_forward')

# Fields of the functions: batch normalization, also with given statistics, which has
# INV_VAR; group normalization, without groups for layer normalization; local response.
cdef enum:
    AXIS, KEY_AXIS, EXPANDER, EPS, INV_STD, MEAN, VAR, RUNNING_MEAN, RUNNING_VAR, DECAY
    FORWARD_DATA, IMPL, IMPL_SELECTOR
    INV_VAR = 5
    GROUP_EPS = 0
    GROUP_MEAN = 1
    GROUP_INV_STD = 2
    GROUPS = 3
    ALPHA = 0
    BETA = 1
    K = 2
    WIDTH = 3
    UNIT_SCALE = 4
    SCALE = 5


cdef bint _fits(object v, char kind, object x, tuple axes) except -1:
    """Return whether a parameter has the type of ``x`` and these lengths."""
    cdef Py_ssize_t i
    cdef int axis
    if kind_of(v) != kind or PyArray_NDIM(v) != len(axes):
        return False
    for i in range(len(axes)):
        axis = place_of(axes[i], PyArray_NDIM(x))
        if axis < 0 or PyArray_DIM(<np.ndarray>v, i) != PyArray_DIM(
                <np.ndarray>x, axis):
            return False
    return True


cdef bint _fits_on_device(tuple arrays, object x, tuple axes) except -1:
    """The same for parameters on the current GPU, which share a separate type."""
    cdef object shape = x.shape, first = arrays[0]
    cdef object own = tuple([shape[i] for i in axes if i < len(shape)])
    cdef int kind = kind_on_device(first)
    if kind < 0 or kind_on_device(x) < 0 or not on_current_device((x, *arrays)):
        return False
    for each in arrays:
        if kind_on_device(each) != kind or each.shape != own:
            return False
    return True


cdef tuple _axes(
        Shortcut shortcut, FunctionBase function, Py_ssize_t ndim, Py_ssize_t own):
    """Return axes like :func:`batch_axes`, or None if they do not match."""
    cdef object axis = shortcut.field(function, AXIS)
    if type(axis) is not tuple and (axis is not None or ndim < own + 1):
        return None
    return batch_axes(ndim, own, axis)


cdef class _Normalization(Shortcut):
    def __cinit__(self, *_):
        self.traits.in_single = self.traits.mixes_halves = True

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef object x = input_array(function, 0), grads
        cdef char kind = gapless_kind(gy)
        if not kind or gapless_kind(x) != kind or not PyArray_SAMESHAPE(
                <np.ndarray>gy, <np.ndarray>x):
            return 0
        grads = self.gradients(function, x, gy)
        if grads is NotImplemented:
            return 0
        if type(grads) is not tuple:
            gx[0] = new_ref(grads)
            return 1
        return _give(<tuple>grads, gx)

    cdef object gradients(self, FunctionBase function, object x, object gy):
        """Return the gradient by ``x``, or a tuple of all; ``gy`` has its shape."""
        return NotImplemented


cdef int _give(tuple grads, PyObject **gx) except -1:
    cdef Py_ssize_t i
    for i in range(len(grads)):
        gx[i] = new_ref(grads[i])
    return 1


cdef bint _is_default(Shortcut shortcut, FunctionBase function) except -1:
    return shortcut.field(function, IMPL_SELECTOR) is function._default_selector


cdef double _adjustment(Py_ssize_t size, Py_ssize_t own) noexcept:
    """Return the factor that makes the variance of a batch unbiased."""
    cdef double count = size // max(own, 1)
    return count / max(count - 1, 1.)


cdef class BatchNormalizationShortcut(_Normalization):
    """Batch normalization by its default implementation."""

    def __cinit__(self):
        self.traits.retain_inputs = (0, 1)
        self.traits.serves_devices = True

    cdef object forward(self, FunctionBase function, PyObject **xs, Py_ssize_t n):
        cdef object x = <object>xs[0]
        cdef object gamma, beta, results
        cdef char kind = gapless_kind(x)
        cdef tuple axes
        if n != 3 or not kind or not _is_default(self, function):
            return None
        gamma = <object>xs[1]
        beta = <object>xs[2]
        # With one element for each parameter, the general path warns.
        if PyArray_SIZE(gamma) == PyArray_SIZE(x):
            return None
        axes = _axes(self, function, PyArray_NDIM(x), PyArray_NDIM(gamma))
        if axes is None:
            return None
        if not _fits(gamma, kind, x, axes[1]) or not _fits(beta, kind, x, axes[1]):
            return None
        # Not copies, since they are modified.
        running_mean = own_attribute(function, self.traits.fields[RUNNING_MEAN])
        running_var = own_attribute(function, self.traits.fields[RUNNING_VAR])
        if running_mean is not None and running_var is None:
            return None
        results = _batch_forward(
            x, gamma, beta, axes[0], self.field(function, EPS))
        if results is NotImplemented:
            return None
        _, mean, var, _ = <tuple>results
        if running_mean is not None:
            kernels.update_running(
                running_mean, running_var, mean, var, self.field(function, DECAY),
                _adjustment(PyArray_SIZE(x), PyArray_SIZE(gamma)))
        return self._finish(function, axes, <tuple>results)

    cdef object forward_on_device(
            self, FunctionBase function, PyObject **xs, Py_ssize_t n):
        cdef object x = <object>xs[0], gamma, beta, results, running, own
        cdef tuple axes
        if n != 3 or not _is_default(self, function):
            return None
        gamma = <object>xs[1]
        beta = <object>xs[2]
        axes = _axes(self, function, x.ndim, gamma.ndim)
        if axes is None or not _fits_on_device((gamma, beta), x, axes[1]) or (
                x.size == 0 or x.size == gamma.size):
            return None
        eps = self.field(function, EPS)
        running = self.field(function, RUNNING_MEAN)
        if running is None:
            results = on_device.batch_forward(x, gamma, beta, axes[0], eps)
        else:
            own = self.field(function, RUNNING_VAR)
            if not on_current_device((running, own)) or own is None:
                return None
            results = on_device.batch_forward_running(
                x, gamma, beta, axes[0], eps, running, own,
                self.field(function, DECAY), _adjustment(x.size, gamma.size))
        return self._finish(function, axes, results)

    cdef object _finish(self, FunctionBase function, tuple axes, tuple results):
        """Store data for gradients in the function; return the output."""
        self.keep(function, AXIS, axes[0])
        self.keep(function, KEY_AXIS, axes[1])
        self.keep(function, EXPANDER, axes[2])
        self.keep(function, MEAN, results[1])
        self.keep(function, VAR, results[2])
        self.keep(function, INV_STD, results[3])
        self.keep(function, FORWARD_DATA, None)
        self.keep(function, IMPL, function._default_impl())
        return results[0]

    cdef int backward_on_device(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef object x = input_array(function, 0), gamma = input_array(function, 1)
        if type(self.field(function, IMPL)) is not function._default_impl or (
                not same_dtype(gy.dtype, x.dtype) or gy.shape != x.shape
                or not on_current_device((gy,)) or not _fits_on_device(
                    (gamma,), x, self.field(function, KEY_AXIS))):
            return 0
        return _give(on_device.batch_backward(
            x, gamma, gy, self.field(function, MEAN),
            self.field(function, INV_STD), self.field(function, AXIS),
            False), gx)

    cdef object gradients(self, FunctionBase function, object x, object gy):
        cdef object gamma = input_array(function, 1)
        if type(self.field(function, IMPL)) is not function._default_impl or (
                not _fits(gamma, gapless_kind(x), x,
                          self.field(function, KEY_AXIS))):
            return NotImplemented
        return _batch_backward(
            x, gamma, gy, self.field(function, MEAN),
            self.field(function, INV_STD), self.field(function, AXIS), False)


cdef class FixedBatchNormalizationShortcut(_Normalization):
    """Normalization by given statistics."""

    def __cinit__(self):
        self.traits.retain_inputs = (0, 1, 3, 4)

    cdef object forward(self, FunctionBase function, PyObject **xs, Py_ssize_t n):
        cdef object x = <object>xs[0]
        cdef char kind = gapless_kind(x)
        cdef tuple axes
        cdef Py_ssize_t i
        if n != 5 or not kind:
            return None
        axes = _axes(self, function, PyArray_NDIM(x), PyArray_NDIM(<object>xs[1]))
        if axes is None:
            return None
        axis, key_axis, expander = axes
        for i in range(1, 5):
            if not _fits(<object>xs[i], kind, x, key_axis):
                return None
        inverses = _inverses(<object>xs[4], self.field(function, EPS))
        if inverses is NotImplemented:
            return None
        inv_std, inv_var = <tuple>inverses
        y = _batch_apply(
            x, <object>xs[1], <object>xs[2], <object>xs[3], inv_std, axis)
        if y is NotImplemented:
            return None
        self.keep(function, AXIS, axis)
        self.keep(function, KEY_AXIS, key_axis)
        self.keep(function, EXPANDER, expander)
        self.keep(function, INV_STD, inv_std)
        self.keep(function, INV_VAR, inv_var)
        return y

    cdef object gradients(self, FunctionBase function, object x, object gy):
        cdef object gamma = input_array(function, 1)
        cdef tuple key_axis = self.field(function, KEY_AXIS)
        cdef char kind = gapless_kind(x)
        for array in gamma, input_array(function, 3), input_array(function, 4):
            if not _fits(array, kind, x, key_axis):
                return NotImplemented
        return kernels.fixed_backward.compiled(
            x, gamma, gy, input_array(function, 3), self.field(function, INV_STD),
            self.field(function, INV_VAR), self.field(function, AXIS))


cdef class GroupNormalizationShortcut(_Normalization):
    """Group normalization.

    Parameters
    ----------
    of_rows : bool
        Whether it is layer normalization, which has one group and only supports
        matrices.
    """
    cdef bint of_rows

    def __cinit__(self, bint of_rows):
        self.of_rows = of_rows
        self.traits.retain_inputs = (0, 1)

    cdef object _groups(self, FunctionBase function):
        return 1 if self.of_rows else self.field(function, GROUPS)

    cdef object forward(self, FunctionBase function, PyObject **xs, Py_ssize_t n):
        cdef object x = <object>xs[0]
        cdef char kind = gapless_kind(x)
        if n != 3 or not kind or PyArray_NDIM(x) < 2 or (
                self.of_rows and PyArray_NDIM(x) != 2):
            return None
        if not _fits(<object>xs[1], kind, x, (1,)) or (
                not _fits(<object>xs[2], kind, x, (1,))):
            return None
        results = group_forward(
            x, <object>xs[1], <object>xs[2], self._groups(function),
            self.field(function, GROUP_EPS))
        if results is NotImplemented:
            return None
        self.keep(function, GROUP_MEAN, (<tuple>results)[1])
        self.keep(function, GROUP_INV_STD, (<tuple>results)[2])
        return (<tuple>results)[0]

    cdef object gradients(self, FunctionBase function, object x, object gy):
        cdef object gamma = input_array(function, 1)
        if not _fits(gamma, gapless_kind(x), x, (1,)):
            return NotImplemented
        return group_backward(
            x, gamma, gy, self.field(function, GROUP_MEAN),
            self.field(function, GROUP_INV_STD), self._groups(function))


cdef class LocalResponseNormalizationShortcut(_Normalization):
    """Local response normalization."""

    def __cinit__(self):
        self.traits.retain_inputs = (0,)
        self.traits.rounds_fields = True

    cdef object forward(self, FunctionBase function, PyObject **xs, Py_ssize_t n):
        width = self.field(function, WIDTH)
        if n != 1 or type(width) is not int or not gapless_kind(<object>xs[0]):
            return None
        results = _response_forward(
            <object>xs[0], max(width // 2, 0), self.field(function, K),
            self.field(function, ALPHA), self.field(function, BETA))
        if results is NotImplemented:
            return None
        self.keep(function, UNIT_SCALE, (<tuple>results)[1])
        self.keep(function, SCALE, (<tuple>results)[2])
        return (<tuple>results)[0]

    cdef object gradients(self, FunctionBase function, object x, object gy):
        return _response_backward(
            x, gy, self.field(function, UNIT_SCALE),
            self.field(function, SCALE), max(self.field(function, WIDTH) // 2, 0),
            self.field(function, ALPHA), self.field(function, BETA))
