"""Obsolete idioms that depend on their context: files, frames, indices, devices.

Like those in ``idioms``, each function takes a checker, a node and its scope, and
yields names of entries.
"""
import ast

from chainer_fast._help.command.check.entries import idiom
from chainer_fast._help.command.check.inference import ARRAY, OBJECT, OWN, Value

_PICKLES = ('pickle.', 'cPickle.', 'six.moves.cPickle.')
# Arguments that only pandas' append has.
_OF_APPEND = {'ignore_index', 'verify_integrity', 'sort'}
_WITH_DEVICE = ('chainer.training.updaters.', 'chainer.training.extensions.',
                'chainer.training.StandardUpdater', 'chainer.training.ParallelUpdater')


def bound_to(node, scope):
    """Return the expressions that a name is bound to, each with its scope.

    An expression that is no name is returned itself; unknown bindings give nothing.
    """
    if not isinstance(node, ast.Name):
        return [(node, scope)]
    bound = scope.lookup(node.id) or ()
    return list(bound) if all(isinstance(one, tuple) for one in bound) else []


def text_file(checker, node, scope):
    """Return the call of ``open`` that opens a text file, or None."""
    for value, where in bound_to(node, scope):
        if isinstance(value, ast.Call) and not {
                'builtins.open', 'builtins.file', 'io.open'}.isdisjoint(
                    checker.inference.names(value.func, where)):
            mode = value.args[1] if len(value.args) > 1 else next(
                (keyword.value for keyword in value.keywords
                 if keyword.arg == 'mode'), ast.Constant('r'))
            if isinstance(mode, ast.Constant) and 'b' not in str(mode.value):
                return value
    return None


def pickles(checker, node, scope):
    """Find pickles in text files, which Python 2 wrote and read."""
    for name in checker.inference.names(node.func, scope):
        if not name.startswith(_PICKLES):
            continue
        place = {'load': 0, 'dump': 1}.get(name.rpartition('.')[2])
        if place is None:
            continue
        file = node.args[place] if len(node.args) > place else next(
            (keyword.value for keyword in node.keywords if keyword.arg == 'file'), None)
        if file is not None and text_file(checker, file, scope) is not None:
            yield 'pickle in a file of text'


def frames(checker, node, scope):
    """Find ``append`` of pandas; that of lists returns nothing."""
    call = node.value if isinstance(node, (ast.Assign, ast.Return)) else node
    if 'pandas' in checker.imported and isinstance(call, ast.Call) and isinstance(
            call.func, ast.Attribute) and call.func.attr == 'append' and (
                call is not node or any(keyword.arg in _OF_APPEND
                                        for keyword in call.keywords)) and (
                not checker.inference.values(call.func.value, scope)):
        checker.report(call.func, idiom('pandas.DataFrame.append'))
    return ()


def _is_sequence(checker, node, scope):
    """Return whether an element makes a list mean a tuple of indices."""
    if isinstance(node, (ast.List, ast.Tuple, ast.Slice)):
        return True
    if isinstance(node, ast.Constant):
        return node.value is None or node.value is Ellipsis
    if isinstance(node, ast.Call) and 'builtins.slice' in checker.inference.names(
            node.func, scope):
        return True
    return Value(OBJECT, ARRAY) in checker.inference.values(node, scope)


def _is_list_of_indices(checker, node, scope):
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult)):
        return any(_is_list_of_indices(checker, side, scope)
                   for side in (node.left, node.right))
    return isinstance(node, ast.List) and any(
        _is_sequence(checker, element, scope) for element in node.elts)


def indices(checker, node, scope):
    """Find lists of arrays or slices as indices, which meant tuples."""
    values = checker.inference.values(node.value, scope)
    if 'numpy' not in checker.imported and not checker.has_chainer or any(
            value.kind != OBJECT or value.what not in (ARRAY, 'chainer.Variable')
            for value in values):
        return
    found = bound_to(node.slice, scope)
    if found and all(_is_list_of_indices(checker, *one) for one in found):
        yield 'list of arrays, lists or slices as an index'


def devices(checker, node, scope):
    """Find devices of updaters and evaluators that are used as numbers."""
    sides = [node.left, *node.comparators]
    if not any(_is_number(side) for side in sides):
        return
    for side in sides:
        if isinstance(side, ast.Attribute) and side.attr == 'device' and any(
                name.startswith(_WITH_DEVICE)
                for value in checker.inference.values(side.value, scope)
                for name in _classes(checker, value)):
            yield 'devices as numbers'


def _classes(checker, value):
    if value.kind == OBJECT:
        return [value.what]
    if value.kind != OWN:
        return []
    family = checker.inference.family(value.what)
    # An attribute that the source sets itself may be a number.
    if any('device' in getattr(klass, 'attributes', ()) for klass in family):
        return []
    return [klass for klass in family if isinstance(klass, str)]


def _is_number(node):
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int
