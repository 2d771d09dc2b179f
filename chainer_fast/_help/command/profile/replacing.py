"""Temporary replacement of attributes."""
import functools


class Replacements:
    """Replaced attributes of modules and classes, and their original values."""

    def __init__(self):
        self._undo = []

    def set(self, place, name, new):
        """Replace an attribute; an inherited attribute of ``place`` is hidden."""
        if name in vars(place):
            undo = functools.partial(setattr, place, name, vars(place)[name])
        else:
            undo = functools.partial(delattr, place, name)
        self._undo.append(undo)
        setattr(place, name, new)

    def finish_with(self, undo):
        """Register a function to call when all attributes are restored."""
        self._undo.insert(0, undo)

    def undo(self):
        """Restore all attributes."""
        for undo in reversed(self._undo):
            undo()
        self._undo.clear()
