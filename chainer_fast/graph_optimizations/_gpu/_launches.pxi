# Launches of recorded calls on a GPU, and the arrays they return. Part of _replay.pyx.
# A launch overwrites the memory of its recording. Inputs are copied into it, and
# results out of it: outputs to new arrays, gradients to previously returned arrays if
# these are no longer referenced.


cdef class _HandedOut:
    """Arrays that are returned repeatedly while nothing else references them.

    CuPy gives freed memory to the next array on the same stream; so do these.
    """
    cdef list wholes             # the arrays that are copied to
    cdef list arrays             # their parts, which are returned
    cdef list shapes
    cdef intptr_t stream
    cdef list watched            # all objects through which the memory can be accessed
    cdef vector[Py_ssize_t] counts
    cdef list weak_counts        # of weak references

    cdef int watch(self) except -1:
        """Count the references to all objects, while there are no others."""
        cdef Py_ssize_t i, n
        cdef object each
        if not KNOWN_PYTHON:
            return 0
        self.watched = []
        self.shapes = []
        for each in self.wholes:
            self.watched += [each, each.data, each.data.mem]
        for each in self.arrays:
            self.shapes.append(None if each is None else each.shape)
            if each is not None:
                self.watched += [each, each.data]
        each = None
        for i in range(len(self.watched)):
            n = 1
            while may_have_more_references(PyList_GET_ITEM(self.watched, i), n):
                n += 1
            self.counts.push_back(n)
        self.weak_counts = [weakref.getweakrefcount(each) for each in self.watched]
        return 0

    cdef bint are_free(self, intptr_t stream) except -1:
        """Return whether none of them is referenced elsewhere or was reshaped."""
        cdef Py_ssize_t i
        cdef PyObject *each
        if self.watched is None or stream != self.stream or stream == _OF_THREADS:
            return False
        for i in range(len(self.watched)):
            each = PyList_GET_ITEM(self.watched, i)
            if may_have_more_references(each, self.counts[i]) or (
                    may_be_held_weakly(each) and weakref.getweakrefcount(
                        self.watched[i]) > self.weak_counts[i]):
                return False
        for i in range(len(self.arrays)):
            if self.shapes[i] is not None and self.arrays[i].shape != self.shapes[i]:
                return False
        return True


cdef class RecordedGradients:
    """Gradients of a recorded call for some of its inputs."""
    cdef public list given       # slots of the outputs' gradients, or None
    cdef public object launch
    cdef public list found       # arrays of the recording with all gradients
    cdef _HandedOut handed_out

    cdef bint fits(self, object gy) except -1:
        """Return whether there is one output, and an array can be its gradient."""
        cdef object place
        if len(self.given) != 1:
            return False
        place = self.given[0]
        return same_dtype(gy.dtype, place.dtype) and gy.shape == place.shape

    cdef list run(self, Turns turns, int device, list grads):
        cdef _HandedOut handed_out = self.handed_out
        cdef Py_ssize_t i
        cdef intptr_t stream
        if len(grads) != len(self.given):
            raise ValueError('%d outputs have as many gradients or None, not %d' % (
                len(self.given), len(grads)))
        stream = turns.begin()
        try:
            for i in range(len(self.given)):
                if self.given[i] is not None:
                    copy_on_device(device, self.given[i], grads[i])
            self.launch()
            if handed_out is None or not handed_out.are_free(stream):
                handed_out = _HandedOut.__new__(_HandedOut)
                handed_out.wholes, handed_out.arrays = self.new_arrays()
                handed_out.stream = stream
                handed_out.watch()
                self.handed_out = handed_out
            for i in range(len(self.found)):
                copy_on_device(device, handed_out.wholes[i], self.found[i])
        finally:
            # Launched work uses the memory, even if an error followed.
            turns.end()
        return handed_out.arrays


@cython.no_gc_clear
cdef class _Waiting:
    """Held by a call until its gradients are computed or can no longer be requested.

    Its end is the release of its memory, not a finalizer or a weak reference: these
    run before another object's finalizer may resurrect the call.
    """
    cdef RecordedCallBase call

    def __dealloc__(self):
        if self.call is not None and self.call._waiting is <PyObject *>self:
            self.call._waiting = NULL


cdef class RecordedCallBase(RepeatedCall):
    """A recorded call that CUDA graphs make."""
    cdef public int device
    cdef public Turns turns
    cdef public list arrays              # slots of the inputs
    cdef public object launch            # of the forward direction
    cdef public list results             # arrays of the recording
    cdef public list param_arrays
    cdef public tuple leaves             # inputs and parameters with gradients
    cdef public RecordedGradients gradients     # of all leaves, once recorded
    cdef public type node_class
    cdef public bint is_one_variable     # result of the call
    cdef readonly tuple outputs          # of the call that is being made
    cdef readonly unsigned long long generation
    # The memory of all arrays: as the last field, it is released after them.
    cdef public object recorder
    cdef PyObject *_waiting              # the latest call, a _Waiting; borrowed

    cpdef bint holds(self) except -1:
        """Return whether links and parameters are unchanged."""
        cdef VariableBase param
        cdef Py_ssize_t i
        for i in range(len(self.params)):
            param = <VariableBase>self.params[i]
            if param.arr is not self.param_arrays[i]:
                return False
        return self.guard.holds()

    cpdef bint is_free(self) except -1:
        """Return whether no call is waiting for its gradients."""
        return self._waiting is NULL

    def release(self):
        """Drop the call that is waiting for its gradients, if any."""
        self._waiting = NULL

    cpdef object repeat(self, args, kwargs):
        cdef list inputs = []
        cdef int device = -1
        if not self.is_free() or current_context(&device) == 0 or (
                device != self.device) or not self.is_same(
                    args, kwargs, inputs) or not self.holds():
            return MISS
        return self.apply(inputs)

    cpdef object apply(self, list inputs):
        """Make a call whose inputs have the same kind as those of the recorded one."""
        node = self.node_class()
        self._launch(inputs)
        node.recording, node.arguments = self, inputs
        node.generation = self.generation
        try:
            variables = node.apply((*inputs, *self.params))
        finally:
            self.outputs = None
        if current().enable_backprop:
            node.waiting = self._wait()
        return variables[0] if self.is_one_variable else self.returned(variables)

    cdef _Waiting _wait(self):
        cdef _Waiting waiting = _Waiting.__new__(_Waiting)
        waiting.call = self
        self._waiting = <PyObject *>waiting
        return waiting

    cdef int _launch(self, list inputs) except -1:
        cdef Py_ssize_t i
        cdef list outputs = []
        self.generation += 1
        self.turns.begin()
        try:
            for i in range(len(inputs)):
                array = inputs[i]
                if isinstance(array, VariableBase):
                    array = (<VariableBase>array).arr
                copy_on_device(self.device, self.arrays[i], array)
            self.launch()
            for result in self.results:
                array = new_on_device(result.shape, result.dtype)
                copy_on_device(self.device, array, result)
                outputs.append(array)
        finally:
            self.turns.end()
        self.outputs = tuple(outputs)
        return 0

    cpdef list launch_backward(self, RecordedGradients gradients, list grads):
        """Return gradients of the latest call."""
        self._waiting = NULL
        return gradients.run(self.turns, self.device, grads)


cdef class GraphLaunchShortcut(Shortcut):
    """A call that is already made, with one output."""

    def __cinit__(self):
        self.traits.serves_devices = True

    cdef object forward_on_device(
            self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef RecordedCallBase call = function.recording
        return call.outputs[0] if len(call.outputs) == 1 else None

    cdef int backward_on_device(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef RecordedCallBase call = function.recording
        cdef RecordedGradients gradients = call.gradients
        cdef int device = -1
        cdef list found
        cdef Py_ssize_t i
        if gradients is None or function.generation != call.generation or (
                current_context(&device) == 0) or device != call.device or (
                    not gradients.fits(gy)):
            return 0
        found = call.launch_backward(gradients, [gy])
        for i in range(len(found)):
            gx[<Py_ssize_t>call.leaves[i]] = new_ref(found[i])
        return 1
