"""Code that handles missing names, which is not reported."""
import ast

_MISSING = {'ImportError', 'ModuleNotFoundError', 'AttributeError', 'NameError'}
_RAISES = {'raises', 'assertRaises', 'assertRaisesRegex', 'assertRaisesRegexp',
           'suppress'}


def _last(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, 'id', None)


def catches(node):
    """Return whether a ``try`` statement catches the error of a missing name."""
    for handler in node.handlers:
        if handler.type is None:
            return True
        kinds = (handler.type.elts if isinstance(handler.type, ast.Tuple)
                 else [handler.type])
        if any(_last(kind) in _MISSING for kind in kinds):
            return True
    return False


_QUESTIONS = {'PY2', 'PY3', 'version_info', 'hasattr', '__version__', 'TYPE_CHECKING'}


def asks(test, scope):
    """Return whether a condition tests a version, or the existence of a name.

    A name in it may hold the version, or the result of the test.
    """
    return _asks(test) or any(
        _asks(binding[0]) for node in ast.walk(test) if isinstance(node, ast.Name)
        for binding in scope.lookup(node.id) or () if isinstance(binding, tuple))


def _asks(test):
    return any(_last(node) in _QUESTIONS for node in ast.walk(test)
               if isinstance(node, (ast.Name, ast.Attribute)))


def split(node, scope):
    """Return which children of a node are always checked, and which conditionally.

    Parameters
    ----------
    node : ast.If, ast.IfExp or ast.BoolOp
    scope : Scope

    Returns
    -------
    outside, inside : list of ast.AST
        ``inside`` is empty if the condition does not test a version.
    """
    if isinstance(node, ast.BoolOp):
        count = next((number for number, value in enumerate(node.values, 1)
                      if asks(value, scope)), len(node.values))
        return node.values[:count], node.values[count:]
    branches = ([node.body, node.orelse] if isinstance(node, ast.IfExp)
                else [*node.body, *node.orelse])
    if asks(node.test, scope):
        return [node.test], branches
    return [node.test, *branches], []


def expects_error(node):
    """Return whether a ``with`` statement expects an error in its body."""
    return any(isinstance(item.context_expr, ast.Call)
               and _last(item.context_expr.func) in _RAISES for item in node.items)
