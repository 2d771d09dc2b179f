# Walks through hierarchies of links, part of links.pyx.

# -- all parameters at once

cdef class ParamIterator:
    """Iterator over the parameters of a link, which are looked up at the first step."""

    cdef object link
    cdef bint include_uninit
    cdef object found

    def __init__(self, link, bint include_uninit):
        self.link = link
        self.include_uninit = include_uninit

    def __iter__(self):
        cdef list found
        if self.found is None:
            found = []
            _collect(
                self.link, _children_kind(self.link), self.include_uninit, found, 0)
            self.found = iter(found)
        return self.found

    def __next__(self):
        return next(self.__iter__())


cdef int _collect_below(
        object link, bint include_uninit, list found, int depth) except -1:
    """Append the parameters of a link; a link with its own ``params`` is asked."""
    cdef int kind = _kind_of(link)
    if kind == OWN_WALK:
        found.extend(link.params(include_uninit))
    else:
        _collect(link, kind, include_uninit, found, depth)
    return 0


# Kinds of the classes met last. A class that changes gets another version.
cdef struct Known:
    PyTypeObject *cls
    unsigned int version
    int kind

cdef Known[16] _known


cdef int _kind_of(object link) except -1:
    """Tell how a walk reaches the links below a link."""
    cdef PyTypeObject *cls = Py_TYPE(link)
    cdef Known *known = &_known[(<size_t>cls >> 5) % 16]
    if known.cls is cls and known.version and known.version == type_version(cls):
        return known.kind
    if _has_own(link, 'params', _params):
        known.kind = OWN_WALK
    else:
        known.kind = _children_kind(link)
    known.cls = cls
    known.version = type_version(cls)
    return known.kind


cdef int _children_kind(object link) except -1:
    # Bypasses the metaclass, which overrides ``isinstance``.
    if PyObject_TypeCheck(link, <PyTypeObject *>_Chain):
        return CHAIN
    return CHAIN_LIST if PyObject_TypeCheck(
        link, <PyTypeObject *>_ChainList) else PLAIN


cdef int _collect(
        object link, int kind, bint include_uninit, list found, int depth) except -1:
    """Append the parameters of a link and those below it."""
    cdef dict fields = _fields(link)
    cdef PyObject *names[FEW]
    cdef Py_ssize_t i, n
    cdef list children
    n = _sort_few(_names(link, fields, _PARAMS), names)
    if n != MANY and not include_uninit:
        for i in range(n):
            if type(fields[<object>names[i]]) is not _Parameter:
                n = MANY
                break
    if n == MANY:
        for name in _sorted(_names(link, fields, _PARAMS)):
            param = fields[name]
            if include_uninit or param.is_initialized:
                found.append(param)
    else:
        # Nothing in here runs Python code, which might take a name away.
        for i in range(n):
            param = fields[<object>names[i]]
            if include_uninit or (<VariableBase>param).arr is not None:
                found.append(param)
    if kind == CHAIN:
        n = _sort_few(_names(link, fields, _CHILDREN), names)
        if n == MANY:
            children = [
                fields[name] for name in _sorted(_names(link, fields, _CHILDREN))]
        else:
            children = [fields[<object>names[i]] for i in range(n)]
    elif kind == CHAIN_LIST:
        children = _names(link, fields, _CHILDREN)
    else:
        return 0
    _check_depth(link, depth)
    for child in children:
        _collect_below(child, include_uninit, found, depth + 1)
    return 0


cdef int _check_depth(object link, Py_ssize_t depth) except -1:
    """Refuse to recurse without end when a link contains itself."""
    if depth >= Py_GetRecursionLimit():
        raise RecursionError(
            'links are nested more than %d deep; perhaps %r contains itself'
            % (depth, link))
    return 0


cdef Py_ssize_t _sort_few(object names, PyObject **out) except -1:
    """Write borrowed names into an array, sorted; return MANY if they do not fit."""
    cdef Py_ssize_t i, n = 0
    if type(names) is not set or len(<set>names) > FEW:
        return MANY
    for name in <set>names:
        if type(name) is not str:
            return MANY
        i = n
        while i > 0 and PyUnicode_Compare(<object>out[i - 1], name) > 0:
            out[i] = out[i - 1]
            i -= 1
        out[i] = <PyObject *>name
        n += 1
    return n


# -- links, and those that a walk has yet to visit

cdef dict _fields(object link):
    """Return the dictionary of a link."""
    cdef PyObject *fields = instance_dict(link)
    return link.__dict__ if fields is NULL else <dict>fields


cdef object _names(object link, dict fields, str kind):
    """Return the names of parameters or children, or the list of children."""
    cdef PyObject *names = PyDict_GetItemWithError(fields, kind)
    # A link that is not initialized raises AttributeError as any object does.
    return getattr(link, kind) if names is NULL else <object>names


cdef list _sorted(names):
    cdef list result = list(names)
    if len(result) > 1:
        result.sort()
    return result


cdef bint _has_own(object link, str name, object method) except -1:
    """Tell whether a link overrides a method of this module."""
    return not class_attribute_is(link, name, <PyObject *>method)


cdef class Walk:
    """Stack of the links that a walk has yet to visit.

    An entry is a link, or a name in the dictionary at the same place of another stack.
    """

    cdef list pending
    cdef list owners
    cdef list depths
    cdef Py_ssize_t depth    # of the link popped last

    def __cinit__(self):
        self.pending = []
        self.owners = []
        self.depths = []

    cdef object pop(self):
        owner = self.owners.pop()
        link = self.pending.pop()
        self.depth = self.depths.pop()
        return link if owner is None else (<dict>owner)[link]

    cdef Py_ssize_t push_children(self, object link) except -1:
        """Push the children of a link, to be visited next; return their number."""
        cdef list children
        cdef dict fields
        cdef Py_ssize_t i
        cdef int kind = _children_kind(link)
        if kind == PLAIN:
            return 0
        fields = _fields(link)
        if kind == CHAIN:
            children = _sorted(_names(link, fields, _CHILDREN))
        else:
            children = _names(link, fields, _CHILDREN)
            fields = None
        _check_depth(link, self.depth)
        for i in range(len(children) - 1, -1, -1):
            self.pending.append(children[i])
            self.owners.append(fields)
            self.depths.append(self.depth + 1)
        return len(children)

    cdef int push_children_and_paths(
            self, object link, object prefix, list paths) except -1:
        """Push the children of a link, to be visited next, and note their paths."""
        cdef Py_ssize_t i, n = self.push_children(link)
        for i in range(len(self.pending) - n, len(self.pending)):
            name = (self.pending[i] if self.owners[i] is not None
                    else str(len(self.pending) - 1 - i))
            paths.append(prefix + '/' + name)
        return 0
