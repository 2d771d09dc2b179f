# Gradients of all parameters of a link, in compiled passes where possible. Part of
# update.pyx.
# The plain case is a parameter of the public class itself, with NumPy arrays. For any
# other parameter, functions here report that it is not supported, or call the hook.

cdef extern from "chainer_fast/_cpu/half_loops.hpp" namespace "chainer_fast" nogil:
    double squares_of_halves(const uint16_t *, Py_ssize_t)
    bint all_finite[Bits](const void *, Py_ssize_t, Bits infinity) noexcept

cdef dict _hook_recipes = {}        # class of hooks -> HookRecipe


def register_hook(type hook_class, HookRecipe recipe):
    """Let :func:`call_hook` and batched rules support a class of hooks.

    A hook is called with a rule and a parameter, and changes the parameter's gradient.
    The class has a tuple ``_served_methods``: the names of the methods that a recipe
    replaces. A hook is supported only as long as none of them is replaced.
    """
    recipe.methods = Methods(hook_class, hook_class._served_methods)
    _hook_recipes[hook_class] = recipe


cdef int report(Operation operation=PRODUCT) except -1:
    """Make NumPy warn of the error flags raised since they were cleared."""
    cdef int flags = float_errors()
    if flags:
        report_float_errors(flags, operation)
    return 0


cdef VariableBase plain_of(object param):
    """Return the variable of the plain array, which differs for a wrapper."""
    cdef VariableBase variable = <VariableBase>param
    if is_wrapper(variable.arr):
        return (<ArrayBase>variable.arr)._v
    return variable


cdef bint has_gradient(VariableBase variable) except -1:
    """Return whether the result of :func:`plain_of` has an array and a gradient."""
    return (variable.arr is not None and variable.grad_arr is not None
            and variable._grad_valid and variable._layout is None)


cdef bint is_ready(object param) except -1:
    """Return whether a parameter has a gradient, after converting it to an array."""
    cdef VariableBase variable
    if type(param) is not _Parameter:
        return False
    variable = plain_of(param)
    if not has_gradient(variable):
        return False
    variable.grad_arr = as_grad_array(variable.grad_arr)
    return True


def has_cleared_grad(params):
    """Return whether the gradient of any initialized parameter is None."""
    cdef VariableBase variable
    for param in params:
        if type(param) is _Parameter:
            variable = plain_of(param)
            if variable.arr is not None and (
                    variable.grad_arr is None or not variable._grad_valid):
                return True
        elif param.is_initialized and param.grad is None:
            return True
    return False


def of_scaled_loss(params):
    """Return the parameters whose gradients were computed with a loss scale."""
    cdef list found = []
    for param in params:
        if type(param) is _Parameter:
            if (<VariableBase>param)._loss_scale is not None:
                found.append(param)
        elif getattr(param, '_loss_scale', None) is not None:
            found.append(param)
    return found


# -- loops on one gradient


cdef bint prepare_unscale(object loss_scale, int kind, Step *step) except -1:
    """Select the loop that divides by a loss scale; False if that is not plain."""
    memset(step.c, 0, sizeof(double) * MAX_COEFFICIENTS)
    step.loop = _unscale.loops[kind]
    step.name = _unscale.name
    step.n_coefficients = 1
    return to_double(loss_scale, &step.c[0]) and fits(step.c, kind)


cdef HookRecipe recipe_of_hook(object hook):
    """Return the recipe of a hook, or None."""
    cdef PyObject *item = entry_of(_hook_recipes, type(hook))
    cdef HookRecipe recipe
    if item is NULL:
        return None
    recipe = <HookRecipe>item
    return recipe if recipe.methods.unchanged() else None


def has_recipe(hook):
    """Return whether a hook has a compiled form that may be part of an update."""
    cdef HookRecipe recipe = recipe_of_hook(hook)
    return recipe is not None and recipe.loops is not NULL


cdef bint prepare_hook(
        HookRecipe recipe, object hook, object loss_scale, int kind,
        Step *step) except -1:
    """Select a hook's loop and coefficients; False if the hook is not plain."""
    cdef PyObject *fields = instance_dict(hook)
    cdef PyObject *item
    cdef double scale
    cdef Py_ssize_t i
    if fields is NULL:
        return False
    if (PyDict_GET_SIZE(<object>fields) != len(recipe.attributes)
            and recipe.methods.replaced_in(<object>fields)):
        return False
    memset(step.c, 0, sizeof(double) * MAX_COEFFICIENTS)
    for i in range(len(recipe.attributes)):
        item = entry_of(<object>fields, recipe.attributes[i])
        if item is NULL or not to_double(<object>item, &step.c[i]):
            return False
        if step.c[i] != step.c[i]:
            return False
    if recipe.scaled and loss_scale is not None:
        if not to_double(loss_scale, &scale):
            return False
        step.c[0] *= scale
    if recipe.loops is not NULL:
        step.loop = recipe.loops[kind]
    step.name = recipe.name
    step.n_coefficients = recipe.n_coefficients
    return fits(step.c, kind)


cdef bint _run_hook(
        object param, HookRecipe recipe, object hook, Changes changes) except -1:
    """Run the loop of a hook on a parameter; False if nothing was done.

    A change of an array on a GPU is only queued.
    """
    cdef VariableBase variable
    cdef Operands operands
    cdef Step step
    cdef list arrays
    cdef int kind
    if not is_ready(param):
        return False
    variable = plain_of(param)
    kind = kind_on_device(variable.arr)
    if kind >= 0:
        arrays = [variable.arr, variable.grad_arr]
        if not changes.place(arrays) or not prepare_hook(
                recipe, hook, variable._loss_scale, kind, &step):
            return False
        changes.add(arrays, &step, 1)
        return True
    kind = kind_of_array(variable.arr)
    if recipe.loops is NULL or kind < 0 or not prepare_hook(
            recipe, hook, variable._loss_scale, kind, &step):
        return False
    if not gather(
            &operands, variable.arr, variable.grad_arr, None, (), True) or (
            operands.kind != kind):
        return False
    run(&operands, &step, 1)
    return True


def change(hook, param):
    """Apply the compiled form of a hook to a gradient.

    Returns
    -------
    bool
        False if nothing was done: the hook or the parameter is not plain.
    """
    cdef HookRecipe recipe = recipe_of_hook(hook)
    cdef Changes changes = Changes.__new__(Changes)
    if recipe is None or not _run_hook(param, recipe, hook, changes):
        return False
    changes.launch()
    return True


def call_hook(hook, params):
    """Call a hook for each parameter, in order, with the parameter's rule.

    Parameters
    ----------
    hook : callable
        Called as ``hook(rule, param)`` unless a compiled loop does the same.
    params : iterable of Parameter
    """
    cdef HookRecipe recipe = recipe_of_hook(hook)
    cdef Changes changes = Changes.__new__(Changes)
    clear_float_errors()
    try:
        for param in params:
            if recipe is not None and _run_hook(param, recipe, hook, changes):
                continue
            report()
            changes.launch()
            hook(param.update_rule, param)
            recipe = recipe_of_hook(hook)
            clear_float_errors()
    finally:
        changes.launch()
    report()


# -- all gradients together


cdef int _kind_of_gradient(object param, int orders) except -2:
    """Return the kind of a gradient that is contiguous in one of some orders, or -1."""
    cdef object grad
    cdef int kind
    if not is_ready(param):
        return -1
    grad = plain_of(param).grad_arr
    kind = kind_of_array(grad)
    if kind >= 0 and (
            PyArray_FLAGS(grad) & orders and PyArray_FLAGS(grad) & NPY_ARRAY_ALIGNED
            and PyArray_ISNOTSWAPPED(grad)):
        return kind
    return -1


def sum_of_squares(params):
    """Return the sum of the squares of all gradients.

    Returns
    -------
    float
        None if some gradient is not plain, and its array module has to compute the sum.
    """
    cdef double total = 0, double_sum
    cdef float float_sum
    cdef int kind
    cdef object grad
    for param in params:
        kind = _kind_of_gradient(param, NPY_ARRAY_C_CONTIGUOUS)
        if kind < 0:
            return None
        grad = plain_of(param).grad_arr
        if kind == HALF:
            total += squares_of_halves(
                <const uint16_t *>PyArray_DATA(grad), PyArray_SIZE(grad))
        elif kind == SINGLE:
            sum_squares(grad, &float_sum)
            total += float_sum
        else:
            sum_squares(grad, &double_sum)
            total += double_sum
    return total


def scale_grads(params, double factor):
    """Multiply gradients by a number, in place.

    Returns
    -------
    list of Parameter
        Parameters that are not plain and were skipped.
    """
    cdef list left = []
    cdef VariableBase variable
    cdef Operands operands
    cdef Step step
    if factor != factor:
        return list(params)     # NumPy does not warn of it, as comparisons here would
    memset(step.c, 0, sizeof(double) * MAX_COEFFICIENTS)
    step.c[0] = factor
    clear_float_errors()
    for param in params:
        if is_ready(param):
            variable = plain_of(param)
            if gather(
                    &operands, variable.arr, variable.grad_arr, None, (), True
                    ) and fits(step.c, operands.kind):
                step.loop = _scale.loops[operands.kind]
                run(&operands, &step, 1)
                continue
        left.append(param)
    report()
    return left


cdef bint _is_finite(object array, int kind) noexcept:
    """Return whether no element of a contiguous array is infinite or NaN."""
    cdef const void *data = PyArray_DATA(array)
    cdef Py_ssize_t n = PyArray_SIZE(array)
    if kind == HALF:
        return all_finite[uint16_t](data, n, 0x7c00)
    if kind == SINGLE:
        return all_finite[uint32_t](data, n, 0x7f800000)
    return all_finite[uint64_t](data, n, 0x7ff0000000000000)


def are_finite(params):
    """Return whether all gradients are plain, contiguous and finite."""
    cdef int kind
    for param in params:
        kind = _kind_of_gradient(
            param, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS)
        if kind < 0 or not _is_finite(plain_of(param).grad_arr, kind):
            return False
    return True
