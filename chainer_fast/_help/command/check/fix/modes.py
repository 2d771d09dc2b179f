"""Arguments that became configuration: train=, test=, volatile=, use_cudnn=, ..."""
import ast

from chainer_fast._help.command.check.entries import entries
from chainer_fast._help.command.check.inference import ARRAY, NAME, OBJECT, VARIABLE
from chainer_fast._help.command.check.old_calls import POSITIONS

_ARGUMENTS = {'train', 'test', 'use_cudnn', 'deterministic', 'volatile'}
_ON = {'chainer.ON', 'chainer.flag.ON'}
_OFF = {'chainer.OFF', 'chainer.flag.OFF', 'chainer.AUTO', 'chainer.flag.AUTO'}


def fix(plan, finding, node, scope, entry):
    """Rewrite one such argument; return whether that was possible."""
    if entry is None or finding.argument not in _ARGUMENTS or not isinstance(
            node, ast.Call):
        return False
    argument, value = _given(finding, node)
    if argument is None:
        return False
    if finding.argument == 'volatile':
        return _volatile(plan, finding, node, argument, value, scope)
    is_constructor = '__call__' not in finding.what and '.links.' in finding.what \
        and finding.what.partition('(')[0].rpartition('.')[2][:1].isupper()
    if _is_usual(finding.argument, value):
        plan.edits.argument(argument, None)
        return True
    if is_constructor or not _is_plain(value):
        return False
    header = _header(plan, finding.argument, value, scope)
    statement = plan.statement(node)
    if header is None or statement is None or _sets(statement, value) or (
            _may_be_skipped(plan, node, statement) and not isinstance(
                value, (ast.Name, ast.Constant))):
        return False
    if finding.argument in ('train', 'test') and not _is_alone(
            plan, statement, header, scope):
        return False
    begins = statement.lineno, statement.col_offset
    if plan.edits.wraps.get(begins, header) != header:
        return False
    plan.edits.argument(argument, None)
    plan.edits.wrap(statement, header)
    return True


def _given(finding, call):
    """Return the argument of a finding, as for edits, and its value."""
    if finding.position >= 0:
        if finding.position != len(call.args) - 1:
            return None, None
        return call.args[finding.position], call.args[finding.position]
    for keyword in call.keywords:
        if keyword.arg == finding.argument:
            return keyword, keyword.value
    return None, None


def _is_usual(argument, value):
    """Return whether omitting an argument changes nothing."""
    if not isinstance(value, ast.Constant):
        return False
    return (argument == 'use_cudnn' and value.value is True
            or argument == 'deterministic' and value.value is False)


def _is_plain(node):
    """Return whether an expression may be evaluated a little earlier."""
    return all(isinstance(part, (
        ast.Name, ast.Attribute, ast.Constant, ast.UnaryOp, ast.BoolOp, ast.Compare,
        ast.Load, ast.unaryop, ast.boolop, ast.cmpop)) for part in ast.walk(node))


def _may_be_skipped(plan, node, statement):
    """Return whether a statement may skip an expression, as `a and b` may skip b."""
    while node is not statement:
        node = plan.parents[node]
        if isinstance(node, (ast.IfExp, ast.BoolOp)):
            return True
    return False


def _sets(statement, value):
    """Return whether a statement sets a name that an expression reads."""
    names = {part.id for part in ast.walk(value) if isinstance(part, ast.Name)}
    return any(isinstance(part, ast.Name) and part.id in names
               and not isinstance(part.ctx, ast.Load) for part in ast.walk(statement))


def negated(plan, node):
    """Return code for the negation of a flag."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int)):
        return str(not node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return plan.code(node.operand)
    code = plan.code(node)
    return 'not %s' % code if isinstance(
        node, (ast.Name, ast.Attribute)) else 'not (%s)' % code


def _header(plan, argument, value, scope):
    using = plan.spell('chainer.using_config', scope)
    if using is None:
        return None
    if argument == 'train':
        return "with %s('train', %s):" % (using, plan.code(value))
    if argument == 'test':
        return "with %s('train', %s):" % (using, negated(plan, value))
    if argument == 'deterministic':
        return "with %s('cudnn_deterministic', %s):" % (using, plan.code(value))
    if isinstance(value, ast.Constant):
        return "with %s('use_cudnn', 'never'):" % using
    return "with %s('use_cudnn', 'auto' if %s else 'never'):" % (
        using, plan.code(value))


def _is_alone(plan, statement, header, scope):
    """Return whether training mode affects no other call of a statement.

    The others may be calls of the library that the mode does not affect, or that have
    an argument which sets the same mode.
    """
    return all(_is_indifferent(plan, call, header, scope)
               for call in ast.walk(statement) if isinstance(call, ast.Call))


def _is_indifferent(plan, call, header, scope):
    values = plan.inference.values(call.func, scope)
    for value in values:
        if value.kind == NAME:
            gone = entries().arguments(value.what)
            name = value.what
            is_known = name.startswith((
                'chainer.functions.', 'chainer.links.', 'chainer.Variable', 'numpy.',
                'builtins.'))
        elif value.kind == OBJECT:
            gone = entries().method_arguments(value.what, '__call__')
            name = value.what + '.__call__'
            is_known = value.what.startswith(('chainer.links.', 'chainer.functions.'))
        else:
            return False
        for argument in ('train', 'test'):
            if argument in gone:
                given = [keyword.value for keyword in call.keywords
                         if keyword.arg == argument]
                given += [value for place, value in enumerate(call.args)
                          if POSITIONS.get(name, {}).get(place) == argument]
                return bool(given) and _header(
                    plan, argument, given[0], scope) == header
        if not is_known:
            return False
    if values:
        return True
    return isinstance(call.func, ast.Attribute) and any(
        value.kind == OBJECT and value.what in (VARIABLE, ARRAY)
        for value in plan.inference.values(call.func.value, scope))


# Volatile variables: computations with them make no graph.

def _flag(plan, value, scope):
    """Return True, False or code for whether to make a graph.

    None if the value may be one of the strings 'on', 'off' and 'auto'.
    """
    if isinstance(value, ast.Constant):
        return {'on': False, True: False, 'off': True, False: True, 'auto': True}.get(
            value.value)
    names = plan.inference.names(value, scope)
    if names and all(name in _ON for name in names):
        return False
    if names and all(name in _OFF for name in names):
        return True
    if isinstance(value, ast.IfExp):
        body, other = (_flag(plan, part, scope) for part in (value.body, value.orelse))
        if _is_plain(value.test) and {body, other} == {True, False}:
            return plan.code(value.test) if body else negated(plan, value.test)
        return None
    if not _is_plain(value):
        return None
    is_flag = isinstance(value, (ast.Compare, ast.UnaryOp)) or (
        isinstance(value, ast.Name) and _is_flag(plan, value, scope))
    return negated(plan, value) if is_flag else None


def _is_flag(plan, name, scope):
    """Return whether a name is True or False wherever the source sets it."""
    function = scope.node
    if isinstance(function, ast.FunctionDef):
        arguments = function.args
        positional = [*arguments.posonlyargs, *arguments.args]
        pairs = [*zip(positional[len(positional) - len(arguments.defaults):],
                      arguments.defaults, strict=True),
                 *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
        for argument, default in pairs:
            if argument.arg == name.id:
                return isinstance(default, ast.Constant) and isinstance(
                    default.value, bool)
    bound = scope.lookup(name.id) or ()
    return bool(bound) and all(
        isinstance(binding, tuple) and (
            isinstance(binding[0], ast.Compare)
            or isinstance(binding[0], ast.UnaryOp) and isinstance(
                binding[0].op, ast.Not)
            or isinstance(binding[0], ast.Constant) and isinstance(
                binding[0].value, bool)) for binding in bound)


def _volatile(plan, finding, call, argument, value, scope):
    if not plan.drops_flags:
        # Variables with that flag may still be combined with others.
        is_usual = isinstance(value, ast.Constant) and value.value in (False, 'off')
        if is_usual:
            plan.edits.argument(argument, None)
        return is_usual
    return _drop_flag(plan, call, argument, value, scope)


def drops_flags(plan, found):
    """Return whether all flags of variables in a source can be removed.

    ``found`` are findings with nodes and scopes; ``plan`` is used only for the trial.
    """
    if any(isinstance(node, ast.Attribute) and node.attr == 'volatile'
           for node in ast.walk(plan.tree)):
        return False        # code that reads flags needs them
    for finding, node, scope in found:
        if finding.argument == 'volatile' and isinstance(node, ast.Call):
            argument, value = _given(finding, node)
            if argument is None or not _drop_flag(plan, node, argument, value, scope):
                return False
    return True


def _drop_flag(plan, call, argument, value, scope):
    flag = _flag(plan, value, scope)
    if flag is True:
        plan.edits.argument(argument, None)
        return True
    statement = plan.statement(call)
    if flag is None or statement is None or isinstance(statement, ast.Return):
        return False
    if flag is False:
        name = plan.spell('chainer.no_backprop_mode', scope)
        header = name and 'with %s():' % name
    else:
        name = plan.spell('chainer.using_config', scope)
        header = name and "with %s('enable_backprop', %s):" % (name, flag)
    block = plan.block(statement)
    before = [one for one in block[:block.index(statement)]
              if plan.edits.wrapped_rests.get((one.lineno, one.col_offset))]
    if before:
        if plan.edits.wrapped_rests[before[0].lineno, before[0].col_offset] != header:
            return False
    elif header is None or not _can_wrap(
            plan, block[block.index(statement):], value, scope, flag is False):
        return False
    else:
        plan.edits.wrap_rest(statement, header)
    plan.edits.argument(argument, None)
    return True


def _can_wrap(plan, rest, value, scope, is_certain):
    """Return whether statements may run without a graph, and compute anything.

    All variables that they create must have that flag, and no code may read flags.
    """
    names = {part.id for part in ast.walk(value) if isinstance(part, ast.Name)}
    for statement in rest:
        for node in ast.walk(statement):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Import,
                                 ast.ImportFrom, ast.Yield, ast.YieldFrom, ast.Global)):
                return False
            if isinstance(node, ast.Name) and node.id in names and isinstance(
                    node.ctx, ast.Store):
                return False
            if isinstance(node, ast.Attribute) and (node.attr == 'volatile' or (
                    is_certain and node.attr in (
                        'backward', 'update', 'zero_grads', 'cleargrads'))):
                return False
            if isinstance(node, ast.Call) and 'chainer.Variable' in (
                    plan.inference.names(node.func, scope)) and [
                        _flag(plan, keyword.value, scope) for keyword in node.keywords
                        if keyword.arg == 'volatile'] != [_flag(plan, value, scope)]:
                return False
    return any(isinstance(node, ast.Call) for statement in rest[1:]
               for node in ast.walk(statement))
