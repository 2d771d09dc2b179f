"""Reversible changes of other modules."""
import sys

_NOTHING = object()


class Patches:
    """Changes of legacy mode, in the order in which they were made.

    Attributes
    ----------
    parts : set of str
        The active parts of legacy mode.
    named : frozenset of str
        Parts that the user named, as opposed to implied ones.
    """

    def __init__(self, parts, named):
        self.parts = parts
        self.named = named
        self._undo = []

    def set(self, owner, name, value):
        """Set an attribute of a module or of a class."""
        old = vars(owner).get(name, _NOTHING)
        setattr(owner, name, value)

        def undo():
            if old is _NOTHING:
                delattr(owner, name)
            else:
                setattr(owner, name, old)
        self._undo.append(undo)

    def module(self, name, module):
        """Make ``import name`` return a module, instead of an existing one."""
        old = sys.modules.get(name, _NOTHING)
        sys.modules[name] = module

        def undo():
            if old is _NOTHING:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = old
        self._undo.append(undo)

    def call_at_end(self, function):
        """Register a function without arguments to call when the changes are undone."""
        self._undo.append(function)

    def undo(self):
        """Undo all changes, the last one first."""
        while self._undo:
            self._undo.pop()()
