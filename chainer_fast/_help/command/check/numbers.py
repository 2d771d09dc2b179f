"""Whether an expression is an integer, as far as the source shows."""
import ast

from chainer_fast._help.command.check.inference import (
    NAME,
    OBJECT,
    OWN,
    VARIABLE,
    Value,
)

_CALLS = {'builtins.len', 'builtins.int', 'builtins.long', 'builtins.ord'}
_ATTRIBUTES = {'size', 'ndim'}
_FLOATS = {'builtins.float', 'numpy.float32', 'numpy.float64', 'numpy.float',
           'numpy.mean', 'numpy.sqrt', 'numpy.exp', 'numpy.log', 'numpy.std',
           'time.time', 'time.clock', 'random.random', 'random.uniform'}
_WHOLE_OF_MATH = {'ceil', 'comb', 'factorial', 'floor', 'gcd', 'isqrt', 'lcm', 'perm',
                  'prod', 'trunc'}


def is_whole(inference, node, scope):
    """Return whether an expression is certainly an integer.

    Parameters
    ----------
    inference : Inference
    node : ast.expr
    scope : Scope
    """
    return _is_whole(inference, node, scope, 0)


def _is_whole(inference, node, scope, depth):
    if depth > 8:       # the value of a name may depend on the name itself
        return False
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    if isinstance(node, ast.UnaryOp):
        return _is_whole(inference, node.operand, scope, depth + 1)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, (
            ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)) and all(
                _is_whole(inference, side, scope, depth + 1)
                for side in (node.left, node.right))
    if isinstance(node, ast.Call):
        names = inference.names(node.func, scope)
        if 'numpy.array' in names:
            return len(node.args) == 1 and not node.keywords and isinstance(
                node.args[0], ast.List) and all(
                    _is_whole(inference, element, scope, depth + 1)
                    for element in node.args[0].elts)
        return any(name in _CALLS for name in names)
    if isinstance(node, ast.Attribute):
        # A class of the source may use the name for anything.
        return node.attr in _ATTRIBUTES and all(
            value.kind != OWN for value in inference.values(node.value, scope))
    if isinstance(node, ast.Subscript):
        return (isinstance(node.value, ast.Attribute) and node.value.attr == 'shape'
                and not isinstance(node.slice, ast.Slice))
    if isinstance(node, ast.Name):
        bound = scope.lookup(node.id)
        return bool(bound) and all(
            isinstance(binding, tuple)
            and _is_whole(inference, binding[0], binding[1], depth + 1)
            for binding in bound)
    return False


def is_float(inference, node, scope):
    """Return whether an expression is surely no integer or integer array."""
    return _is_float(inference, node, scope, 0)


def _is_float(inference, node, scope, depth):
    if depth > 8:
        return False

    def of(part, scope=scope):
        return _is_float(inference, part, scope, depth + 1)
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, int)
    if isinstance(node, ast.UnaryOp):
        return of(node.operand)
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Pow):
            return of(node.left) or of(node.right)
        return isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)) and (
            of(node.left) or of(node.right))
    if isinstance(node, ast.IfExp):
        return of(node.body) and of(node.orelse)
    if isinstance(node, ast.Call) and any(
            name in _FLOATS or name.startswith('math.')
            and name.removeprefix('math.') not in _WHOLE_OF_MATH
            for name in inference.names(node.func, scope)):
        return True
    values = inference.values(node, scope)
    if Value(OBJECT, VARIABLE) in values or any(
            value.kind == NAME and value.what in ('math.pi', 'math.e', 'numpy.pi')
            for value in values):
        return True
    if isinstance(node, ast.Name):
        bound = scope.lookup(node.id)
        return bool(bound) and all(
            isinstance(binding, tuple) and of(*binding) for binding in bound)
    return False
