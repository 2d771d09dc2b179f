# Shortcuts and functions that report their calls to an observer; for profiles. Part of
# graph.pyx.


cdef class ObservedShortcut(Shortcut):
    # The first lines are what ``inspect.signature`` reads.
    """ObservedShortcut(shortcut, forward, backward)
--

    A shortcut that reports each call of another one.

    Parameters
    ----------
    shortcut : Shortcut
        The one that does the work.
    forward : callable
        Called with the function, its output array, None if the shortcut has declined,
        and the nanoseconds that it took.
    backward : callable
        Called with the function, whether the shortcut has served, and the nanoseconds.
    """
    cdef Shortcut shortcut
    cdef object note_forward
    cdef object note_backward

    def __init__(self, Shortcut shortcut not None, forward, backward):
        self.shortcut = shortcut
        self.traits = shortcut.traits
        self.note_forward = forward
        self.note_backward = backward

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        begin = perf_counter_ns()
        result = self.shortcut.forward(function, x, n)
        self.note_forward(function, result, perf_counter_ns() - begin)
        return result

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        begin = perf_counter_ns()
        cdef int done = self.shortcut.backward(function, gy, gx)
        self.note_backward(function, done != 0, perf_counter_ns() - begin)
        return done

    cdef object forward_on_device(
            self, FunctionBase function, PyObject **x, Py_ssize_t n):
        begin = perf_counter_ns()
        result = self.shortcut.forward_on_device(function, x, n)
        self.note_forward(function, result, perf_counter_ns() - begin)
        return result

    cdef int backward_on_device(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        begin = perf_counter_ns()
        cdef int done = self.shortcut.backward_on_device(function, gy, gx)
        self.note_backward(function, done != 0, perf_counter_ns() - begin)
        return done


def within(plain, enter):
    """Return a function that calls another one in a context.

    Unlike one of Python it has no frame: warnings name the line that they would name
    without it.

    Parameters
    ----------
    plain : callable
        The other function, or method of a class.
    enter : callable
        Called with the same arguments; returns a context manager.

    Returns
    -------
    callable
    """
    @cython.binding(True)       # a method, if the other one is
    def call(*args, **kwargs):
        with enter(*args, **kwargs):
            return plain(*args, **kwargs)
    return functools.update_wrapper(call, plain, updated=())
