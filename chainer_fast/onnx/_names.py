"""Naming of the inputs and outputs of a network."""
import collections

from chainer_fast import variable as _variable
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.functions.math.identity import identity


def rename_variable_name(context, variables, named_vars, new_names, prefix='Input'):
    """Rename inputs or outputs of the network as requested.

    Parameters
    ----------
    context : chainer_fast.onnx.context.Context
        Stores names.
    variables : list, tuple or dict of Variable
        The variables.
    named_vars : dict of Variable
        The same variables by their current names; modified in place.
    new_names : list or tuple of str, dict, str or None
        The names: in the order of the variables, or by key; a str for a single
        variable. None means ``prefix`` with numbers; without a prefix, names are kept.
    prefix : str or None
        Prefix of such names.

    Raises
    ------
    ValueError
        If the names do not match the variables, or one is already in use.
    TypeError
        If a name is not a str.
    """
    if new_names is None:
        if prefix is None:
            return
        new_names = ['%s_%d' % (prefix, i) for i in range(len(named_vars))]
    if isinstance(new_names, dict):
        if not isinstance(variables, dict) or set(new_names) != set(variables):
            raise ValueError('names were given for %s, but the variables are %s' % (
                list(new_names), list(variables) if isinstance(variables, dict)
                else 'in a sequence: pass a list of names'))
        new_names = [new_names[key] for key in variables]
    elif isinstance(new_names, str):
        new_names = [new_names]
    elif not isinstance(new_names, (list, tuple)):
        raise ValueError(
            'names must be a list, a tuple or a dict, not %s' % type(new_names))
    values = list(
        variables.values() if isinstance(variables, dict) else variables)
    if len(new_names) != len(values) or len(values) != len(named_vars):
        raise ValueError(
            'each variable needs one name, and must be passed once: got %d names for '
            '%d variables, of which %d differ'
            % (len(new_names), len(values), len(named_vars)))
    _check_names(context, new_names)
    renamed = [(name, named_vars[context.get_name(var)])
               for name, var in zip(new_names, values, strict=True)]
    named_vars.clear()
    for name, var in renamed:
        context.set_name(var, name, pinned=True)
        named_vars[name] = var


def _check_names(context, names):
    used = {name for name, pinned in context.name_list.values() if pinned}
    used |= context.param_names
    for name in names:
        if not isinstance(name, str):
            raise TypeError('each name must be a str, not %r' % (name,))
        if name in used:
            raise ValueError(
                'each input, output and parameter needs a unique name, but %r is used '
                'twice' % name)
        used.add(name)


def as_variables(args):
    """Return the arguments of a model, with arrays converted to variables.

    Parameters
    ----------
    args : Variable, array, or list, tuple or dict of them
        The arguments.

    Returns
    -------
    list or dict of Variable
        A dict if ``args`` is one.

    Raises
    ------
    ValueError
        If ``args`` is something else.
    """
    arrays = get_array_types()

    def as_variable(x):
        return _variable.Variable(x) if isinstance(x, arrays) else x

    if isinstance(args, dict):
        return {key: as_variable(x) for key, x in args.items()}
    if isinstance(args, (list, tuple)):
        return [as_variable(x) for x in args]
    if isinstance(args, (_variable.Variable, *arrays)):
        return [as_variable(args)]
    raise ValueError(
        'args must be an array, a variable, or a list, tuple or dict of them, not %s'
        % type(args))


def name_inputs(context, args, names):
    """Name the inputs of the network.

    Parameters
    ----------
    context : chainer_fast.onnx.context.Context
        Stores names.
    args : list or dict of Variable
        The inputs.
    names : list or tuple of str, dict, str or None
        See :func:`rename_variable_name`.

    Returns
    -------
    OrderedDict of Variable
        The inputs, by name.

    Raises
    ------
    AttributeError
        If one is not a variable.
    ValueError
        If the names do not match, or one variable is given twice.
    """
    named = collections.OrderedDict()
    for x in args.values() if isinstance(args, dict) else args:
        if not isinstance(x, _variable.Variable):
            raise AttributeError(
                'each argument of the model must be an array or a variable, not %s'
                % type(x))
        named[context.get_name(x)] = x
    if names is None and len(named) != len(args):
        raise ValueError(
            'one variable is passed for several arguments: pass copies, as they are '
            'different inputs')
    rename_variable_name(context, args, named, names)
    return named


def list_outputs(context, returned, inputs, names):
    """Return the outputs of the network, renamed if names are given.

    Parameters
    ----------
    context : chainer_fast.onnx.context.Context
        Stores names.
    returned : object
        The result of the model.
    inputs : dict of Variable
        The inputs.
    names : list or tuple of str, dict, str or None
        See :func:`rename_variable_name`.

    Returns
    -------
    OrderedDict of Variable
        The outputs by their current names.

    Raises
    ------
    RuntimeError
        If the model returned neither a variable, nor a list, tuple or dict.
    ValueError
        If an element of these is not a variable, or names do not match.
    """
    if isinstance(returned, _variable.Variable):
        returned = [returned]
    if not isinstance(returned, (list, tuple, dict)):
        raise RuntimeError(
            'the model must return a variable, or a list, tuple or dict of variables, '
            'not %s' % type(returned))
    keys = list(returned) if isinstance(returned, dict) else range(len(returned))
    outputs = {key: returned[key] for key in keys}
    for y in outputs.values():
        if not isinstance(y, _variable.Variable):
            raise ValueError(
                "each of the model's outputs must be a variable, not %s: bare arrays, "
                'and nested structures, cannot be exported'
                % type(y))
    if names is not None:
        # A second name for a variable needs a node.
        taken = {id(x.node) for x in inputs.values()}
        for key, y in outputs.items():
            if id(y.node) in taken:
                outputs[key] = identity(y)
            taken.add(id(y.node))
    named = collections.OrderedDict(
        (context.get_name(y), y) for y in outputs.values())
    rename_variable_name(
        context, outputs if isinstance(returned, dict) else list(outputs.values()),
        named, names, prefix=None)
    return named
