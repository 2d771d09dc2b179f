"""Fixes that replace ``FunctionSet`` by a chain."""
import ast
import copy

from chainer_fast._help.command.check.fix import renames
from chainer_fast._help.command.check.fix.edits import Edits
from chainer_fast._help.command.check.fix.parts import called
from chainer_fast._help.command.check.inference import OBJECT, OWN


def _function_set(plan, finding, node, scope):
    """Replace a set by a chain, to which links cannot be assigned later."""
    if not _are_chains(plan):
        return False
    if isinstance(node, ast.alias):
        return renames.rename_from(plan, plan.parents[node], node, 'chainer.Chain')
    if not isinstance(node, ast.Attribute):
        return False
    plan.edits.replace(node, plan.code(node.value) + '.Chain')
    return True


def _are_chains(plan):
    """Return whether chains can replace the sets wherever they are used.

    Uses of members that chains lack would be undetected afterwards.
    """
    trial = copy.copy(plan)
    trial.edits = Edits()
    for node in ast.walk(plan.tree):
        if isinstance(node, ast.Call) and getattr(node.func, 'id', '') == 'setattr':
            return False
        if not isinstance(node, ast.Attribute):
            continue
        scope = plan.inference.scope_of(node, plan.parents)
        values = plan.inference.values(node.value, scope)
        if isinstance(node.ctx, ast.Store):
            if any(_is_set(plan, value) for value in values):
                return False
        elif node.attr in _OF_SETS and (not values or any(
                _is_set(plan, value) for value in values)):
            fixer = _OF_SETS[node.attr]
            if fixer is None or not fixer(trial, None, node, scope):
                return False
    return True


def _is_set(plan, value):
    if value.kind == OWN:
        return 'chainer.FunctionSet' in plan.inference.family(value.what)
    return value.kind == OBJECT and value.what == 'chainer.FunctionSet'


def _parameters(plan, finding, node, scope):
    """A chain orders its links by name, a set by insertion."""
    values = plan.inference.values(node.value, scope)
    if not isinstance(node.ctx, ast.Load) or not values or not all(
            value.kind == OBJECT and value.call is not None
            and _is_sorted(value.call[0]) for value in values):
        return False
    if finding is not None and not _are_chains(plan):
        return False
    plan.edits.replace(node, '[param.data for param in %s.params()]'
                       % plan.operand(node.value))
    return True


def _is_sorted(call):
    names = [keyword.arg for keyword in call.keywords]
    return None not in names and names == sorted(names)


def _collect_parameters(plan, finding, node, scope):
    call = called(plan, node)
    around = plan.parents.get(call)
    if call is None or not isinstance(around, ast.Call) or not isinstance(
            around.func, ast.Attribute) or around.func.attr != 'setup':
        return False
    plan.edits.replace(call, plan.code(node.value))
    return True


def _copy_parameters_from(plan, finding, node, scope):
    """The argument was the parameters of another set."""
    call = called(plan, node)
    if call is None or len(call.args) != 1:
        return False
    other = call.args[0]
    if not isinstance(other, ast.Attribute) or other.attr != 'parameters':
        return False
    plan.edits.replace(call, '%s.copyparams(%s)' % (
        plan.operand(node.value), plan.code(other.value)))
    return True


# Members of sets that chains lack, with the fixes for chains.
_OF_SETS = {'parameters': _parameters, 'gradients': None,
            'collect_parameters': _collect_parameters,
            'copy_parameters_from': _copy_parameters_from}

#: Functions by the entry that they fix.
FIXERS = {
    'chainer.FunctionSet': _function_set,
    **{'chainer.FunctionSet.' + name: fixer
       for name, fixer in _OF_SETS.items() if fixer is not None},
}
