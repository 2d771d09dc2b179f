"""Nodes of rewritten sources."""
import ast

from chainer_fast.legacy._python import calls


def call(node, helper, *arguments):
    """Return a call of one of :mod:`calls`, to stand in the place of a node.

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
