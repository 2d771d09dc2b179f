"""Steps of recurrent cells."""
import numpy

from libc.stddef cimport ptrdiff_t

from chainer_fast.backends.kernels.common.loops cimport Unary, unary_of
from chainer_fast.backends.kernels.recurrent.cell cimport Cell, run as run_cell
from chainer_fast.backends.kernels.plan.steps cimport Workspace, Step

cdef extern from "chainer_fast/backends/kernels/recurrent/loops.hpp" nogil:
    const Cell LSTM "chainer_fast::LSTM"
    const Cell LSTM_GRAD "chainer_fast::LSTM_GRAD"

cdef enum:
    MOST_VALUES = 7

cdef Unary _tanh = unary_of(numpy.tanh)


cdef class LSTMStep(Step):
    """A step of a long short-term memory, or its gradient.

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

    def __init__(self, str kind, shape, values, gradient=False):
        self.kind = ord(kind)
        self.samples, self.units = shape
        self.values = values
        self.gradient = gradient

    cpdef bint run(self, Workspace workspace) except -1:
        cdef void *data[MOST_VALUES]
        cdef Py_ssize_t i
        for i in range(len(self.values)):
            value = self.values[i]
            data[i] = NULL
            if value is not None:
                data[i] = workspace.places[<int>value].data
        return not run_cell(LSTM_GRAD if self.gradient else LSTM, self.kind, data,
                            self.samples, self.units, 0, _tanh)
