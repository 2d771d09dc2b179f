"""Shortcuts of functions, of which legacy mode replaces a method."""
from chainer_fast._core.graphs import graph


def put(patches, cls, name, method):
    """Replace a method of a class of functions; it and those derived keep shortcuts.

    Parameters
    ----------
    patches : Patches
        Undoes it.
    cls : type
        FunctionNode, or a class derived from it.
    name : str
        Name of the method.
    method : callable
        What takes its place, and computes the same.
    """
    old = getattr(cls, name)
    patches.call_at_end(lambda: _renew(name, method))
    patches.set(cls, name, method)
    _renew(name, old)


def _renew(name, old):
    """Let the classes keep their shortcuts although a method is no longer ``old``."""
    for cls in graph.classes_with_shortcuts():
        shortcut, methods = graph.registered(cls)
        if methods[name] is old and all(
                getattr(cls, each) is method for each, method in methods.items()
                if each != name):
            graph.declare(cls, shortcut)
