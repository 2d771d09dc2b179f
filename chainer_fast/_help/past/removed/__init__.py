"""What old programs use and today's Chainer, NumPy or Python lack.

Errors, legacy mode, ``chainer-fast check`` and the table in docs/legacy.md read these
entries. They are pure data, so that loading them costs little.
"""
import functools
import importlib

#: Modules with a tuple ``ENTRIES`` each.
FAMILIES = (
    'functions_and_links', 'engine_and_training', 'python_and_numpy', 'packages')


@functools.cache
def entries():
    """Return all entries, as a dictionary with ``what`` as keys."""
    found = {}
    for family in FAMILIES:
        module = importlib.import_module('%s.%s' % (__name__, family))
        for entry in module.ENTRIES:
            if entry.what in found:
                raise ValueError('%s has two entries' % entry.what)
            found[entry.what] = entry
    return found
