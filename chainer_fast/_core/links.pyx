"""Calls of links, assignments to their attributes, and walks over parameters.

A model calls hundreds of links in an iteration and asks for its parameters several
times.  Parameters are collected in one go; the other walks are lazy, so that a loop
over links may change links further down.
"""
cimport cython
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject, PyObject_GenericSetAttr, PyObject_TypeCheck, \
    PyTypeObject
from cpython.ref cimport Py_TYPE

from chainer_fast._core.graph cimport VariableBase
from chainer_fast._core.private cimport class_attribute_is, instance_dict, \
    make_as_objects, type_version
from chainer_fast._core.state cimport current

cdef extern from *:
    """
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
    int PyUnicode_Compare(object a, object b) except? -1
    int generic_delattr "PyObject_GenericSetAttr"(
        object link, object name, PyObject *value) except -1
    object cf_call_method(object link, object name, tuple args, dict kwargs)
    int Py_GetRecursionLimit()
    PyObject *Py_True


cdef enum:
    FEW = 12          # names that are sorted without a list
    MANY = 1000

cdef enum:            # how a walk reaches the links below a link
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
        Called with a link, its method, and the arguments and keyword arguments.
    """
    global _Parameter, _cleargrad, _Chain, _ChainList, _call_with_hooks
    _Parameter = parameter
    _cleargrad = parameter.cleargrad
    _Chain = chain
    _ChainList = chain_list
    _call_with_hooks = call_with_hooks


cdef inline bint _is_set(object link, str name) except -1:
    """Tell whether a flag of the class is True."""
    return class_attribute_is(link, name, Py_True)


cdef int _refuse_uninitialized() except -1:
    raise RuntimeError('Link.__init__() has not been called.')


cdef class InitScope:
    """Context in which values assigned to attributes of a link are registered."""

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
    cdef PyObject *fields = instance_dict(self)
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
        generic_delattr(self, name, NULL)


@cython.auto_pickle(False)
cdef class LinkBase:
    """Compiled base of :class:`chainer_fast.Link`, which documents the attributes.

    It has no fields of its own, so that links are copied and pickled as any object,
    and pickles that Chainer wrote can be read.
    """

    def __call__(self, *args, **kwargs):
        cdef PyObject *fields = instance_dict(self)
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
            fields = instance_dict(param)
            if fields is not NULL:
                filling = PyDict_GetItemWithError(<object>fields, '_grad_initializer')
                if filling is not NULL and <object>filling is not None:
                    (<object>fields)['_grad_initializer'] = None


make_as_objects(LinkBase)
_links = LinkBase.links
_namedlinks = LinkBase.namedlinks
_params = LinkBase.params
_namedparams = LinkBase.namedparams


include "_walks.pxi"
