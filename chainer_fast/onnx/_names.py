"""Names of the inputs and outputs of a network."""


def rename_variable_name(context, variables, named_vars, new_names, prefix='Input'):
    """Give inputs or outputs of the network the names that the user asked for.

    Parameters
    ----------
    context : chainer_fast.onnx.context.Context
        Where names are kept.
    variables : list, tuple or dict of Variable
        The variables.
    named_vars : dict of Variable
        The same by their names so far; changed in place.
    new_names : sequence of str, dict or None
        The names: in the order of the variables, or by their keys. None stands for
        ``prefix`` with numbers; without prefix, names remain.
    prefix : str or None
        What such names begin with.

    Raises
    ------
    ValueError
        If the names do not match the variables.
    """
    if new_names is None:
        if prefix is None:
            return
        new_names = ['%s_%d' % (prefix, i) for i in range(len(named_vars))]
    if isinstance(new_names, dict):
        if not isinstance(variables, dict) or set(new_names) != set(variables):
            raise ValueError('names are given for %s, but the variables are %s' % (
                list(new_names), list(variables) if isinstance(variables, dict)
                else 'in a sequence: give a list of names'))
        new_names = [new_names[key] for key in variables]
    elif not isinstance(new_names, (list, tuple, str)):
        raise ValueError(
            'names must be a list, a tuple or a dict, not %s' % type(new_names))
    values = list(
        variables.values() if isinstance(variables, dict) else variables)
    if len(new_names) != len(values) or len(values) != len(named_vars):
        raise ValueError(
            'there must be a name for each variable, and each variable once: got %d '
            'names for %d variables, of which %d differ'
            % (len(new_names), len(values), len(named_vars)))
    renamed = [(name, named_vars[context.get_name(var)])
               for name, var in zip(new_names, values, strict=True)]
    named_vars.clear()
    for name, var in renamed:
        context.set_name(var, name, pinned=True)
        named_vars[name] = var
