# Steps of recurrent cells. Part of plans.pyx.

cdef enum:
    MOST_VALUES = 7

cdef Unary _tanh = unary_of(numpy.tanh)


cdef class LSTMStep(Step):
    """One LSTM step, or its gradient.

    Parameters
    ----------
    kind : str
        ``'f'`` or ``'d'``.
    shape : tuple of int
        Samples and units.
    values : tuple of (int or None)
        The arguments of the loop. Gradients may be missing.
    gradient : bool
    """
    cdef char kind
    cdef ptrdiff_t samples, units
    cdef tuple values
    cdef bint gradient

    def __cinit__(self, str kind, shape, values, gradient=False):
        self.kind = ord(kind)
        self.samples, self.units = shape
        self.values = values
        self.gradient = gradient

    cpdef bint run(self, Workspace workspace) except -1:
        cdef void *data[MOST_VALUES]
        cdef Py_ssize_t i
        for i in range(len(self.values)):
            value = self.values[i]
            data[i] = _data(workspace, -1 if value is None else value)
        return not (LSTM_GRAD if self.gradient else LSTM).run(
            self.kind, data, self.samples, self.units, 0, _tanh)
