"""Attributes that are replaced for a while."""
import functools


class Replacements:
    """Attributes of modules and classes that have been replaced, and the way back."""

    def __init__(self):
        self._undo = []

    def set(self, place, name, new):
        """Replace an attribute; one that ``place`` has inherited hides behind it."""
        if name in vars(place):
            undo = functools.partial(setattr, place, name, vars(place)[name])
        else:
            undo = functools.partial(delattr, place, name)
        self._undo.append(undo)
        setattr(place, name, new)

    def finish_with(self, undo):
        """Register a function to call when all attributes have been put back."""
        self._undo.insert(0, undo)

    def undo(self):
        """Put everything back."""
        for undo in reversed(self._undo):
            undo()
        self._undo.clear()
