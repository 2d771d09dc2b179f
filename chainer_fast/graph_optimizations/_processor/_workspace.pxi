# Arrays of the values of one call. Part of plans.pyx.

cdef class Workspace:
    """Arrays of the values of one call.

    Parameters
    ----------
    templates : list of array
        For each value, an array of its shape and type. The list may grow.
    plain : list of bool
        Whether the array of a value must be in C order.
    functions : list
        Functions whose shortcuts steps call, by number.
    leaving : list of int
        Values whose arrays belong to the caller.

    Attributes
    ----------
    arrays : list
        The arrays of the values.
    fallbacks : dict
        Functions applied by the graph engine, with their outputs, by number.
    declined : set of int
        Functions whose shortcuts declined in this call.
    """
    cdef readonly list arrays
    cdef readonly list functions
    cdef list templates
    cdef list plain
    cdef vector[char *] places      # addresses of the arrays
    cdef list leaving
    cdef set prepared
    cdef list buffers               # its own memory
    cdef vector[Py_ssize_t] views   # number of views of each of them
    cdef vector[int] kept           # values of these views
    cdef set inner                  # values that have no arrays
    cdef vector[int] others         # values whose arrays may be referenced elsewhere
    cdef bint calls                 # whether functions may have been called
    cdef readonly set declined
    cdef readonly dict fallbacks

    def __cinit__(self, list templates, list plain, list functions, list leaving):
        self.templates = templates
        self.plain = plain
        self.arrays = []
        self.functions = functions
        self.leaving = list(leaving)
        self.prepared = set()
        self.inner = set()
        self.buffers = []
        self.declined = set()
        self.fallbacks = {}
        self._grow()

    cdef int _grow(self) except -1:
        while len(self.arrays) < len(self.templates):
            self.arrays.append(None)
            self.places.push_back(NULL)
        return 0

    cdef bint put(self, int value, object array) except -1:
        """Set the array of a value; return whether it has the recorded kind.

        Otherwise the value is unset, so that no plan that needs it runs.
        """
        template = self.templates[value]
        if not PyArray_CheckExact(array) or not same_type(array, template) or (
                not PyArray_SAMESHAPE(<np.ndarray>array, <np.ndarray>template)):
            self.arrays[value] = None
            self.places[value] = NULL
            return False
        if not PyArray_CHKFLAGS(<np.ndarray>array, CF_PLAIN_FLAGS) and (
                self.plain[value]):
            array = numpy.array(array, order='C')
        self.arrays[value] = array
        self.places[value] = <char *>PyArray_DATA(<np.ndarray>array)
        return True

    cdef bint put_gradient(self, int value, object gradient) except -1:
        """Set a gradient, an array or rows, in the same way."""
        if PyArray_CheckExact(gradient):
            return self.put(value, gradient)
        self.places[value] = NULL      # loops do not support rows
        self.arrays[value] = (
            gradient if is_like(gradient, self.templates[value]) else None)
        return self.arrays[value] is not None

    cdef int make(self, int value, object array) except -1:
        """Set the array of a value that the plan itself provides."""
        if not self.put(value, array):
            raise NotStatic('a plan has no memory for value %d' % value)
        return 0

    cdef bint _is_ours(self) except -1:
        """Return whether nothing else references the memory or functions of the
        workspace.

        Functions that steps call may have kept their arguments, whose contents would
        change in another call.
        """
        cdef Py_ssize_t i
        cdef PyObject *each
        for i in range(<Py_ssize_t>self.kept.size()):
            each = PyList_GET_ITEM(self.arrays, self.kept[i])
            if may_have_more_references(each, 1) or may_be_held_weakly(each):
                return False
        for i in range(len(self.buffers)):
            each = PyList_GET_ITEM(self.buffers, i)
            # This list references it, as does each of its views.
            if may_have_more_references(each, 1 + self.views[i]) or (
                    may_be_held_weakly(each)):
                return False
        for i in range(len(self.functions)):
            each = PyList_GET_ITEM(self.functions, i)
            if each is not <PyObject *>None and may_have_more_references(each, 1):
                return False
        return True

    cdef bint _are_intact(self, vector[int] &values) except -1:
        """Return whether the arrays of some values have their addresses and sizes.

        Users hold arguments, parameters and results, which NumPy may resize in place;
        loops only use the recorded address of an array.
        """
        cdef int value
        cdef object array
        for value in values:
            array = self.arrays[value]
            if PyArray_CheckExact(array) and (
                    <char *>PyArray_DATA(<np.ndarray>array) != self.places[value]
                    or not PyArray_SAMESHAPE(
                        <np.ndarray>array, <np.ndarray>self.templates[value])):
                return False
        return True

    def fill(self, values, arrays):
        """Set the arrays of some values.

        Returns
        -------
        bool
            Whether they have the recorded shapes and types.
        """
        cdef bint fits = True
        self._grow()
        for value, array in zip(values, arrays):
            fits &= self.put(value, array)
        return fits

    cpdef result(self, int value):
        """Return the array of a value, which users may keep.

        A gradient by rows is only for the graph engine, or for :func:`as_array`.
        """
        array = self.arrays[value]
        # Arrays of the workspace are views, and so may be results of functions.
        if not PyArray_CheckExact(array) or PyArray_CHKFLAGS(
                <np.ndarray>array, np.NPY_ARRAY_OWNDATA):
            return array
        return array.copy()

    cpdef bint forget(self) except -1:
        """Release arrays that users may hold.

        Returns
        -------
        bool
            Whether another call can use the workspace.
        """
        cdef int value
        cdef FunctionBase function
        cdef VariableNodeBase node
        for value in self.leaving:
            self.arrays[value] = None
        if not self.calls:
            return True
        self.fallbacks.clear()
        for function in self.functions:
            if function is not None:
                function.kept_outputs = None
                vars(function).clear()
                for node in function.input_nodes:
                    node.array = None
        function, node = None, None     # which reference the last of them
        return self._is_ours()
