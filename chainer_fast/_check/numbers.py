"""Whether an expression is a whole number, as far as a glance at the source tells."""
import ast

_CALLS = {'builtins.len', 'builtins.int', 'builtins.long', 'builtins.ord'}
_ATTRIBUTES = {'size', 'ndim'}


def is_whole(inference, node, scope):
    """Return whether an expression is surely a whole number.

    Parameters
    ----------
    inference : Inference
    node : ast.expr
    scope : Scope
    """
    return _is_whole(inference, node, scope, 0)


def _is_whole(inference, node, scope, depth):
    if depth > 8:       # a name may be made from itself
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
        return node.attr in _ATTRIBUTES
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
