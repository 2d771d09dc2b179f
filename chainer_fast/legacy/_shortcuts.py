"""Shortcuts of functions if legacy mode replaces one of their methods."""
from chainer_fast._core.graphs import graph


def put(patches, cls, name, method):
    """Replace a method of a class of functions; it and its subclasses keep shortcuts.

    Parameters
    ----------
    patches : Patches
        The patches, which undo the change.
    cls : type
        FunctionNode, or a class derived from it.
    name : str
        Name of the method.
    method : callable
        Replacement, which computes the same.
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
