"""The loop over the parameters of an update, in compiled passes where that can be.

The compiled form of a class of update rules is its *recipe*.  It serves the plain case:
NumPy arrays of float32 or float64 that lie in memory in the same order, and
hyperparameters that are plain numbers.  Everything else is left to the rule itself.

:func:`update_params` spares a plain rule even the calls of Python methods.  A rule is
plain if its class, not a subclass, is registered here, no method of it has been
replaced, and it has no hooks; :func:`step` serves all others one at a time.
"""
cimport numpy as np
from cpython.dict cimport PyDict_GetItemWithError, PyDict_Size
from cpython.long cimport PyLong_AsLong
from cpython.object cimport PyObject
from numpy cimport (
    NPY_ARRAY_ALIGNED, NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_F_CONTIGUOUS,
    NPY_ARRAY_WRITEABLE, NPY_FLOAT32, NPY_FLOAT64, PyArray_CheckExact,
    PyArray_CompareLists, PyArray_DATA, PyArray_DIMS, PyArray_FLAGS,
    PyArray_ISNOTSWAPPED, PyArray_ITEMSIZE, PyArray_NDIM, PyArray_SIZE, PyArray_TYPE)

from chainer_fast._core.floats cimport (
    clear_float_errors, float_errors, report_float_errors)
from chainer_fast._core.graph cimport VariableBase, cf_instance_dict
from chainer_fast._core.update_recipes cimport (
    MAX_ARRAYS, MAX_COEFFICIENTS, MAX_HYPERPARAMS, Recipe, to_double)

np.import_array()

cdef enum:
    RULE_FIELDS = 7          # attributes of an update rule as UpdateRule makes it

# The public classes; a rule or parameter of any other class takes the long way.
cdef type _Parameter = None
cdef type _Hyperparameter = None
cdef type _Hookable = None
cdef object _parameter_update = None
cdef dict _recipes = {}      # class of update rules -> Recipe

# Methods of links that walk through a hierarchy, as plain functions.
cdef object _params = None
cdef object _no_children = None
cdef object _chain_children = None
cdef object _chain_list_children = None

# Methods that must be the ones known at registration for a rule to be plain.
cdef tuple _METHODS = (
    'update', 'update_core', 'update_core_cpu', 'init_state', '_init_states')


def bind(*, parameter, hyperparameter, hookable, link_tree, chain, chain_list):
    """Make the public classes known; called once, at import."""
    global _Parameter, _Hyperparameter, _Hookable, _parameter_update
    global _params, _no_children, _chain_children, _chain_list_children
    _Parameter = parameter
    _Hyperparameter = hyperparameter
    _Hookable = hookable
    _parameter_update = parameter.update
    _params = link_tree.params
    _no_children = link_tree._named_children
    _chain_children = chain._named_children
    _chain_list_children = chain_list._named_children


def register(type rule_class, Recipe recipe):
    """Let :func:`update_params` serve the instances of a class of update rules."""
    recipe.rule_class = rule_class
    recipe.methods = tuple([getattr(rule_class, name) for name in _METHODS])
    _recipes[rule_class] = recipe


cdef bint _is_intact(Recipe recipe) except -1:
    """Whether the class has the methods that it had when it was registered."""
    cdef Py_ssize_t i
    for i in range(len(_METHODS)):
        if getattr(recipe.rule_class, _METHODS[i]) is not recipe.methods[i]:
            return False
    return True


# -- from Python objects to a loop


cdef bint _read_hyperparams(
        object hyperparam, tuple names, double *h) except -1:
    """Look up values in a hyperparameter and its parents; False unless all are plain.
    """
    cdef Py_ssize_t i
    cdef PyObject *level
    cdef PyObject *item
    cdef PyObject *fields
    for i in range(len(names)):
        level = <PyObject *>hyperparam
        while True:
            if type(<object>level) is not _Hyperparameter:
                return False
            fields = cf_instance_dict(<object>level)
            if fields is NULL:
                return False
            item = PyDict_GetItemWithError(<object>fields, names[i])
            if item is not NULL:
                break
            level = PyDict_GetItemWithError(<object>fields, '_parent')
            if level is NULL:
                return False
        if not to_double(<object>item, &h[i]):
            return False
    return True


cdef bint _overlap_partly(const char *a, const char *b, Py_ssize_t nbytes) noexcept:
    return a != b and (a - b if a > b else b - a) < nbytes


cdef bint _run_recipe(
        Recipe recipe, dict fields, object states, object param, object grad,
        const double *h, long t) except -1:
    """Update one parameter; False if the case is not plain and nothing was done."""
    cdef void *a[MAX_ARRAYS]
    cdef double c[MAX_COEFFICIENTS]
    cdef tuple names
    cdef PyObject *item
    cdef object array
    cdef int layout, typenum
    cdef Py_ssize_t i, nbytes, n_states
    if not PyArray_CheckExact(param):
        return False
    typenum = PyArray_TYPE(param)
    if typenum != NPY_FLOAT32 and typenum != NPY_FLOAT64:
        return False
    layout = PyArray_FLAGS(param) & (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS)
    names = recipe.states_for(h)
    n_states = len(names)
    if n_states and type(states) is not dict:
        return False
    nbytes = PyArray_SIZE(param) * PyArray_ITEMSIZE(param)
    for i in range(2, MAX_ARRAYS):
        a[i] = NULL
    for i in range(n_states + 2):
        if i == 0:
            array = param
        elif i == 1:
            array = grad
        else:
            item = PyDict_GetItemWithError(states, names[i - 2])
            if item is NULL:
                return False
            array = <object>item
        if (not PyArray_CheckExact(array)
                or PyArray_TYPE(array) != typenum
                or PyArray_NDIM(array) != PyArray_NDIM(param)
                or not PyArray_CompareLists(
                    PyArray_DIMS(array), PyArray_DIMS(param), PyArray_NDIM(param))
                or not PyArray_ISNOTSWAPPED(array)
                or not PyArray_FLAGS(array) & NPY_ARRAY_ALIGNED
                or not (i == 1 or PyArray_FLAGS(array) & NPY_ARRAY_WRITEABLE)):
            return False
        layout &= PyArray_FLAGS(array)
        a[i] = PyArray_DATA(array)
    if not layout:
        return False        # not contiguous, or not all in the same order
    for i in range(1, n_states + 2):
        if (_overlap_partly(<char *>a[0], <char *>a[i], nbytes)
                or _overlap_partly(<char *>a[1], <char *>a[i], nbytes)):
            return False
    if not recipe.prepare(fields, h, t, typenum, c):
        return False
    recipe.run(typenum, a, PyArray_SIZE(param), c)
    return True


def step(Recipe recipe, rule, param, grad):
    """Update an array in place by the compiled form of a rule.

    Parameters
    ----------
    recipe : Recipe
    rule : UpdateRule
        Its ``hyperparam``, ``state`` and ``t`` are used.
    param, grad : array
        The array to update, and its gradient.

    Returns
    -------
    bool
        False if the case is not plain; then nothing has changed, and the rule has to
        compute the update itself.
    """
    cdef double h[MAX_HYPERPARAMS]
    cdef int flags
    cdef bint done
    cdef object t = rule.t
    if type(t) is not int or not _read_hyperparams(
            rule.hyperparam, recipe.hyperparams, h):
        return False
    clear_float_errors()
    done = _run_recipe(
        recipe, rule.__dict__, rule.state, param, grad, h, PyLong_AsLong(t))
    flags = float_errors()
    if flags and done:
        report_float_errors(flags)
    return done


cdef class _Values:
    """Hyperparameters as the last rule had them; most rules of a link share them."""
    cdef Recipe recipe
    cdef object parent
    cdef double h[MAX_HYPERPARAMS]

    cdef void forget(self):
        self.recipe = None
        self.parent = None

    cdef bint read(self, Recipe recipe, object hyperparam) except -1:
        cdef PyObject *fields
        cdef PyObject *parent = NULL
        if type(hyperparam) is not _Hyperparameter:
            return False
        fields = cf_instance_dict(hyperparam)
        if fields is not NULL and PyDict_Size(<object>fields) == 1:
            parent = PyDict_GetItemWithError(<object>fields, '_parent')
            if (recipe is self.recipe and parent is not NULL
                    and <object>parent is self.parent):
                return True
        if recipe is not self.recipe and not _is_intact(recipe):
            return False
        self.forget()
        if not _read_hyperparams(hyperparam, recipe.hyperparams, self.h):
            return False
        if parent is not NULL:
            self.recipe = recipe
            self.parent = <object>parent
        return True


cdef bint _has_no_hooks(object hookable) except -1:
    cdef PyObject *fields
    cdef PyObject *pre
    cdef PyObject *post
    if type(hookable) is not _Hookable:
        return False
    fields = cf_instance_dict(hookable)
    if fields is NULL:
        return False
    pre = PyDict_GetItemWithError(<object>fields, '_pre_update_hooks')
    post = PyDict_GetItemWithError(<object>fields, '_post_update_hooks')
    return (pre is not NULL and post is not NULL
            and not <object>pre and not <object>post)


cdef bint _update_plainly(object param, _Values values) except -1:
    """Update a parameter whose rule is plain; False if nothing was done."""
    cdef VariableBase variable
    cdef PyObject *item
    cdef PyObject *fields_ptr
    cdef PyObject *states
    cdef PyObject *hyperparam
    cdef PyObject *count
    cdef dict fields
    cdef Recipe recipe
    cdef long t
    if type(param) is not _Parameter:
        return False
    variable = <VariableBase>param
    if (variable.arr is None or variable.grad_arr is None
            or not variable._grad_valid or variable._loss_scale is not None
            or variable._layout is not None):
        return False
    fields_ptr = cf_instance_dict(param)
    if fields_ptr is NULL:
        return False
    item = PyDict_GetItemWithError(<object>fields_ptr, 'update_rule')
    if item is NULL or (
            PyDict_GetItemWithError(<object>fields_ptr, 'update') is not NULL):
        return False
    rule = <object>item
    item = PyDict_GetItemWithError(_recipes, type(rule))
    if item is NULL:
        return False
    recipe = <Recipe>item
    fields_ptr = cf_instance_dict(rule)
    if fields_ptr is NULL:
        return False
    fields = <dict>fields_ptr
    # With all the known attributes and no others, no method is replaced.
    if PyDict_Size(fields) != RULE_FIELDS + (
            PyDict_GetItemWithError(fields, 'initial_alpha') is not NULL):
        return False
    item = PyDict_GetItemWithError(fields, 'enabled')
    if item is NULL or <object>item is not True:
        return False
    item = PyDict_GetItemWithError(fields, '_hookable')
    if item is NULL or not _has_no_hooks(<object>item):
        return False
    hyperparam = PyDict_GetItemWithError(fields, 'hyperparam')
    states = PyDict_GetItemWithError(fields, '_state')
    count = PyDict_GetItemWithError(fields, 't')
    if (hyperparam is NULL or states is NULL or count is NULL
            or PyDict_GetItemWithError(fields, '_use_fp32_update') is NULL
            or PyDict_GetItemWithError(fields, '_fp32_param') is NULL
            or <object>states is None or type(<object>count) is not int):
        return False
    t = PyLong_AsLong(<object>count) + 1
    if not values.read(recipe, <object>hyperparam):
        return False
    if not _run_recipe(
            recipe, fields, <object>states, variable.arr, variable.grad_arr, values.h,
            t):
        return False
    fields['t'] = t
    return True


def update_params(params):
    """Update parameters by their rules, in order, as ``param.update()`` does."""
    cdef _Values values = _Values.__new__(_Values)
    cdef bint shortcut = _Parameter.update is _parameter_update
    cdef int flags
    clear_float_errors()
    for param in params:
        if shortcut and _update_plainly(param, values):
            continue
        flags = float_errors()
        if flags:
            report_float_errors(flags)
        param.update()
        # The rule, its hooks or its formula may have changed anything.
        values.forget()
        clear_float_errors()
    flags = float_errors()
    if flags:
        report_float_errors(flags)


# -- the parameters of a link


cdef int _collect(object link, bint include_uninit, list params) except -1:
    """Append what ``link.params(include_uninit)`` yields."""
    cdef object attributes, names, param, walk
    cls = type(link)
    if getattr(cls, 'params', None) is not _params:
        if include_uninit:
            params.extend(link.params())
        else:
            params.extend([param for _, param in link.namedparams(False)])
        return 0
    attributes = link.__dict__
    names = attributes.get('_params')
    if names is None:
        params.extend(link.params())        # raises what there is to say
        return 0
    for name in sorted(names):
        param = attributes[name]
        if include_uninit or param.is_initialized:
            params.append(param)
    walk = cls._named_children
    if walk is _no_children:
        pass
    elif walk is _chain_children:
        for name in sorted(attributes['_children']):
            _collect(attributes[name], include_uninit, params)
    elif walk is _chain_list_children:
        for child in attributes['_children']:
            _collect(child, include_uninit, params)
    else:
        for _, child in link._named_children():
            _collect(child, include_uninit, params)
    return 0


def params_of(link, bint include_uninit=True):
    """Return the list of what ``link.params(include_uninit)`` yields.

    A link whose class has a method ``params`` of its own is asked through it.
    """
    cdef list params = []
    _collect(link, include_uninit, params)
    return params


def has_cleared_grad(params):
    """Whether the gradient of any of the parameters is None."""
    for param in params:
        if isinstance(param, VariableBase) and (<VariableBase>param)._grad_valid:
            if (<VariableBase>param).grad_arr is None:
                return True
        elif param.grad is None:
            return True
    return False
