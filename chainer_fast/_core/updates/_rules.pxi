# The loop over the parameters of an update, in compiled passes where possible. Part of
# update.pyx.
# The compiled form of a class of update rules is its *recipe*. It handles the plain
# case: NumPy arrays of one floating-point type, and hyperparameters that are plain
# numbers. Everything else is left to the rule itself.
# :func:`update_params` avoids even calls of Python methods for a plain rule. A rule is
#     plain if its class, not a subclass, is registered here, no method of it has been
#     replaced, and its hooks, if any, also have compiled forms; :func:`step` handles
#     all others one at a time.

cdef enum:
    # Attributes of an update rule, in the order of UpdateRule._fields.
    HYPERPARAM, ENABLED, COUNT, HOOKABLE, STATE, USE_FP32, TWIN, N_FIELDS
    # The division by the loss scale, hooks, and the rule itself.
    MAX_STEPS = 6
    # The state of a parameter's rule: must be called, disabled, or plain.
    OTHER, AT_REST, PLAIN

cdef dict _recipes = {}      # class of update rules -> Recipe


def register(type rule_class, Recipe recipe):
    """Let :func:`update_params` handle the instances of a class of update rules.

    The class has a tuple ``_served_methods``: the names of the methods that a recipe
    replaces. A rule is plain only as long as none of them is replaced.
    """
    recipe.methods = Methods(rule_class, rule_class._served_methods)
    _recipes[rule_class] = recipe


# -- from Python objects to a loop


cdef PyObject *_own(object instance, str name) except? NULL:
    """Return an attribute of an instance itself, borrowed, or NULL."""
    cdef PyObject *fields = instance_dict(instance)
    if fields is NULL:
        return NULL
    return entry_of(<object>fields, name)


cdef PyObject *_lookup(object hyperparam, str name) except? NULL:
    """Find a value in a hyperparameter or its parents; NULL unless they are plain."""
    cdef PyObject *level = <PyObject *>hyperparam
    cdef PyObject *item
    while level is not NULL and type(<object>level) is _Hyperparameter:
        item = _own(<object>level, name)
        if item is not NULL:
            return item
        level = _own(<object>level, _parent_field)
    return NULL


cdef bint _read_hyperparams(object hyperparam, tuple names, double *h) except -1:
    """Look up values as plain numbers; False if any is not a plain, finite number.

    For other values, NumPy reports which of the rule's operations are invalid.
    """
    cdef PyObject *item
    cdef Py_ssize_t i
    for i in range(len(names)):
        item = _lookup(hyperparam, names[i])
        if item is NULL or not to_double(<object>item, &h[i]) or not isfinite(h[i]):
            return False
    return True


cdef bint _prepare(
        Recipe recipe, dict fields, const double *h, long t, int kind,
        Step *step) except -1:
    """Select a rule's loop and coefficients; False leaves the case to the rule."""
    memset(step.c, 0, sizeof(double) * MAX_COEFFICIENTS)
    step.loop = recipe.loops_for(h)[kind]
    step.name = recipe.name_for(h)
    step.n_coefficients = recipe.n_coefficients
    return (recipe.prepare(fields, h, t, kind, step.c)
            and fits(step.c, kind))


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
    cdef int step_kind           # and this kind of arrays; -1 if unknown
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
        cdef PyObject *lazy
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
        if not _read_hyperparams(hyperparam, recipe.hyperparams, self.h):
            return False
        # Whether rows whose gradient is zero are not changed.
        lazy = _lookup(hyperparam, 'lazy')
        self.lazy = lazy is not NULL and <object>lazy is True
        if lazy is not NULL and not self.lazy and <object>lazy is not False:
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
    # Attributes are usually in the order of their creation.
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
    """Return the dictionary of the hooks before an update; NULL if others exist."""
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


cdef PyObject *_rule_of(object param) except? NULL:
    """Return the rule of a parameter, or None, borrowed; NULL if it is not plain."""
    cdef PyObject *own
    if type(param) is not _Parameter:
        return NULL
    own = instance_dict(param)
    # Keys of the user may run code here, before anything is read.
    if own is NULL or PyDict_GetItemWithError(<object>own, 'update') is not NULL:
        return NULL
    return PyDict_GetItemWithError(<object>own, 'update_rule')


# Arguments of :func:`update_params` are not None, nor is a variable with a gradient.
@cython.final
@cython.nonecheck(False)
cdef class _Update(_Values):
    """Updates of parameters one after the other, each by its plain rule."""
    # Hooks and formulas may run code of the user, which may delete these.
    cdef VariableBase variable
    cdef dict fields             # of the rule
    cdef object array            # of the parameter, or of its float32 copy
    cdef object half             # of the parameter, or None
    cdef object grad
    cdef bint by_rows            # whether only rows of the gradient are read
    cdef object state
    cdef dict hooks
    cdef long t
    cdef int kind                # of the array
    cdef bint on_device
    cdef Step *steps             # on the stack of the caller
    cdef int n                   # of the step of the rule, which is the last one
    cdef int n_hooks             # steps that visibly change the gradient

    cdef bint update(
            self, object param, list optimizer_hooks, Changes changes) except -1:
        """Update a parameter whose rule is plain; False if the rule must be called.

        An update of arrays on a GPU is only queued. For such arrays only, it includes
        the hooks of the optimizer.
        """
        cdef Step steps[MAX_STEPS]
        cdef int found = self.find(param)
        self.steps = steps
        if found == PLAIN:
            if self.prepare_steps(optimizer_hooks) and self.compute(changes):
                return True
        elif found == AT_REST and optimizer_hooks is None:
            return True
        # Code called from here on may change anything.
        self.forget()
        self.variable = None
        self.fields = self.hooks = None
        self.array = self.half = self.grad = self.state = None
        return False

    cdef int find(self, object param) except -1:
        """Find the rule of a parameter, and all its arrays."""
        cdef PyObject *field[N_FIELDS]
        cdef PyObject *item
        cdef object rule, twin
        item = _rule_of(param)
        if item is NULL:
            return OTHER
        rule = <object>item
        self.variable = plain_of(param)
        if not has_gradient(self.variable):
            return OTHER
        if rule is None:
            return AT_REST
        if self.latest is None or type(rule) is not self.latest.methods.cls:
            item = PyDict_GetItemWithError(_recipes, type(rule))
            if item is NULL:
                return OTHER
            self.latest = <Recipe>item
        item = instance_dict(rule)
        if item is NULL:
            return OTHER
        self.fields = <dict>item
        if not _read_fields(self.fields, self.latest, field) or (
                not self.read(self.latest, <object>field[HYPERPARAM])):
            return OTHER
        if <object>field[ENABLED] is False:
            return AT_REST
        if (<object>field[ENABLED] is not True or <object>field[STATE] is None
                or type(<object>field[COUNT]) is not int):
            return OTHER
        twin = <object>field[TWIN]
        self.take(self.variable.arr, self.variable.grad_arr, <object>field[STATE])
        self.t = PyLong_AsLong(<object>field[COUNT]) + 1
        item = _pre_hooks(<object>field[HOOKABLE])
        if item is NULL:
            return OTHER
        self.hooks = <dict>item
        return PLAIN if self.choose(field[USE_FP32], twin) else OTHER

    cdef int take(self, object array, object grad, object state) except -1:
        self.array, self.grad, self.state = array, grad, state
        self.kind = kind_on_device(array)
        self.on_device = self.kind >= 0
        if not self.on_device:
            self.kind = kind_of_array(array)
        return 0

    cdef bint choose(self, PyObject *uses_floats, object twin) except -1:
        """Select all rows or some, and float16 arrays or their float32 copy."""
        self.half = None
        self.by_rows = not (
            PyArray_CheckExact(self.grad) or self.on_device or self.kind == HALF
            or self.variable._loss_scale is not None or PyDict_GET_SIZE(self.hooks)
            ) and has_rows(self.grad)
        if self.kind == HALF and <object>uses_floats is not False:
            if <object>uses_floats is not True or type(twin) is not _Parameter:
                return False
            self.half, self.array = self.array, plain_of(twin).arr
            self.kind = SINGLE
        return self.kind >= 0 and (self.by_rows or not self.lazy)

    # -- steps

    cdef bint prepare_steps(self, list optimizer_hooks) except -1:
        """Select all loops and coefficients; False if any is not plain."""
        cdef object loss_scale = self.variable._loss_scale
        self.n = self.n_hooks = 0
        if optimizer_hooks is not None and (
                not self.on_device or self.half is not None and loss_scale is None):
            return False        # they visibly change float16 arrays
        if loss_scale is not None:
            if not prepare_unscale(loss_scale, self.kind, &self.steps[0]):
                return False
            self.n = 1
        if optimizer_hooks is not None:
            if not self.add_hooks(optimizer_hooks):
                return False
            # For a float32 copy they change no array.
            self.n_hooks = self.n if self.half is None else 0
        if PyDict_GET_SIZE(self.hooks) and not self.add_hooks(self.hooks.values()):
            return False
        return self.prepare(
            self.latest, self.fields, self.t, self.kind, &self.steps[self.n])

    cdef bint add_hooks(self, object hooks) except -1:
        """Append the loops of hooks, which see gradients without loss scale."""
        cdef HookRecipe recipe
        for hook in hooks:
            recipe = self.hook_recipe
            if recipe is None or type(hook) is not recipe.methods.cls:
                recipe = self.hook_recipe = recipe_of_hook(hook)
            if recipe is None or recipe.loops is NULL or self.n == MAX_STEPS - 1:
                return False
            if not prepare_hook(recipe, hook, None, self.kind, &self.steps[self.n]):
                return False
            self.n += 1
        return True

    # -- loops. No other code runs from here on, so the checks of the arrays stay valid.

    cdef bint compute(self, Changes changes) except -1:
        """Run the loops of all steps, and count the update."""
        cdef tuple names = self.latest.states_for(self.h)
        if not self.by_rows or not self.compute_rows(names):
            if not PyArray_CheckExact(self.grad):
                self.grad = self.variable.grad_arr = as_grad_array(self.grad)
            if self.lazy or not self.compute_all(names, changes):
                return False
        if self.half is None:
            self.variable._loss_scale = None    # the float16 gradient is kept unchanged
        self.fields[_fields[COUNT]] = self.t
        self.latest.count(self.fields, self.h)
        return True

    cdef bint compute_rows(self, tuple names) except -1:
        """Update the matrix by a gradient that is kept as rows; False if they differ.
        """
        cdef Operands operands
        if not is_like(self.grad, self.array) or not gather(
                &operands, self.array, None, self.state, names, False) or (
                    operands.kind != self.kind
                    or not operands.order & NPY_ARRAY_C_CONTIGUOUS):
            return False
        run_on_rows(
            &operands, <RowGradient>self.grad, self.steps,
            IS_LEFT if self.lazy else self.latest.unused(self.steps[0].c, self.kind))
        return True

    cdef bint compute_all(self, tuple names, Changes changes) except -1:
        """Update all elements."""
        cdef Operands operands, halves
        cdef list arrays
        if self.on_device:
            arrays = arrays_of_update(self.array, self.grad, self.state, names)
            if self.half is not None and arrays is not None:
                arrays.append(self.half)
            if not changes.place(arrays):
                return False
            changes.add(arrays, self.steps, self.n + 1, self.n_hooks)
        elif self.half is None:
            if not gather(
                    &operands, self.array, self.grad, self.state, names, self.n > 0
                    ) or operands.kind != self.kind:
                return False
            run(&operands, self.steps, self.n + 1)
        else:
            # The float32 gradient will be in a buffer.
            if not gather(&halves, self.half, self.grad, None, (), False):
                return False
            if not gather(&operands, self.array, None, self.state, names, False) or (
                    operands.kind != self.kind or not lie_alike(&operands, &halves)):
                return False
            run_in_floats(&operands, &halves, self.steps, self.n + 1)
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
        False if the case is not plain; then nothing has changed, and the rule must
        compute the update itself.
    """
    cdef Step steps[1]
    cdef _Update update = _Update.__new__(_Update)
    cdef Changes changes = Changes.__new__(Changes)
    cdef dict fields = rule.__dict__
    cdef object t = rule.t
    if grad is None or type(t) is not int or not _read_hyperparams(
            rule.hyperparam, recipe.hyperparams, update.h):
        return False
    update.steps = steps
    update.take(param, grad, rule.state)
    if update.kind < 0 or not _prepare(
            recipe, fields, update.h, PyLong_AsLong(t), update.kind, update.steps):
        return False
    clear_float_errors()
    if not update.compute_all(recipe.states_for(update.h), changes):
        return False
    changes.launch()
    recipe.count(fields, update.h)
    report(QUOTIENT)
    return True


def update_params(list params, list hooks=None):
    """Update parameters by their rules, in order, like ``param.update()``.

    Parameters
    ----------
    params : list of Parameter
    hooks : list, optional
        Hooks with a recipe to call first, for each parameter.

    Returns
    -------
    bool
        Whether all rules were plain, so that no user code has run.
    """
    cdef _Update update = _Update.__new__(_Update)
    cdef Changes changes = Changes.__new__(Changes)
    cdef bint shortcut = _Parameter.update is _parameter_update
    cdef bint all_plain = True
    cdef Py_ssize_t i
    update.forget()
    current()       # which sets the number of threads
    clear_float_errors()
    try:
        for i in range(len(params)):
            param = params[i]
            if shortcut and update.update(param, hooks, changes):
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
                if shortcut and update.update(param, None, changes):
                    continue
            all_plain = False
            param.update()
            clear_float_errors()
    finally:
        changes.launch()
    report(QUOTIENT)
    return all_plain
