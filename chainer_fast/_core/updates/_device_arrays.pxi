# Batched changes of arrays on GPUs. Part of update.pyx.
# Nothing is computed here. Changes of many parameters are queued, and equal ones are
# made by one kernel. A *batch*, whose class is registered at import, handles arrays
# that differ in order or have gaps, are on another device or overlap.

cdef extern from "chainer_fast/_core/updates/device_arrays.hpp" \
        namespace "chainer_fast":
    cdef struct Changed:
        int n_arrays
        char kinds[2]
        size_t size
        intptr_t addresses[6]
        intptr_t ends[6]
        size_t first_step
        int n_steps
        int n_hooks
    int MOST_ARRAYS
    bint overlap(vector[Changed] &all)
    int _capacity "chainer_fast::capacity"(int n_arrays)
    size_t add_arrays(Changed **group, int n, Arguments &arguments)

cdef enum:
    _THREADS = 256               # of a block, as in many_arrays.hpp

cdef type _Batch = None
cdef object _make_kernel = None
# Kernels by the names of their steps, the types of the arrays and their number.
cdef dict _kernels = {}


def bind_devices(*, batch, make_kernel):
    """Register the classes and functions that change arrays on GPUs; called at import.

    Parameters
    ----------
    batch : type
        Class with the methods of
        :class:`chainer_fast.backends.kernels.update_rules.cuda.Batch`.
    make_kernel : callable
        Takes the names of steps, the type letters of parameter and gradient, and the
        number of arrays. Returns the compiled kernel.
    """
    global _Batch, _make_kernel
    _Batch = batch
    _make_kernel = make_kernel


def capacity(int n_arrays):
    """Return the maximum number of parameters with so many arrays in a kernel."""
    return _capacity(n_arrays)


cdef list arrays_of_update(object param, object grad, object states, tuple names):
    """Return the arrays of an update in order; None if a state is missing."""
    cdef list arrays = [param, grad]
    cdef PyObject *item
    if len(names) and not PyDict_Check(states):
        return None
    for name in names:
        item = PyDict_GetItemWithError(states, name)
        if item is NULL:
            return None
        arrays.append(plain_inside(<object>item))
    return arrays


cdef bint _is_gapless(object array) except -1:
    """Return whether a nonempty array has no gaps in some order of axes."""
    cdef tuple shape = array.shape
    cdef tuple strides = array.strides
    cdef Py_ssize_t covered = array.itemsize, nbytes = array.nbytes
    cdef int axis
    while covered < nbytes:
        for axis in range(len(shape)):
            if shape[axis] != 1 and strides[axis] == covered:
                covered *= <Py_ssize_t>shape[axis]
                break
        else:
            return False
    return True


cdef bint _lies_like(object first, object array) except -1:
    """Return whether two arrays of one shape have the same memory order."""
    cdef Py_ssize_t size = first.itemsize, other_size = array.itemsize
    cdef Py_ssize_t n, stride, other
    for n, stride, other in zip(first.shape, first.strides, array.strides):
        if n != 1 and stride * other_size != other * size:
            return False
    return True


cdef bint _read(list arrays, Changed *out) except -1:
    """Read arrays of one shape and order on the current device; False for others.

    All have the type of the first, except that states of float16 parameters are
    float32. The gradient of a parameter's float32 copy, and the parameter itself, which
    comes last, are float16.
    """
    cdef int device = 0
    cdef int i, kind, n = len(arrays)
    cdef object first = arrays[0]
    cdef object shape, array
    cdef bint contiguous, rounds = False
    if n > MOST_ARRAYS or not is_on_device(first) or current_context(&device) == 0:
        return False
    shape = first.shape
    contiguous = first._c_contiguous
    if not contiguous and not _is_gapless(first):
        return False
    for i in range(n):
        array = arrays[i]
        if not is_on_device(array) or array.shape != shape or not (
                array._c_contiguous if contiguous else _lies_like(first, array)):
            return False
        kind = kind_of_dtype(array.dtype)
        if i < 2:
            out.kinds[i] = kind
            rounds = out.kinds[0] == SINGLE and kind == HALF
        elif kind != (
                HALF if rounds and i == n - 1 else max(<int>out.kinds[0], SINGLE)):
            return False
        out.addresses[i] = address_on(device, array)
        out.ends[i] = out.addresses[i] + <Py_ssize_t>array.nbytes
        if kind < 0 or out.addresses[i] == 0 or out.addresses[i] >> 48:
            return False
    if out.kinds[1] != out.kinds[0] and not (rounds and n > 2):
        return False
    out.n_arrays = n
    out.size = first.size
    return out.size < <size_t>1 << 31


cdef tuple _in_words(Step *steps, int n_steps):
    """Return the names of steps and their coefficients, as bytes."""
    cdef list noted = []
    cdef int i
    for i in range(n_steps):
        noted.append((steps[i].name.decode('ascii'), PyBytes_FromStringAndSize(
            <const char *>steps[i].c, steps[i].n_coefficients * sizeof(double))))
    return tuple(noted)


cdef bint _are_alike(Step *a, Step *b, int n) noexcept:
    cdef int i
    for i in range(n):
        if strcmp(a[i].name, b[i].name) != 0 or memcmp(
                a[i].c, b[i].c, a[i].n_coefficients * sizeof(double)) != 0:
            return False
    return True


cdef class Changes:
    """Queued changes of arrays on GPUs."""
    cdef list arrays             # of each change; kept alive until it is made
    cdef vector[Changed] noted
    cdef vector[Step] steps
    cdef Changed next            # results of `place`
    cdef bint next_is_plain
    cdef bint plain              # whether all can be launched here

    def __cinit__(self):
        self.arrays = []
        self.plain = True

    cdef bint place(self, list arrays) except -1:
        """Determine whether kernels support some arrays; `add` comes next."""
        if arrays is None:
            return False
        self.next_is_plain = _read(arrays, &self.next)
        return self.next_is_plain or _Batch.place(arrays) is not None

    cdef int add(
            self, list arrays, Step *steps, int n_steps, int n_hooks=0) except -1:
        """Queue the steps of a change.

        The first ones may be hooks of the optimizer, which are applied to all
        parameters before any other steps.
        """
        cdef int i
        self.next.first_step = self.steps.size()
        self.next.n_steps = n_steps
        self.next.n_hooks = n_hooks
        for i in range(n_steps):
            self.steps.push_back(steps[i])
        self.noted.push_back(self.next)
        self.arrays.append(arrays)
        # It needs two kernels, one of which computes norms.
        self.plain = self.plain and self.next_is_plain and (
            strncmp(steps[n_steps - 1].name, 'Change<LARS>', 12) != 0)
        return 0

    cdef int launch(self) except -1:
        """Make all changes, and clear the queue."""
        cdef vector[Changed] noted
        cdef vector[Step] steps
        cdef list arrays = self.arrays
        if self.noted.empty():
            return 0
        noted.swap(self.noted)
        steps.swap(self.steps)
        plain = self.plain and not overlap(noted)
        self.arrays = []
        self.plain = True
        if plain:
            return _launch(noted, steps)
        return _launch_in_words(noted, steps, arrays)


cdef int _launch(vector[Changed] &noted, vector[Step] &steps) except -1:
    """Make changes, with one kernel for equal ones."""
    cdef vector[Changed *] group
    cdef vector[bint] done
    cdef Changed *first
    cdef Changed *other
    cdef size_t i, k
    cdef int device = 0, begin
    cdef intptr_t context = current_context(&device)
    done.resize(noted.size())
    for i in range(noted.size()):
        if done[i]:
            continue
        first = &noted[i]
        group.clear()
        for k in range(i, noted.size()):
            other = &noted[k]
            if not done[k] and other.n_arrays == first.n_arrays and (
                    other.kinds[0] == first.kinds[0]
                    and other.kinds[1] == first.kinds[1]
                    and other.n_steps == first.n_steps
                    and _are_alike(&steps[first.first_step], &steps[other.first_step],
                                   first.n_steps)):
                done[k] = True
                group.push_back(other)
        for begin in range(0, <int>group.size(), _capacity(first.n_arrays)):
            _launch_group(
                context, &group[begin],
                min(<int>group.size() - begin, _capacity(first.n_arrays)),
                &steps[first.first_step])
    return 0


cdef int _launch_group(intptr_t context, Changed **group, int n,
                       Step *steps) except -1:
    cdef Changed *first = group[0]
    cdef Arguments arguments
    cdef size_t blocks = add_arrays(group, n, arguments)
    cdef int i, k
    for i in range(first.n_steps):
        for k in range(steps[i].n_coefficients):
            if first.kinds[0] == DOUBLE:
                arguments.add[double](steps[i].c[k])
            else:
                arguments.add[float](<float>steps[i].c[k])
    _kernel_for(first, steps).launch_blocks(
        context, first.kinds[0], blocks, _THREADS, arguments)
    return 0


cdef DeviceKernel _kernel_for(Changed *first, Step *steps):
    cdef int i, n_arrays = first.n_arrays
    key = (first.kinds[0], first.kinds[1], n_arrays,
           *[<bytes>steps[i].name for i in range(first.n_steps)])
    kernel = _kernels.get(key)
    if kernel is None:
        letters = 'efd'[first.kinds[0]] + 'efd'[first.kinds[1]]
        names = [(<bytes>steps[i].name).decode('ascii') for i in range(first.n_steps)]
        kernel = _kernels[key] = DeviceKernel(
            lambda letter: _make_kernel(names, letters, n_arrays))
    return kernel


cdef int _launch_in_words(
        vector[Changed] &noted, vector[Step] &steps, list arrays) except -1:
    cdef object batch = _Batch()
    cdef Step *each
    cdef size_t i
    for i in range(noted.size()):
        each = &steps[noted[i].first_step]
        batch.add(
            batch.place(arrays[i]), _in_words(each, noted[i].n_hooks),
            _in_words(each + noted[i].n_hooks, noted[i].n_steps - noted[i].n_hooks),
            arrays[i])
    batch.launch()
    return 0
