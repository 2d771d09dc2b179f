"""Result of a check, and how a check ends early."""
import importlib
import typing as tp

WORKS, MISSING, BROKEN = 'works', 'not there', 'broken'


class Finding(tp.NamedTuple):
    """Result of a check: a state, what was seen, and the command that mends it."""

    state: str
    seen: str
    remedy: str = ''


class NotThere(Exception):
    """A part is not installed; the arguments are those of a finding."""


def import_or_end(module, seen, remedy=''):
    """Import a module; if it is not installed, its check ends."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as e:
        if e.name != module:
            raise
        raise NotThere(seen, remedy)
