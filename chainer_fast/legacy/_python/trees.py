"""Nodes of rewritten sources."""
import ast

from chainer_fast.legacy._python import calls


def call(node, helper, *arguments):
    """Return a call of a helper in :mod:`calls` to replace a node.

    Parameters
    ----------
    node : ast.expr
    helper : str
        Name of the function.
    *arguments : ast.expr
    """
    function = ast.Attribute(ast.Name(calls.NAME, ast.Load()), helper, ast.Load())
    made = ast.copy_location(ast.Call(function, list(arguments), []), node)
    return ast.fix_missing_locations(made)


def with_first(node, helper):
    """Return a call of a helper in :mod:`calls` whose first argument is a function."""
    return call_with(node, helper, node.func)


def call_with(node, helper, *first):
    """Return a call of a helper in :mod:`calls` with additional first arguments."""
    made = call(node, helper, *first, *node.args)
    made.keywords = node.keywords
    return made


COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
#: Nodes that bind local names.
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda,
           *COMPREHENSIONS)


def _bound_by(node):
    """Return the name that a node binds, or None."""
    if isinstance(node, ast.Name):
        return None if isinstance(node.ctx, ast.Load) else node.id
    if isinstance(node, ast.alias):
        return (node.asname or node.name).partition('.')[0]
    if isinstance(node, ast.arg):
        return node.arg
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef,
                         ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        return node.name
    return None


def bound_in(scope):
    """Return the names that a module, function, class or comprehension binds."""
    names, rest = set(), list(ast.iter_child_nodes(scope))
    while rest:
        node = rest.pop()
        names.add(_bound_by(node))
        if not isinstance(node, SCOPES):
            rest.extend(ast.iter_child_nodes(node))
    return names
