# Compiled shortcuts of functions of sequences. Part of array/compiled.pyx.

# The field of the function.
cdef enum:
    LENGTH


cdef class TransposeSequenceShortcut(Shortcut):
    """Elements of sequences by their positions, two at least."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object length = self.field(function, LENGTH)
        cdef object found
        cdef Py_ssize_t i
        if type(length) is not int or length < 2:
            return None
        for i in range(n):
            if not PyArray_CheckExact(<object>x[i]):
                return None
        found = transpose_sequences(
            <object>x[0], [<object>x[i] for i in range(n)], length)
        return None if found is NotImplemented else found

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef list gradients = list(gy)
        cdef list nodes = list(function.input_nodes)
        cdef Py_ssize_t i, j, reached = len(nodes)
        cdef VariableNodeBase node = nodes[0]
        cdef object dtype = node.dtype, found
        cdef tuple shape = node.shape
        if not shape or shape[0] != len(gradients):
            return 0
        lengths = []
        for node in nodes:
            if not same_dtype(node.dtype, dtype) or node.shape[1:] != shape[1:]:
                return 0
            lengths.append(node.shape[0])
        for i in range(len(gradients)):
            while reached and lengths[reached - 1] <= i:
                reached -= 1
            found = gradients[i]
            if found is None:
                gradients[i] = numpy.zeros(
                    (reached, *shape[1:]), dtype)
            elif not has_dtype(found, dtype) or (
                    PyArray_NDIM(found) == 0
                    or PyArray_DIM(<np.ndarray>found, 0) != reached):
                return 0
        found = transpose_sequences(gradients[0], gradients, len(nodes))
        if found is NotImplemented:
            return 0
        for j in range(len(nodes)):
            gx[j] = new_ref((<tuple>found)[j])
        return 1
