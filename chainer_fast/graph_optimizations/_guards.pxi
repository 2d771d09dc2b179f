# Patterns that recognize calls: of arguments, and of attributes of links. Part of
# _replay.pyx.

#: Represents a missing attribute.
MISSING = object()

#: The pattern that matches anything.
ANY = object()

# Their zeros are equal, regardless of sign.
cdef tuple _FLOATS = (float, complex, numpy.inexact)


cdef class InputPattern:
    """An argument: an array, or a variable with one.

    Parameters
    ----------
    template : numpy.ndarray
        Its shape and type.
    requires_grad : bool or None
        None for an array.
    device : int or None
        The GPU; None for arrays of NumPy, in C order.
    """
    cdef np.ndarray template
    cdef tuple shape
    cdef int requires_grad
    cdef int device

    def __init__(self, np.ndarray template, requires_grad, device=None):
        self.template = template
        self.requires_grad = -1 if requires_grad is None else requires_grad
        self.device = -1 if device is None else device
        self.shape = (<object>template).shape

    cdef bint fits(self, object array) except -1:
        if self.device >= 0:
            return is_on_device(array) and has_dtype(
                self.template, array.dtype) and (
                array.shape == self.shape) and array.data.device_id == self.device
        return PyArray_CheckExact(array) and (
            same_type(array, self.template)
            and PyArray_SAMESHAPE(<np.ndarray>array, self.template)
            and PyArray_CHKFLAGS(<np.ndarray>array, CF_PLAIN_FLAGS))


cdef class Of:
    """Any object of a class.

    Parameters
    ----------
    cls : type
    """
    cdef readonly object cls

    def __init__(self, cls):
        self.cls = cls


cdef class Same:
    """The same object as another attribute.

    Parameters
    ----------
    index : int
        Its position.
    """
    cdef readonly int index

    def __init__(self, index):
        self.index = index


cdef bint matches(object pattern, object argument, list inputs) except -1:
    """Return whether a value matches the recorded one; append inputs to a list."""
    cdef Py_ssize_t i
    cdef VariableBase variable
    cdef object array
    cdef tuple items
    if type(pattern) is InputPattern:
        if isinstance(argument, VariableBase):
            variable = <VariableBase>argument
            if (<InputPattern>pattern).requires_grad != variable._requires_grad or (
                    variable._layout is not None):
                return False
            array = variable.arr
        else:
            if (<InputPattern>pattern).requires_grad != -1:
                return False
            array = argument
        if not (<InputPattern>pattern).fits(array):
            return False
        inputs.append(argument)
        return True
    if type(pattern) is list:
        if not isinstance(argument, (list, tuple)):
            return False
        # Comparisons may run code of the user, which may change a list.
        items = tuple(argument)
        if len(items) != len(<list>pattern):
            return False
        for i in range(len(<list>pattern)):
            if not matches((<list>pattern)[i], items[i], inputs):
                return False
        return True
    if type(pattern) is dict:
        if type(argument) is not dict or len(<dict>argument) != len(<dict>pattern):
            return False
        if len(<dict>pattern) == 0:
            return True
        for (name, value), (name_given, value_given) in zip(
                (<dict>pattern).items(), tuple((<dict>argument).items())):
            if name != name_given or not matches(value, value_given, inputs):
                return False
        return True
    if type(pattern) is Of:
        return type(argument) is (<Of>pattern).cls
    return pattern is argument or (
        type(pattern) is type(argument) and pattern == argument
        and not (isinstance(pattern, _FLOATS) and pattern == 0
                 and repr(pattern) != repr(argument)))


cpdef object value_of(object link, str name):
    """Return an attribute of a link, of its class, or ``MISSING``."""
    cdef PyObject *own = instance_dict(link)
    cdef PyObject *found = NULL
    if own is not NULL:
        found = PyDict_GetItemWithError(<object>own, name)
    if found is not NULL:
        return <object>found
    return getattr(type(link), name, MISSING)


cdef class Slots:
    """Attributes of links that calls set.

    Parameters
    ----------
    places : list of (weakref.ref, str)
        Links, and names of their attributes.
    patterns : list
        Patterns that their values must match.
    used : list of bool
        Whether functions read them, so that they are inputs.
    """

    def __init__(self, list places, list patterns, list used):
        self.places, self.patterns, self.used = places, patterns, used

    cdef bint fit(self, list inputs) except -1:
        """Return whether all match the recorded ones; append those that are inputs."""
        cdef Py_ssize_t i
        cdef list values = [], others = []
        for i in range(len(self.places)):
            link, name = <tuple>self.places[i]
            value = value_of(referent(link), name)
            values.append(value)
            pattern = self.patterns[i]
            if pattern is ANY:
                continue
            if type(pattern) is Same:
                if value is not values[(<Same>pattern).index]:
                    return False
            elif not matches(pattern, value, inputs if self.used[i] else others):
                return False
        return True

    def fit_now(self):
        """Return whether all match the recorded ones."""
        return self.fit([])

    def set(self, values):
        """Set the attributes, or delete those that must be missing."""
        for (link, name), value in zip(self.places, values):
            own = vars(referent(link))
            if value is not MISSING:
                own[name] = value
            elif name in own:
                del own[name]

    def get(self):
        """Return the attributes, ``MISSING`` for those that only the class may have."""
        return [vars(referent(link)).get(name, MISSING) for link, name in self.places]


cdef class Guard:
    """The recorded attributes of links.

    Parameters
    ----------
    links : list of weakref.ref
    ignored : frozenset of str
        Attributes that may change.
    slots : list of (weakref.ref, str), optional
        Further attributes, each of one link.
    """

    def __init__(self, links, frozenset ignored, slots=()):
        self.links = []
        for link in links:
            free = ignored.union([name for other, name in slots if other is link])
            own = {name: value for name, value in vars(link()).items()
                   if name not in free}
            self.links.append((link, tuple(own), tuple(own.values()),
                               tuple(map(_length, own.values())), free))

    cpdef bint holds(self) except -1:
        """Return whether all of them are the same objects."""
        cdef PyObject *own
        cdef PyObject *name
        cdef PyObject *value
        cdef Py_ssize_t at, i, n
        cdef tuple each, names, values, lengths
        cdef frozenset ignored
        for each in self.links:
            link = referent(each[0])
            names = <tuple>each[1]
            values = <tuple>each[2]
            lengths = <tuple>each[3]
            ignored = <frozenset>each[4]
            own = instance_dict(link)
            if own is NULL:
                return False
            at = i = 0
            n = len(values)
            while PyDict_Next(<object>own, &at, &name, &value):
                if i < n and name is <PyObject *>names[i]:
                    # A reference is held from here on: lengths and hashes may run code
                    # of the user.
                    if value is not <PyObject *>values[i] or (
                            lengths[i] is not None and len(values[i]) != lengths[i]):
                        return False
                    i += 1
                    continue
                other = <object>name
                if other not in ignored:
                    return False
            if i != n:
                return False
        return True


cdef object _length(value):
    return len(value) if isinstance(value, (list, dict, set)) else None
