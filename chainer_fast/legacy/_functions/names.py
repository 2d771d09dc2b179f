"""Names that were in ``chainer.functions``: links, and classes of functions."""
import importlib
import pkgutil

from chainer_fast import functions, links
from chainer_fast._help.past.removed import functions_and_links as removed
from chainer_fast.function import Function
from chainer_fast.function_node import FunctionNode
from chainer_fast.legacy import _attributes
from chainer_fast.legacy._functions import classes


def _node_classes():
    """Return the current classes of functions, by name."""
    found = {}
    for info in pkgutil.walk_packages(functions.__path__, functions.__name__ + '.'):
        for name, value in vars(importlib.import_module(info.name)).items():
            if isinstance(value, type) and issubclass(
                    value, (Function, FunctionNode)):
                found.setdefault(name, value)
    return found


def _known(patches):
    """Return the value of each name, for the active parts."""
    found = {}
    nodes = {**_node_classes(), **classes.ADDED}
    for group, part in ((removed.CLASSES, 'v4'), (removed.CLASSES_OF_V2, 'v2')):
        if part in patches.parts:
            found.update((name, nodes[name]) for name in group
                         if name not in removed.CHANGED_CLASSES)
    if 'v1' in patches.parts:
        found.update((name, getattr(links, name))
                     for name in removed.LINKS_IN_FUNCTIONS)
    return found


def install(patches):
    """Look up names that ``chainer.functions`` lacks."""
    _attributes.provide(patches, functions, 'chainer.functions.%s', _known(patches))
    classes.install(patches)
