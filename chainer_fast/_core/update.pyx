"""The loop over the parameters of an update, in compiled passes where possible.

The compiled form of a class of update rules is its *recipe*.  It serves the plain case:
NumPy arrays of one type of floats, and hyperparameters that are plain numbers.
Everything else is left to the rule itself.

:func:`update_params` spares a plain rule even the calls of Python methods.  A rule is
plain if its class, not a subclass, is registered here, no method of it has been
replaced, and its hooks, if any, are ones that have a compiled form as well;
:func:`step` serves all others one at a time.
"""
cimport cython
cimport numpy as np
from cpython.dict cimport PyDict_Check, PyDict_GetItemWithError, PyDict_Next
from cpython.long cimport PyLong_AsLong
from cpython.object cimport PyObject
from libc.math cimport isfinite
from libc.string cimport memset
from numpy cimport NPY_ARRAY_C_CONTIGUOUS

from chainer_fast._core.device_arrays cimport Changes, arrays_of_update
from chainer_fast._core.entries cimport entry_of
from chainer_fast._core.floats cimport QUOTIENT, clear_float_errors
from chainer_fast._core.gradients cimport (
    has_gradient, plain_of, prepare_hook, prepare_unscale, recipe_of_hook, report)
from chainer_fast._core.gradients import call_hook
from chainer_fast._core.graph cimport VariableBase
from chainer_fast._core.launches cimport kind_on_device
from chainer_fast._core.methods cimport Methods
from chainer_fast._core.operands cimport (
    Operands, gather, kind_of_array, lie_alike, run, run_in_floats)
from chainer_fast._core.private cimport instance_dict
from chainer_fast._core.recipe cimport (
    HALF, IS_LEFT, MAX_COEFFICIENTS, MAX_HYPERPARAMS, SINGLE, HookRecipe, Recipe, Step,
    fits, to_double)
from chainer_fast._core.rows cimport RowGradient, dense, has_shape_of, run_on_rows
from chainer_fast._core.state cimport current

np.import_array()

cdef extern from *:
    # A look at the field, where PyDict_Size is a call.
    Py_ssize_t PyDict_GET_SIZE(object mapping)

cdef enum:
    # Attributes of an update rule, in the order of UpdateRule._fields.
    HYPERPARAM, ENABLED, COUNT, HOOKABLE, STATE, USE_FP32, TWIN, N_FIELDS
    # The division by the loss scale, hooks, and the rule itself.
    MAX_STEPS = 6

# Makes a context in which hooks see gradients without loss scale.
cdef object _unscaled = None

# The public classes; a rule or parameter of any other class takes the long way.
cdef type _Parameter = None
cdef type _Hyperparameter = None
cdef type _Hookable = None
cdef object _parameter_update = None
cdef dict _recipes = {}      # class of update rules -> Recipe

# The names of their attributes, which the classes themselves declare.
cdef tuple _fields = None
cdef str _parent_field = None
cdef str _pre_hooks_field = None
cdef str _post_hooks_field = None


def bind(*, parameter, rule, hyperparameter, hookable, unscaled):
    """Make the public classes known; called once, at import.

    All but the first have a tuple ``_fields``: the names of the attributes that their
    instances are made with, in order. Dictionaries of instances are read by them.
    ``unscaled`` takes a list of parameters, and returns a context in which hooks of
    the optimizer see their gradients without loss scale.
    """
    global _Parameter, _Hyperparameter, _Hookable, _parameter_update, _unscaled
    global _fields, _parent_field, _pre_hooks_field, _post_hooks_field
    if len(rule._fields) != N_FIELDS:
        raise ValueError(
            'expected %d names in %s._fields, not %s: adapt the list of attributes in '
            '_core/update.pyx' % (N_FIELDS, rule.__name__, rule._fields))
    _Parameter = parameter
    _Hyperparameter = hyperparameter
    _Hookable = hookable
    _unscaled = unscaled
    _parameter_update = parameter.update
    _fields = rule._fields
    _parent_field, = hyperparameter._fields
    _pre_hooks_field, _post_hooks_field = hookable._fields


def register(type rule_class, Recipe recipe):
    """Let :func:`update_params` serve the instances of a class of update rules.

    The class has a tuple ``_served_methods``: the names of the methods that a recipe
    replaces. A rule is plain only as long as none of them is replaced.
    """
    recipe.methods = Methods(rule_class, rule_class._served_methods)
    _recipes[rule_class] = recipe


# -- from Python objects to a loop


cdef PyObject *_lookup(object hyperparam, str name) except? NULL:
    """Find a value in a hyperparameter or its parents; NULL unless they are plain."""
    cdef PyObject *level = <PyObject *>hyperparam
    cdef PyObject *item
    cdef PyObject *fields
    while True:
        if type(<object>level) is not _Hyperparameter:
            return NULL
        fields = instance_dict(<object>level)
        if fields is NULL:
            return NULL
        item = entry_of(<object>fields, name)
        if item is not NULL:
            return item
        level = entry_of(<object>fields, _parent_field)
        if level is NULL:
            return NULL


cdef bint _read_hyperparams(object hyperparam, tuple names, double *h) except -1:
    """Look up values as plain numbers; False if any is not a plain, finite number.

    NumPy tells which of the rule's operations are invalid with others.
    """
    cdef PyObject *item
    cdef Py_ssize_t i
    for i in range(len(names)):
        item = _lookup(hyperparam, names[i])
        if item is NULL or not to_double(<object>item, &h[i]) or not isfinite(h[i]):
            return False
    return True


cdef bint _read_lazy(object hyperparam, bint *lazy) except -1:
    """Read whether rows whose gradient is zero are left alone; False if it is no bool.
    """
    cdef PyObject *item = _lookup(hyperparam, 'lazy')
    lazy[0] = item is not NULL and <object>item is True
    return item is NULL or <object>item is True or <object>item is False


cdef bint _prepare(
        Recipe recipe, dict fields, const double *h, long t, int kind,
        Step *step) except -1:
    """Choose a rule's loop and coefficients; False leaves the case to the rule."""
    memset(step.c, 0, sizeof(double) * MAX_COEFFICIENTS)
    step.loop = recipe.loops_for(h)[kind]
    step.name = recipe.name_for(h)
    step.n_coefficients = recipe.n_coefficients
    return (recipe.prepare(fields, h, t, kind, step.c)
            and fits(step.c, kind))


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
    cdef Operands operands
    cdef Step steps[1]
    cdef object t = rule.t, state = rule.state
    cdef list arrays
    cdef Changes changes
    cdef int kind
    if grad is None or type(t) is not int or not _read_hyperparams(
            rule.hyperparam, recipe.hyperparams, h):
        return False
    kind = kind_on_device(param)
    if kind >= 0:
        changes = Changes.__new__(Changes)
        arrays = arrays_of_update(param, grad, state, recipe.states_for(h))
        if not changes.place(arrays) or not _prepare(
                recipe, rule.__dict__, h, PyLong_AsLong(t), kind, &steps[0]):
            return False
        changes.add(arrays, steps, 1)
        changes.launch()
        recipe.count(rule.__dict__, h)
        return True
    kind = kind_of_array(param)
    if kind < 0 or not _prepare(
            recipe, rule.__dict__, h, PyLong_AsLong(t), kind, &steps[0]):
        return False
    if not gather(&operands, param, grad, state, recipe.states_for(h), False) or (
            operands.kind != kind):
        return False
    clear_float_errors()
    run(&operands, steps, 1)
    recipe.count(rule.__dict__, h)
    report(QUOTIENT)
    return True


cdef class _Values:
    """Values of the last rule: most rules of a link share their hyperparameters.

    No user code runs between two plain rules, so the values stay current.
    """
    cdef Recipe recipe           # None if the values are one rule's own
    cdef object parent
    cdef double h[MAX_HYPERPARAMS]
    cdef bint lazy
    cdef Step step               # of a rule with these values,
    cdef long step_t             # for this count of updates
    cdef int step_kind           # and this kind of arrays; -1 if there is none
    cdef Recipe latest           # of the class of the last rule
    cdef HookRecipe hook_recipe

    cdef void forget(self):
        self.recipe = None
        self.parent = None
        self.step_kind = -1
        self.hook_recipe = None

    cdef bint read(self, Recipe recipe, object hyperparam) except -1:
        cdef PyObject *fields
        cdef PyObject *key
        cdef PyObject *parent = NULL
        cdef Py_ssize_t position = 0
        if type(hyperparam) is not _Hyperparameter:
            return False
        fields = instance_dict(hyperparam)
        if fields is not NULL and PyDict_GET_SIZE(<object>fields) == 1:
            PyDict_Next(<object>fields, &position, &key, &parent)
            if recipe is self.recipe and <object>parent is self.parent:
                return True
            if <object>key != _parent_field:
                return False
        if recipe is not self.recipe and not recipe.methods.unchanged():
            return False
        self.forget()
        if not _read_hyperparams(hyperparam, recipe.hyperparams, self.h) or (
                not _read_lazy(hyperparam, &self.lazy)):
            return False
        if parent is not NULL:
            self.recipe = recipe
            self.parent = <object>parent
        return True

    cdef bint prepare(
            self, Recipe recipe, dict fields, long t, int kind, Step *step) except -1:
        if self.recipe is None or PyDict_GET_SIZE(fields) > N_FIELDS:
            return _prepare(recipe, fields, self.h, t, kind, step)
        if self.step_kind != kind or self.step_t != t:
            self.step_kind = -1
            if not _prepare(recipe, fields, self.h, t, kind, &self.step):
                return False
            self.step_kind = kind
            self.step_t = t
        step[0] = self.step
        return True


cdef bint _read_fields(dict fields, Recipe recipe, PyObject **values) except -1:
    """Read the attributes of a rule; False unless it has exactly the known ones.

    With all the known attributes and no others, no method is replaced.
    """
    cdef PyObject *key
    cdef Py_ssize_t position = 0, size = PyDict_GET_SIZE(fields)
    cdef int i = 0
    if size != N_FIELDS and (
            size != N_FIELDS + 1 or recipe.own_field is None
            or entry_of(fields, recipe.own_field) is NULL):
        return False
    # Usually the attributes are in the order in which they were made.
    while i < N_FIELDS and PyDict_Next(fields, &position, &key, &values[i]):
        if <object>key is not <str>_fields[i]:
            break
        i += 1
    for i in range(i, N_FIELDS):
        values[i] = entry_of(fields, _fields[i])
        if values[i] is NULL:
            return False
    return True


# -- the parameters of a link


cdef PyObject *_pre_hooks(object hookable) except? NULL:
    """Return the dictionary of the hooks before an update; NULL if there are others."""
    cdef PyObject *fields
    cdef PyObject *post
    cdef PyObject *pre
    if type(hookable) is not _Hookable:
        return NULL
    fields = instance_dict(hookable)
    if fields is NULL:
        return NULL
    post = entry_of(<object>fields, _post_hooks_field)
    if post is NULL or not PyDict_Check(<object>post) or PyDict_GET_SIZE(<object>post):
        return NULL
    pre = entry_of(<object>fields, _pre_hooks_field)
    return pre if pre is not NULL and PyDict_Check(<object>pre) else NULL


cdef int _prepare_hooks(
        object hooks, int kind, _Values values, Step *steps, int n) except -2:
    """Append the loops of hooks to ``n`` others; -1 if any is not plain.

    The gradients that they change have no loss scale any more.
    """
    cdef HookRecipe recipe
    for hook in hooks:
        recipe = values.hook_recipe
        if recipe is None or type(hook) is not recipe.methods.cls:
            recipe = values.hook_recipe = recipe_of_hook(hook)
        if recipe is None or recipe.loops is NULL or n == MAX_STEPS - 1:
            return -1
        if not prepare_hook(recipe, hook, None, kind, &steps[n]):
            return -1
        n += 1
    return n


# What :func:`update_params` passes is not None, nor is a variable with a gradient.
@cython.nonecheck(False)
cdef bint _update_plainly(
        object param, list optimizer_hooks, _Values values, Changes changes) except -1:
    """Update a parameter whose rule is plain; False if the rule has to be called.

    An update of arrays on a GPU is only noted. The hooks of the optimizer, for such
    arrays alone, are part of it.
    """
    cdef VariableBase variable
    cdef Operands operands, halves
    cdef Step steps[MAX_STEPS]
    cdef PyObject *field[N_FIELDS]
    cdef PyObject *item
    cdef PyObject *pointer
    cdef PyObject *uses_floats
    cdef dict fields
    cdef object array, half, grad, loss_scale, own, rule, hooks, state, twin
    cdef list arrays
    cdef Recipe recipe
    cdef bint in_floats, on_device, by_rows, changes_grad
    cdef int n = 0, n_hooks = 0, kind
    cdef long t
    if type(param) is not _Parameter:
        return False
    pointer = instance_dict(param)
    if pointer is NULL:
        return False
    # Keys of the user's may run code here, before anything is looked at.
    own = <object>pointer
    item = PyDict_GetItemWithError(own, 'update_rule')
    if item is NULL:
        return False
    rule = <object>item
    if PyDict_GetItemWithError(own, 'update') is not NULL:
        return False
    variable = plain_of(param)
    if not has_gradient(variable):
        return False
    if rule is None:
        return optimizer_hooks is None
    recipe = values.latest
    if recipe is None or type(rule) is not recipe.methods.cls:
        item = PyDict_GetItemWithError(_recipes, type(rule))
        if item is NULL:
            return False
        recipe = values.latest = <Recipe>item
    pointer = instance_dict(rule)
    if pointer is NULL:
        return False
    fields = <dict>pointer
    if not _read_fields(fields, recipe, field):
        return False
    if not values.read(recipe, <object>field[HYPERPARAM]):
        return False
    if <object>field[ENABLED] is False:
        return optimizer_hooks is None
    if (<object>field[ENABLED] is not True or <object>field[STATE] is None
            or type(<object>field[COUNT]) is not int):
        return False

    # Hooks and formulas may run code of the user's, which may take these away.
    state, twin = <object>field[STATE], <object>field[TWIN]
    uses_floats = field[USE_FP32]
    t = PyLong_AsLong(<object>field[COUNT]) + 1
    array = variable.arr
    grad = variable.grad_arr
    loss_scale = variable._loss_scale
    pointer = _pre_hooks(<object>field[HOOKABLE])
    if pointer is NULL:
        return False
    hooks = <object>pointer
    kind = kind_on_device(array)
    on_device = kind >= 0
    if not on_device:
        kind = kind_of_array(array)
    in_floats = kind == HALF and <object>uses_floats is not False
    if in_floats and (
            <object>uses_floats is not True or type(twin) is not _Parameter):
        return False
    by_rows = type(grad) is RowGradient and not (
        on_device or kind == HALF or loss_scale is not None
        or PyDict_GET_SIZE(hooks))
    if values.lazy and not by_rows:
        return False
    if optimizer_hooks is not None and (
            not on_device or in_floats and loss_scale is None):
        return False        # they change halves, as everybody can see
    changes_grad = not in_floats and (
        loss_scale is not None or PyDict_GET_SIZE(hooks) > 0)
    half = array
    if in_floats:
        kind = SINGLE
        array = plain_of(twin).arr
    if kind < 0:
        return False
    if loss_scale is not None:
        if not prepare_unscale(loss_scale, kind, &steps[0]):
            return False
        n = 1
    if optimizer_hooks is not None:
        n = _prepare_hooks(optimizer_hooks, kind, values, steps, n)
        # In floats they change no array.
        n_hooks = 0 if in_floats else n
    if n >= 0 and PyDict_GET_SIZE(hooks):
        n = _prepare_hooks((<dict>hooks).values(), kind, values, steps, n)
    if n < 0 or not values.prepare(recipe, fields, t, kind, &steps[n]):
        return False

    # From here on nothing runs but loops: they trust what is asked of arrays now.
    if by_rows and (
            not has_shape_of(<RowGradient>grad, array)
            or not gather(&operands, array, None, state, recipe.states_for(values.h),
                          False)
            or not operands.order & NPY_ARRAY_C_CONTIGUOUS or operands.kind != kind):
        by_rows = False
        if values.lazy:
            variable.grad_arr = dense(grad)
            return False
    if not by_rows and type(grad) is RowGradient:
        grad = variable.grad_arr = dense(grad)
    if in_floats and not on_device and not gather(
            &halves, half, grad, None, (), False):
        return False
    if on_device:
        arrays = arrays_of_update(array, grad, state, recipe.states_for(values.h))
        if in_floats and arrays is not None:
            arrays.append(half)
        if not changes.place(arrays):
            return False
    elif not by_rows and not gather(
            &operands, array,
            None if in_floats else grad,    # it will stand in a buffer
            state, recipe.states_for(values.h), changes_grad):
        return False
    elif operands.kind != kind or in_floats and not lie_alike(&operands, &halves):
        return False
    if on_device:
        changes.add(arrays, steps, n + 1, n_hooks)
    elif in_floats:
        run_in_floats(&operands, &halves, steps, n + 1)
    elif by_rows:
        run_on_rows(
            &operands, <RowGradient>grad, &steps[0],
            IS_LEFT if values.lazy else recipe.unused(steps[0].c, kind))
    else:
        run(&operands, steps, n + 1)
    if not in_floats:
        variable._loss_scale = None     # that of the halves is kept, as they are
    fields[_fields[COUNT]] = t
    recipe.count(fields, values.h)
    return True


def update_params(list params, list hooks=None):
    """Update parameters by their rules, in order, as ``param.update()`` does.

    Parameters
    ----------
    params : list of Parameter
    hooks : list, optional
        Hooks with a recipe that are to be called before, for each parameter.

    Returns
    -------
    bool
        Whether all rules were plain, so that no user code has run.
    """
    cdef _Values values = _Values.__new__(_Values)
    cdef Changes changes = Changes.__new__(Changes)
    cdef bint shortcut = _Parameter.update is _parameter_update
    cdef bint all_plain = True
    cdef Py_ssize_t i
    values.forget()
    current()       # which sets the number of threads
    clear_float_errors()
    try:
        for i in range(len(params)):
            param = params[i]
            if shortcut and _update_plainly(param, hooks, values, changes):
                continue
            report(QUOTIENT)
            changes.launch()
            if hooks is not None:
                # From here on they are not part of the updates.
                rest = params[i:]
                with _unscaled(rest):
                    for hook in hooks:
                        call_hook(hook, rest)
                hooks = None
                clear_float_errors()
                if shortcut and _update_plainly(param, None, values, changes):
                    continue
            all_plain = False
            param.update()
            # The rule, its hooks or its formula may have changed anything.
            values.forget()
            clear_float_errors()
    finally:
        changes.launch()
    report(QUOTIENT)
    return all_plain
