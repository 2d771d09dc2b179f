# Shortcuts of functions that are declared kernels. Part of adapter.pyx.

cdef enum:
    _OUTPUT = -1
    _GRADIENT = -2

_OPERANDS = {'y': _OUTPUT, 'g': _GRADIENT}


cdef class _Gradient:
    """The kernel of a gradient, and its arrays."""
    cdef DeclaredKernel kernel
    cdef int operands[3]
    cdef int n

    def __cinit__(self, str name not None, *operands):
        self.kernel = KERNELS[name]
        self.n = len(operands)
        if self.n != self.kernel._rules.inputs or self.n > 3:
            raise ValueError('%s takes %d arrays, and three at most, not %d' % (
                name, self.kernel._rules.inputs, self.n))
        for i, operand in enumerate(operands):
            self.operands[i] = _OPERANDS.get(operand, operand)

    cdef object operand(self, int i, FunctionBase function, object gy):
        if i >= self.n:
            return None
        if self.operands[i] == _GRADIENT:
            return gy
        if self.operands[i] == _OUTPUT:
            return output_array(function)
        return input_array(function, self.operands[i])

    cdef object run(self, FunctionBase function, object gy):
        cdef object a = self.operand(0, function, gy)
        cdef object b = self.operand(1, function, gy)
        cdef object c = self.operand(2, function, gy)
        cdef PyObject **arrays = [<PyObject *>a, <PyObject *>b, <PyObject *>c]
        return self.kernel.run_for(function, arrays)


cdef class Declared(Shortcut):
    # The first lines are what ``inspect.signature`` reads.
    """Declared(forward, *gradients)
--

    A function that is a declared kernel, and so are the gradients of its inputs.

    Numbers and axes in the signatures are the function's attributes of these names.

    Parameters
    ----------
    forward : str
        Name of the kernel.
    *gradients : tuple of str and int, or None
        For each input the name of a kernel, and its arrays: the number of an input,
        ``'y'`` for the output or ``'g'`` for its gradient. None if the input has no
        gradient.
    """
    cdef readonly DeclaredKernel kernel
    cdef tuple _gradients
    cdef Py_ssize_t _inputs

    def __cinit__(self, str forward not None, *gradients):
        self.kernel = KERNELS[forward]
        self.traits.in_single = True
        self._inputs = len(gradients)
        if self._inputs != self.kernel._rules.inputs:
            raise ValueError('%s takes %d arrays, but there are %d gradients' % (
                forward, self.kernel._rules.inputs, self._inputs))
        self._gradients = tuple([
            None if each is None else _Gradient(*each) for each in gradients])
        operands = {operand for each in gradients if each for operand in each[1:]}
        self.traits.retain_outputs = (0,) if 'y' in operands else None
        self.traits.retain_inputs = tuple(sorted(operands - {'y', 'g'})) or None

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        return self.kernel.run_for(function, x) if n == self._inputs else None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef _Gradient gradient
        cdef Py_ssize_t i
        for i in range(self._inputs):
            gradient = <_Gradient>self._gradients[i]
            if gradient is None or not wanted(function, i):
                continue
            gx[i] = new_ref(gradient.run(function, gy))
            if gx[i] is NULL:
                return 0
        return 1
