"""Support for unmodified programs for Chainer 1 to 6, and their Python and NumPy.

``python -m chainer_fast --legacy SCRIPT`` runs an old program with its original
meaning; at the end, a report lists what was adapted, where, and what to write instead.
Notebooks and libraries call :func:`enable`; tests and workers set
``CHAINER_FAST_LEGACY=1``. Otherwise no module of this package is loaded.
"""
from __future__ import annotations

import atexit
import importlib
import os
import sys
from typing import Any

from chainer_fast.legacy import _named, _report
from chainer_fast.legacy._patches import Patches

# Modules that each part installs; each defines a function ``install(patches)``. A part
# ``vN`` provides what programs for that version use and the next version lacks.
_MODULES = {
    'v1': (
        '_engine.volatility', '_engine.type_checks', '_engine.initializers',
        '_engine.names', '_engine.links', '_engine.assigned',
        '_engine.optimizers', '_engine.rules', '_engine.cuda', '_engine.modules_v1',
        '_engine.lengths',
        '_training.snapshots', '_training.marked_extensions', '_training.losses',
        '_links.arguments', '_links.calls', '_links.gru', '_links.function_set'),
    'v2': ('_engine.fusion', '_engine.files', '_engine.pickles',
           '_training.before', '_training.triggers', '_functions.kept',
           '_functions.calls', '_links.caffe'),
    'v3': ('_engine.noise', '_functions.recurrent'),
    'v4': ('_orders', '_engine.copies', '_training.epochs', '_training.shuffles',
           '_functions.names', '_functions.pyramid', '_links.meanings',
           '_links.renormalization'),
    'v5': ('_engine.hooks', '_engine.places', '_engine.roots', '_engine.attributes',
           '_training.graphs', '_training.silent', '_training.epoch_ends',
           '_training.late_orders', '_training.device_numbers',
           '_training.positions', '_functions.boundaries'),
    'v6': ('_engine.modules_v6', '_engine.old_pickles', '_functions.meanings',
           '_training.updaters'),
    'python': ('_python.idioms', '_python.pickles', '_python.standard_library',
               '_python.draws', '_python.standard_modules'),
    'numpy': ('_numpy.names', '_numpy.functions', '_numpy.counts', '_numpy.arrays'),
    'libraries': ('_libraries.of_scipy', '_libraries.of_sklearn',
                  '_libraries.of_pictures', '_libraries.of_files',
                  '_libraries.of_matplotlib', '_libraries.of_pandas'),
    'cpu': ('_cpu.devices', '_cpu.cupy'),
    'chainerx': ('_chainerx',),
}
_VERSIONS = [part for part in _MODULES if part[0] == 'v']
# For every version, and before the other modules, which wrap what these install.
_INNERMOST = ('_functions.in_modules',)

#: Parts of legacy mode. Two must be requested explicitly: ``cpu`` runs programs for a
#: GPU on the processor, and ``chainerx`` runs programs for ChainerX on plain arrays.
#: ``python3`` is ``python`` for a program for Python 3: calls that have another meaning
#: in Python 2 keep their meaning in Python 3. A version may be given as a release, such
#: as ``v1.13``.
PARTS = (*_MODULES, 'python3')
_UNUSUAL = frozenset({'cpu', 'chainerx'})
_USUAL = tuple(part for part in _MODULES if part not in _UNUSUAL)

_enabled = None     # the active Patches
_is_asked_for = False       # whether the program itself, or its user, enabled the mode


def _chosen(parts):
    """Return the set of the parts to install; a version includes the later ones."""
    parts = [_named.version_of(part) or part for part in parts]
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        raise ValueError('legacy mode has no part %s: its parts are %s' % (
            ', '.join(map(repr, unknown)), ', '.join(PARTS)))
    if {'python', 'python3'} <= set(parts):
        raise ValueError('a program is for Python 2 or 3: the parts python and python3 '
                         'exclude each other')
    if _UNUSUAL.issuperset(parts):
        parts = _USUAL + tuple(parts)
    versions = [part for part in parts if part in _VERSIONS]
    later = _VERSIONS[_VERSIONS.index(min(versions)):] if versions else []
    return {*('python' if part == 'python3' else part for part in parts), *later}


def enable(*parts: Any) -> None:
    """Let programs for earlier versions run in this process.

    The report is printed to standard error at the end of the process.

    Parameters
    ----------
    *parts : str
        Members of :data:`PARTS`. No part, or only ``'cpu'`` and ``'chainerx'``, means
        all others. A version such as ``'v3'`` includes the later ones. If the meaning
        of a call changed between versions and the call is ambiguous, it keeps its
        current meaning unless the version is named here. A release such as ``'v1.13'``
        implies its version and selects the behavior of that release.

    Raises
    ------
    ValueError
        If a part is unknown.
    RuntimeError
        If legacy mode is already enabled with other parts.
    """
    global _enabled, _is_asked_for
    chosen = _chosen(parts)
    named = frozenset({*parts, *filter(None, map(_named.version_of, parts))})
    _is_asked_for = True
    if _enabled is not None:
        if (_enabled.parts, _enabled.named) == (chosen, named):
            return
        raise RuntimeError(
            'legacy mode is enabled already, with the parts %s: call disable() first'
            % ', '.join(sorted(_enabled.parts)))
    patches = Patches(chosen, named)
    _report.clear()
    try:
        for part, modules in (('v6', _INNERMOST), *_MODULES.items()):
            if part in chosen:
                for name in modules:
                    importlib.import_module('%s.%s' % (__name__, name)).install(patches)
    except BaseException:
        patches.undo()
        raise
    _enabled = patches
    _print_at_exit()


def disable() -> None:
    """Undo :func:`enable`; do nothing if legacy mode is not enabled.

    Objects that a program obtained while legacy mode was enabled do not change.
    """
    global _enabled
    if _enabled is not None:
        _enabled.undo()
        _enabled = None


def enabled() -> tuple[Any, ...]:
    """Return the sorted names of the active parts, as a tuple of str."""
    return () if _enabled is None else tuple(sorted(_enabled.parts))


def is_path_as_given() -> bool:
    """Return whether ``__file__`` of the script is the path on the command line.

    Since Python 3.9 it is absolute, and a modern program may change its folder and
    search for files next to the script. Therefore the version of Chainer or Python must
    be named.
    """
    return _enabled is not None and bool(
        _enabled.named - {'numpy', 'libraries', *_UNUSUAL})


def report() -> str:
    """Return a text of what was adapted so far, where, and what to write instead."""
    return _report.text()


_is_registered = False


def _print_at_exit():
    """Print the report when this process ends, but not when forked processes end."""
    global _is_registered
    if _is_registered:
        return
    _is_registered = True
    process = os.getpid()

    def finish():
        if os.getpid() == process and _enabled is not None and (
                _is_asked_for or _report.uses()):
            print(_report.text(), file=sys.stderr)
    atexit.register(finish)


def enable_from_environment() -> None:
    """Enable the parts in ``CHAINER_FAST_LEGACY``: ``1``, or names separated by commas.

    Workers and other child processes inherit it; they report only if they adapted
    something.
    """
    global _is_asked_for
    value = os.environ['CHAINER_FAST_LEGACY']
    if value in ('', '0') or _enabled is not None:
        return
    try:
        enable(*([] if value == '1' else value.split(',')))
    except ValueError as error:
        raise ValueError('the environment variable CHAINER_FAST_LEGACY is %r: %s'
                         % (value, error)) from None
    _is_asked_for = False
