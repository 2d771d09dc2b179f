"""Calls of links, assignments to their attributes, and their parameters.

A model calls hundreds of links in an iteration and asks for its parameters several
times.
"""
cimport cython
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject, PyObject_GenericSetAttr, PyObject_TypeCheck, \
    PyTypeObject

from chainer_fast._core.arrays.private cimport (
    class_attribute_is, instance_dict, make_as_objects)
from chainer_fast._core.configuration.state cimport current
from chainer_fast._core.graphs.graph cimport VariableBase, clear_grad

cdef extern from *:
    int PyUnicode_Compare(object a, object b) except? -1
    int Py_GetRecursionLimit()
    PyObject *Py_True


cdef extern from *:
    """
    /* Pass the result of a call on. After a failure, let the exception be noted first.
       A try statement would cost every call, and tracebacks would show it as well. */
    static PyObject *cf_noted(
            PyObject *result, PyObject *link, PyObject *args,
            void (*note)(PyObject *, PyObject *, PyObject *)) {
        if (result == NULL && PyErr_ExceptionMatches(PyExc_Exception)) {
            PyObject *type, *error, *trace;
            PyErr_Fetch(&type, &error, &trace);
            PyErr_NormalizeException(&type, &error, &trace);
            note(link, error, args);
            PyErr_Restore(type, error, trace);
        }
        return result;
    }
    """
    object noted "cf_noted"(
        PyObject *result, object link, object args,
        void (*note)(object, object, object) noexcept)
    # These leave the exception to the one above.
    PyObject *call "PyObject_Call"(object function, object args, object kwargs) noexcept
    PyObject *call_method "PyObject_CallMethodOneArg"(
        object self, object name, object arg) noexcept


cdef enum:
    FEW = 12          # names that are sorted without a list

# Names of attributes, as objects made once.
cdef str _PARAMS = '_params'
cdef str _CHILDREN = '_children'
cdef str _IN_SCOPE = '_within_init_scope'

cdef object _Parameter = None
cdef object _cleargrad = None
cdef object _call_with_hooks = None
cdef object _ChainList = None
cdef object _note_place = None


def bind(*, parameter, chain_list, call_with_hooks, note_place):
    """Make the public classes known; called once, at import.

    Parameters
    ----------
    parameter, chain_list : type
    call_with_hooks : callable
        Called with a link, its method, and the arguments and keyword arguments.
    note_place : callable
        Called with a link, the exception that its call raises, and the arguments.
    """
    global _Parameter, _cleargrad, _ChainList, _call_with_hooks, _note_place
    _Parameter = parameter
    _cleargrad = parameter.cleargrad
    _ChainList = chain_list
    _call_with_hooks = call_with_hooks
    _note_place = note_place


# A function, not a method of LinkBase: ``object.__setattr__`` refuses objects with
# a compiled method in its place, and programs call it to get around registration.

@cython.binding(True)
def assign(self, name, value, /):
    """Set an attribute of a link, and register it inside of ``init_scope``."""
    cdef PyObject *fields = instance_dict(self)
    cdef PyObject *in_scope
    if fields is not NULL:
        in_scope = PyDict_GetItemWithError(<object>fields, _IN_SCOPE)
        if in_scope is not NULL and <object>in_scope is True:
            self._register(name, value)
    if class_attribute_is(self, '_mixin_assigns', Py_True):
        super(LinkBase, self).__setattr__(name, value)
    else:
        PyObject_GenericSetAttr(self, name, value)


cdef void _note(object link, object error, object args) noexcept:
    try:
        _note_place(link, error, args)
    except Exception:
        pass    # the exception itself is what matters


cdef class LinkBase:
    """Compiled base of :class:`chainer_fast.Link`, which documents the attributes.

    It adds no fields, so that links are copied and pickled like any object, and
    pickles that Chainer wrote can be read.
    """

    def __call__(self, *args, **kwargs):
        cdef PyObject *fields = instance_dict(self)
        cdef PyObject *hooks
        if fields is NULL or PyDict_GetItemWithError(
                <object>fields, _PARAMS) is NULL:
            raise RuntimeError('Link.__init__() has not been called.')
        hooks = PyDict_GetItemWithError(<object>fields, '_local_link_hooks')
        if ((hooks is NULL or not <object>hooks) and not current().link_hooks
                and not class_attribute_is(self, '_mixin_computes', Py_True)):
            if len(args) == 1 and not kwargs:
                return noted(call_method(self, 'forward', args[0]), self, args, _note)
            return noted(call(self.forward, args, kwargs), self, args, _note)
        if self._mixin_computes:
            # None means no method, as it does where Python looks for others.
            forward = super(LinkBase, self).__call__
            if forward is None:
                forward = self.forward
        else:
            forward = self.forward
        return noted(
            call(_call_with_hooks, (self, forward, args, kwargs), {}), self, args,
            _note)

    def params(self, include_uninit=True):
        """Yield the parameters of the hierarchy, those of a link sorted by name.

        Parameters
        ----------
        include_uninit : bool
            Also those that are not initialized.
        """
        return ParamIterator(self, include_uninit)

    def cleargrads(self):
        """Clear the gradients of all parameters; do so before each backward pass."""
        cdef bint shortcut = _Parameter.cleargrad is _cleargrad
        cdef PyObject *fields
        cdef PyObject *filling
        for param in self.params():
            if not shortcut or type(param) is not _Parameter:
                param.cleargrad()
                continue
            clear_grad(<VariableBase>param)
            fields = instance_dict(param)
            if fields is not NULL:
                filling = PyDict_GetItemWithError(<object>fields, '_grad_initializer')
                if filling is not NULL and <object>filling is not None:
                    (<object>fields)['_grad_initializer'] = None


make_as_objects(LinkBase)
_params = LinkBase.params


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
            _collect(self.link, self.include_uninit, found, 0)
            self.found = iter(found)
        return self.found

    def __next__(self):
        return next(self.__iter__())


cdef int _collect(object link, bint include_uninit, list found, int depth) except -1:
    """Append the parameters of a link and those below it."""
    cdef dict fields = _fields(link)
    cdef Py_ssize_t i, begin = len(found)
    cdef list children
    _append_sorted(found, fields, _names(link, fields, _PARAMS))
    if not include_uninit:
        for i in range(len(found) - 1, begin - 1, -1):
            if not _is_initialized(found[i]):
                del found[i]
    if not class_attribute_is(link, '_has_children', Py_True):
        return 0
    # Bypasses the metaclass, which overrides ``isinstance``.
    if PyObject_TypeCheck(link, <PyTypeObject *>_ChainList):
        children = _names(link, fields, _CHILDREN)
    else:
        children = []
        _append_sorted(children, fields, _names(link, fields, _CHILDREN))
    if depth >= Py_GetRecursionLimit():
        raise RecursionError(
            'links are nested more than %d deep; perhaps %r contains itself'
            % (depth, link))
    for child in children:
        if class_attribute_is(child, 'params', <PyObject *>_params):
            _collect(child, include_uninit, found, depth + 1)
        else:
            found.extend(child.params(include_uninit))
    return 0


cdef inline bint _is_initialized(object param) except -1:
    if type(param) is _Parameter:
        return (<VariableBase>param).arr is not None
    return param.is_initialized


cdef inline dict _fields(object link):
    """Return the dictionary of a link."""
    cdef PyObject *fields = instance_dict(link)
    return link.__dict__ if fields is NULL else <dict>fields


cdef inline object _names(object link, dict fields, str kind):
    """Return the names of parameters or children, or the list of children."""
    cdef PyObject *names = PyDict_GetItemWithError(fields, kind)
    # A link that is not initialized raises AttributeError as any object does.
    return getattr(link, kind) if names is NULL else <object>names


cdef inline int _append_sorted(list values, dict fields, object names) except -1:
    """Append values to a list, in the order of their names."""
    cdef PyObject *few[FEW]
    cdef Py_ssize_t i, n = 0
    if type(names) is not set or len(<set>names) > FEW:
        values.extend([fields[name] for name in sorted(names)])
        return 0
    # Nothing in here runs Python code, which might take a name away.
    for name in <set>names:
        i = n
        while i > 0 and PyUnicode_Compare(<object>few[i - 1], name) > 0:
            few[i] = few[i - 1]
            i -= 1
        few[i] = <PyObject *>name
        n += 1
    for i in range(n):
        values.append(fields[<object>few[i]])
    return 0
