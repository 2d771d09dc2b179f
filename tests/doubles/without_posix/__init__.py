"""A plugin of pytest that runs the tests as if the system were not POSIX.

    pytest -p tests.doubles.without_posix tests/iterators

For code of chainer_fast, and in each Python that a test starts:

- the modules and names of the standard library that Windows lacks do not exist
  (`names.py` reads them from mypy's typeshed), ``sys.platform`` is ``'win32'`` and
  ``os.name`` is ``'nt'``;
- files behave as on Windows (`on_path/lesser_system/files.py`): a file that any process
  has open is neither replaced, moved nor removed; a rename does not replace; folders
  and files of ``/proc`` are not opened; names with ``:`` or ``*`` are refused, as are
  names that differ from another one only by case;
- processes are spawned, never forked.

All other code, such as that of the tests and of other libraries, sees the system as it
is. Tests that need POSIX themselves have the mark ``posix`` with the reason; they are
deselected, and the summary counts them by reason. On Windows, ``tests/conftest.py``
deselects them too.

The plugin cannot show what depends on the implementation of another system: compiled
code, which was built for this one; paths with backslashes and drives, limits of their
length, and environment variables without case; encodings of the console and of text
files (ruff's rule PLW1514 finds files that are opened without one); the clock's
resolution; how handles differ from file descriptors; signals of a console; and methods
of classes that Windows lacks, which ``make lint`` finds with ``mypy --platform win32``.
Imports by other ways than the statement are not seen, nor the imports of compiled
modules.
"""
import atexit
import collections
import json
import os
import sys
import tempfile

import pytest

from tests.doubles.without_posix import names

ON_PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'on_path')
VARIABLE = 'CHAINER_FAST_TESTS_WITHOUT_POSIX'

_deselected = collections.Counter()


def _start():
    """Take POSIX away here, and in processes that start from now on."""
    if VARIABLE not in os.environ:
        with tempfile.NamedTemporaryFile(
                'w', prefix='without_posix', suffix='.json', delete=False,
                encoding='utf-8') as file:
            json.dump(names.absent(), file)
        atexit.register(os.remove, file.name)
        os.environ[VARIABLE] = file.name
        os.environ['PYTHONPATH'] = os.pathsep.join(
            filter(None, [ON_PATH, os.environ.get('PYTHONPATH')]))
    if ON_PATH not in sys.path:
        sys.path.append(ON_PATH)
    import lesser_system
    lesser_system.install(os.environ[VARIABLE])


if 'chainer_fast' in sys.modules and 'lesser_system' not in sys.modules:
    raise ImportError('chainer_fast has been imported before POSIX was taken away')
_start()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    marked = [item for item in items if item.get_closest_marker('posix')]
    for item in marked:
        _deselected[_reason(item)] += 1
    if marked:
        config.hook.pytest_deselected(items=marked)
        items[:] = [item for item in items if not item.get_closest_marker('posix')]


def _reason(item):
    arguments = item.get_closest_marker('posix').args
    if len(arguments) != 1 or not isinstance(arguments[0], str):
        raise pytest.UsageError(
            '%s: the mark posix has no reason; write posix(reason)' % item.nodeid)
    return arguments[0]


def pytest_sessionfinish(session):
    if hasattr(session.config, 'workeroutput'):     # a worker of xdist
        session.config.workeroutput['posix'] = dict(_deselected)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    # Each worker collects all tests.
    _deselected.update(getattr(node, 'workeroutput', {}).get('posix', {})
                       if not _deselected else {})


def pytest_terminal_summary(terminalreporter):
    terminalreporter.section('tests that need POSIX, which did not run')
    for reason, count in _deselected.most_common():
        terminalreporter.write_line('%4d %s' % (count, reason))
