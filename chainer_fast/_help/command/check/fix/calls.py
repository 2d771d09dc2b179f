"""Fixes for arguments that changed their form."""
import ast
import re

from chainer_fast._help.command.check.fix import function_sets, libraries, models
from chainer_fast._help.command.check.fix.parts import named

_KEYWORD = re.compile(r'(?:write|pass) (\w+)=$')
_LEFT_OUT = re.compile(r'leave (?:the argument|\w+) out$')
#: Functions for entries that no other fix is for.
FIXERS = {**function_sets.FIXERS, **models.FIXERS, **libraries.FIXERS}


def fix(plan, finding, node, scope, entry):
    """Rewrite the call of a finding; return whether that was possible."""
    if finding.what in FIXERS:
        return bool(FIXERS[finding.what](plan, finding, node, scope))
    if not finding.argument or entry is None:
        return False    # the meaning of an argument that never existed is unknown
    if finding.argument == 'wscale':
        return _wscale(plan, finding, node, scope)
    if finding.argument == 'bias':
        return _bias(plan, finding, node)
    return _keyword(plan, finding, node, entry)


def _keyword(plan, finding, call, entry):
    """Rename or remove a keyword."""
    keyword = named(call, finding.argument)
    if keyword is None:
        return False
    match = _KEYWORD.match(entry.instead)
    if match:
        if named(call, match[1]) or named(call, None):
            return False
        plan.edits.argument(keyword, '%s=%s' % (match[1], plan.code(keyword.value)))
        return True
    if _LEFT_OUT.match(entry.instead):
        plan.edits.argument(keyword, None)
        return True
    return False


def _number(node):
    return node.value if isinstance(node, ast.Constant) and not isinstance(
        node.value, bool) else None


def _wscale(plan, finding, call, scope):
    """Replace a scale by an initializer of the same distribution."""
    if named(call, 'initialW') or named(call, None) or any(
            name in finding.what for name in ('MLPConvolution2D', 'Maxout')):
        return False
    if finding.position >= 0:
        if finding.position != len(call.args) - 1:
            return False
        argument = value = call.args[finding.position]
    else:
        argument = named(call, 'wscale')
        value = argument.value
    if _number(value) == 1:
        plan.edits.argument(argument, None)
        return True
    name = plan.spell('chainer.initializers.LeCunNormal', scope)
    root = plan.spell('math.sqrt', scope)
    if name is None or root is None:
        return False
    plan.edits.argument(argument, 'initialW=%s(%s(%s))' % (
        name, root, plan.code(value)))
    return True


def _bias(plan, finding, call):
    keyword = named(call, 'bias')
    if keyword is None or named(call, 'initial_bias') or named(call, None):
        return False
    if isinstance(getattr(keyword.value, 'value', None), bool):
        return False    # it was a number; a flag is meant for another framework
    code = plan.code(keyword.value)
    plan.edits.argument(
        keyword, None if _number(keyword.value) == 0 else 'initial_bias=' + code)
    return True
