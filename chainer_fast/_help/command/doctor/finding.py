"""The result of a check, and the exception that ends a check early."""
import importlib
from typing import NamedTuple

WORKS, MISSING, BROKEN = 'works', 'missing', 'broken'


class Finding(NamedTuple):
    """Result of a check: a state, what was found, and the command that fixes it."""

    state: str
    seen: str
    remedy: str = ''


class NotThere(Exception):
    """A part is not installed; the arguments are those of a ``Finding``."""


def import_or_end(module, seen, remedy=''):
    """Import a module, or end the check if it is not installed."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as e:
        if e.name != module:
            raise
        raise NotThere(seen, remedy)
