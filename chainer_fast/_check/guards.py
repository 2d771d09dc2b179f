"""Code that expects what it names to be missing: it is not a finding."""
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


def asks(test):
    """Return whether a condition asks for a version, or whether there is a name."""
    for node in ast.walk(test):
        name = _last(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
        if name in ('PY2', 'PY3', 'version_info', 'hasattr', '__version__',
                    'TYPE_CHECKING'):
            return True
    return False


def expects_error(node):
    """Return whether a ``with`` statement is there for the error of its body."""
    return any(isinstance(item.context_expr, ast.Call)
               and _last(item.context_expr.func) in _RAISES for item in node.items)
