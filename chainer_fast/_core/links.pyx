"""What calls of links, assignments to them and walks over parameters go through.

A model calls hundreds of links in an iteration and asks for its parameters several
times.  Parameters are collected in one go; the other walks are lazy, so that a loop
over links can change what lies further down.
"""
cimport cython
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject, PyObject_GenericSetAttr

from chainer_fast._core.graph cimport VariableBase, cf_instance_dict
from chainer_fast._core.state cimport current

cdef extern from *:
    """
    #define cf_type_lookup(o, name) _PyType_Lookup(Py_TYPE(o), name)
    #define cf_type(o) ((PyObject *)Py_TYPE(o))
    #define cf_version(cls) (((PyTypeObject *)(cls))->tp_version_tag)
    #define cf_generic_delattr(o, name) PyObject_GenericSetAttr(o, name, NULL)
    /* Past the metaclass, which has an opinion of its own about instances. */
    #define cf_derives(o, cls) PyObject_TypeCheck(o, (PyTypeObject *)(cls))
    /* Let object.__new__ make instances; only for a class without fields. */
    #define cf_made_as_objects(cls) \\
        ((PyTypeObject *)(cls))->tp_new = PyBaseObject_Type.tp_new
    #define CF_FEW_ARGUMENTS 6

    /* self.<name>(*args, **kwargs), without a bound method in the common case. */
    static PyObject *cf_call_method(
            PyObject *self, PyObject *name, PyObject *args, PyObject *kwargs) {
        PyObject *stack[CF_FEW_ARGUMENTS + 2], *method, *result;
        Py_ssize_t i, n = PyTuple_GET_SIZE(args);
        if (n <= CF_FEW_ARGUMENTS && PyDict_GET_SIZE(kwargs) == 0) {
            stack[1] = self;
            for (i = 0; i < n; i++)
                stack[i + 2] = PyTuple_GET_ITEM(args, i);
            return PyObject_VectorcallMethod(
                name, stack + 1, (size_t)(n + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET,
                NULL);
        }
        method = PyObject_GetAttr(self, name);
        if (method == NULL)
            return NULL;
        result = PyObject_Call(method, args, kwargs);
        Py_DECREF(method);
        return result;
    }
    """
    PyObject *cf_type_lookup(object link, object name)
    int PyUnicode_Compare(object a, object b) except? -1
    PyObject *cf_type(object link)
    unsigned int cf_version(PyObject *cls)
    bint cf_derives(object link, object cls)
    int cf_generic_delattr(object link, object name) except -1
    object cf_call_method(object link, object name, tuple args, dict kwargs)
    int Py_GetRecursionLimit()
    void cf_made_as_objects(object cls)


cdef enum:
    FEW = 12          # names that are sorted without a list
    MANY = 1000

cdef enum:            # how a walk goes on from a link
    PLAIN, CHAIN, CHAIN_LIST, OWN_WALK

# Names of attributes, as objects made once.
cdef str _PARAMS = '_params'
cdef str _CHILDREN = '_children'
cdef str _IN_SCOPE = '_within_init_scope'

cdef object _Parameter = None
cdef object _cleargrad = None
cdef object _call_with_hooks = None
cdef object _Chain = None
cdef object _ChainList = None


def bind(*, parameter, chain, chain_list, call_with_hooks):
    """Make the public classes known; called once, at import.

    Parameters
    ----------
    parameter, chain, chain_list : type
    call_with_hooks : callable
        Given a link, what it computes, its arguments and keyword arguments.
    """
    global _Parameter, _cleargrad, _Chain, _ChainList, _call_with_hooks
    _Parameter = parameter
    _cleargrad = parameter.cleargrad
    _Chain = chain
    _ChainList = chain_list
    _call_with_hooks = call_with_hooks


cdef inline bint _is_set(object link, str name) except -1:
    """Whether a flag of the class is True."""
    cdef PyObject *flag = cf_type_lookup(link, name)
    return flag is not NULL and <object>flag is True


cdef int _refuse_uninitialized() except -1:
    raise RuntimeError('Link.__init__() has not been called.')


cdef class InitScope:
    """Context in which assignments to a link register what is assigned."""

    cdef object link
    cdef object outside

    def __init__(self, link):
        self.link = link
        self.outside = False

    def __enter__(self):
        self.outside = self.link._within_init_scope
        self.link.__dict__[_IN_SCOPE] = True

    def __exit__(self, *exc_info):
        self.link.__dict__[_IN_SCOPE] = self.outside


# Functions, not methods of LinkBase: ``object.__setattr__`` refuses objects with
# a compiled method in its place, and programs call it to get around registration.

def assign(self, name, value, /):
    """Set an attribute of a link, and register it inside of ``init_scope``."""
    cdef PyObject *fields = cf_instance_dict(self)
    cdef PyObject *in_scope
    if fields is not NULL:
        in_scope = PyDict_GetItemWithError(<object>fields, _IN_SCOPE)
        if in_scope is not NULL and <object>in_scope is True:
            self._register(name, value)
    if _is_set(self, '_mixin_assigns'):
        super(LinkBase, self).__setattr__(name, value)
    else:
        PyObject_GenericSetAttr(self, name, value)


def delete(self, name, /):
    """Delete an attribute of a link, and forget it as a parameter or child."""
    for kind in (_PARAMS, '_persistent', _CHILDREN):
        names = self.__dict__.get(kind)
        if isinstance(names, set):
            names.discard(name)
    if _is_set(self, '_mixin_assigns'):
        super(LinkBase, self).__delattr__(name)
    else:
        cf_generic_delattr(self, name)


@cython.auto_pickle(False)
cdef class LinkBase:
    """Compiled base of :class:`chainer_fast.Link`, which documents the attributes.

    It has no fields of its own, so that links are copied and pickled as any object,
    and pickles that Chainer wrote can be read.
    """

    def __call__(self, *args, **kwargs):
        cdef PyObject *fields = cf_instance_dict(self)
        cdef PyObject *hooks
        if fields is NULL or PyDict_GetItemWithError(
                <object>fields, _PARAMS) is NULL:
            _refuse_uninitialized()
        hooks = PyDict_GetItemWithError(<object>fields, '_local_link_hooks')
        if ((hooks is NULL or not <object>hooks) and not current().link_hooks
                and not _is_set(self, '_mixin_computes')):
            return cf_call_method(self, 'forward', args, kwargs)
        if self._mixin_computes:
            forward = super(LinkBase, self).__call__
        else:
            forward = self.forward
        return _call_with_hooks(self, forward, args, kwargs)

    def init_scope(self):
        """Register parameters by assignment inside of a ``with`` block.

        A :class:`chainer_fast.Parameter` assigned to an attribute in the block becomes
        a parameter of the link and takes the name of the attribute. On a chain, an
        assigned link becomes a child.
        """
        if _PARAMS not in self.__dict__:
            _refuse_uninitialized()
        return InitScope(self)

    def children(self):
        """Yield the child links."""
        cdef dict fields = _fields(self)
        cdef int kind = _children_kind(self)
        if kind == CHAIN:
            for name in _sorted(_names(self, fields, _CHILDREN)):
                yield fields[name]
        elif kind == CHAIN_LIST:
            yield from _names(self, fields, _CHILDREN)

    def links(self, skipself=False):
        """Yield the links of the hierarchy: this one, then those below it.

        Parameters
        ----------
        skipself : bool
            Leave this link out.
        """
        cdef Walk walk = Walk()
        if not skipself:
            yield self
        walk.push_children(self)
        while walk.pending:
            link = walk.pop()
            if _has_own(link, 'links', _links):
                yield from link.links()
            else:
                yield link
                walk.push_children(link)

    def namedlinks(self, skipself=False):
        """Yield the links of the hierarchy with their paths, ``'/'`` being this one.

        Parameters
        ----------
        skipself : bool
            Leave this link out.
        """
        cdef Walk walk = Walk()
        cdef list paths = []
        if not skipself:
            yield '/', self
        walk.push_children_and_paths(self, '', paths)
        while walk.pending:
            path = paths.pop()
            link = walk.pop()
            yield path, link
            if _has_own(link, 'namedlinks', _namedlinks):
                for below, link in link.namedlinks(True):
                    yield path + below, link
            else:
                walk.push_children_and_paths(link, path, paths)

    def params(self, include_uninit=True):
        """Yield the parameters of the hierarchy, those of a link sorted by name.

        Parameters
        ----------
        include_uninit : bool
            Also those that are not initialized.
        """
        return ParamIterator(self, include_uninit)

    def namedparams(self, include_uninit=True):
        """Yield the parameters of the hierarchy with their paths.

        Parameters
        ----------
        include_uninit : bool
            Also those that are not initialized.
        """
        cdef Walk walk = Walk()
        cdef list paths = []
        cdef dict fields
        cdef object link = self
        cdef object path = ''
        cdef bint all_of_them = include_uninit
        while True:
            fields = _fields(link)
            for name in _sorted(_names(link, fields, _PARAMS)):
                param = fields[name]
                if all_of_them or param.is_initialized:
                    yield path + '/' + name, param
            walk.push_children_and_paths(link, path, paths)
            while True:
                if not walk.pending:
                    return
                path = paths.pop()
                link = walk.pop()
                if not _has_own(link, 'namedparams', _namedparams):
                    break
                for below, param in link.namedparams(include_uninit):
                    yield path + below, param

    def cleargrads(self):
        """Clear the gradients of all parameters; do so before each backward pass."""
        cdef bint shortcut = _Parameter.cleargrad is _cleargrad
        cdef PyObject *fields
        cdef PyObject *filling
        for param in self.params():
            if not shortcut or type(param) is not _Parameter:
                param.cleargrad()
                continue
            VariableBase.cleargrad(param)
            fields = cf_instance_dict(param)
            if fields is not NULL:
                filling = PyDict_GetItemWithError(<object>fields, '_grad_initializer')
                if filling is not NULL and <object>filling is not None:
                    (<object>fields)['_grad_initializer'] = None


cf_made_as_objects(LinkBase)
_links = LinkBase.links
_namedlinks = LinkBase.namedlinks
_params = LinkBase.params
_namedparams = LinkBase.namedparams


# -- all parameters at once

cdef class ParamIterator:
    """Iterator over the parameters of a link, which it looks up at its first step."""

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
    """Append the parameters of a link, asking the link if it has a walk of its own."""
    cdef int kind = _kind_of(link)
    if kind == OWN_WALK:
        found.extend(link.params(include_uninit))
    else:
        _collect(link, kind, include_uninit, found, depth)
    return 0


# Kinds of the classes met last. A class that changes gets another version.
cdef struct Known:
    PyObject *cls
    unsigned int version
    int kind

cdef Known[16] _known


cdef int _kind_of(object link) except -1:
    """Tell how to go on from a link to those below it."""
    cdef PyObject *cls = cf_type(link)
    cdef Known *known = &_known[(<size_t>cls >> 5) % 16]
    if known.cls is cls and known.version and known.version == cf_version(cls):
        return known.kind
    if _has_own(link, 'params', _params):
        known.kind = OWN_WALK
    else:
        known.kind = _children_kind(link)
    known.cls = cls
    known.version = cf_version(cls)
    return known.kind


cdef int _children_kind(object link) except -1:
    if cf_derives(link, _Chain):
        return CHAIN
    return CHAIN_LIST if cf_derives(link, _ChainList) else PLAIN


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
    """Refuse to go on below a link without end, if a link contains itself."""
    if depth >= Py_GetRecursionLimit():
        raise RecursionError(
            'links are nested more than %d deep; perhaps %r contains itself'
            % (depth, link))
    return 0


cdef Py_ssize_t _sort_few(object names, PyObject **out) except -1:
    """Write a few names, sorted and borrowed, into an array; or else return MANY."""
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


# -- links, and those that a walk has still to go to

cdef dict _fields(object link):
    """Return the dictionary of a link."""
    cdef PyObject *fields = cf_instance_dict(link)
    return link.__dict__ if fields is NULL else <dict>fields


cdef object _names(object link, dict fields, str kind):
    """Return the names of parameters or children, or the list of children."""
    cdef PyObject *names = PyDict_GetItemWithError(fields, kind)
    # Of a link that is not initialized, say so as any object does.
    return getattr(link, kind) if names is NULL else <object>names


cdef list _sorted(names):
    cdef list result = list(names)
    if len(result) > 1:
        result.sort()
    return result


cdef bint _has_own(object link, str name, object method) except -1:
    """Whether a link has another method in place of one of this module."""
    return cf_type_lookup(link, name) is not <PyObject *>method


cdef class Walk:
    """Stack of the links that a walk has still to go to.

    There are links in it, or names in the dictionary that stands at the same place of
    another stack.
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
        """Let the walk go to the children of a link next; return their number."""
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
        """Let the walk go to the children of a link next, and note their paths."""
        cdef Py_ssize_t i, n = self.push_children(link)
        for i in range(len(self.pending) - n, len(self.pending)):
            name = (self.pending[i] if self.owners[i] is not None
                    else str(len(self.pending) - 1 - i))
            paths.append(prefix + '/' + name)
        return 0
