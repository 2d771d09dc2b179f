"""Arrays on GPUs, and changes of them that are made together.

Nothing is computed here.  A *batch*, whose class is handed down at import, collects
changes of many parameters and makes them by as few kernels as possible.
"""
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.dict cimport PyDict_Check, PyDict_GetItemWithError
from cpython.object cimport PyObject

from chainer_fast._core.recipe cimport DOUBLE, HALF, SINGLE, Step

cdef type _Array = None
cdef type _Batch = None


def bind(*, array, batch):
    """Make the class of arrays and that of batches known; called once, at import.

    Parameters
    ----------
    array : type
        Class of the arrays on GPUs.
    batch : type
        Class with the methods of
        :class:`chainer_fast.backends.kernels.update_rules.cuda.Batch`.
    """
    global _Array, _Batch
    _Array = array
    _Batch = batch


cdef int kind_on_device(object array) except -2:
    """Return the kind of an array of floats on a GPU, or -1."""
    cdef object letter
    if type(array) is not _Array:
        return -1
    letter = array.dtype.char
    if letter == 'f':
        return SINGLE
    if letter == 'd':
        return DOUBLE
    return HALF if letter == 'e' else -1


cdef list arrays_of_update(object param, object grad, object states, tuple names):
    """Return the arrays of an update in order; None if there is no such state."""
    cdef list arrays = [param, grad]
    cdef PyObject *item
    if len(names) and not PyDict_Check(states):
        return None
    for name in names:
        item = PyDict_GetItemWithError(states, name)
        if item is NULL:
            return None
        arrays.append(<object>item)
    return arrays


cdef tuple _noted(Step *steps, int n_steps):
    """Return the names of steps and their coefficients, as bytes."""
    cdef list noted = []
    cdef int i
    for i in range(n_steps):
        noted.append((steps[i].name.decode('ascii'), PyBytes_FromStringAndSize(
            <const char *>steps[i].c, steps[i].n_coefficients * sizeof(double))))
    return tuple(noted)


cdef class Changes:
    """Changes of arrays on GPUs that wait to be made together."""

    cdef object place(self, list arrays):
        """Find out which kernels can take some arrays; None if there are none."""
        if arrays is None:
            return None
        if self.batch is None:
            self.batch = _Batch()
        return self.batch.place(arrays)

    cdef int add(
            self, object place, list arrays, Step *steps, int n_steps,
            int n_hooks=0) except -1:
        """Note the steps of a change.

        The first ones can be hooks of the optimizer, which are done for all parameters
        before the other steps of any.
        """
        self.batch.add(
            place, _noted(steps, n_hooks), _noted(steps + n_hooks, n_steps - n_hooks),
            arrays)
        return 0

    cdef int launch(self) except -1:
        """Make all changes."""
        if self.batch is not None:
            self.batch.launch()
        return 0
