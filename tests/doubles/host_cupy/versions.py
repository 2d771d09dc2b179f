"""Which tests take another course with another version of CuPy.

Most tests meet nothing that differs between the versions, and would only do the same
again with the other one. With the environment variable HOST_CUPY_NOTES=FILE a line is
appended for each test that meets a difference: a universal function with other types
for the same operands, parameters or names of one version alone, or memory that outlives
its pool. HOST_CUPY_ONLY=FILE runs the tests of such a file alone. Several processes may
write to one file.
"""
import os

VERSIONS = ('13.6', '14.2')

_noted = set()


def other_than(version):
    """Return the other version."""
    return VERSIONS[1 - VERSIONS.index(version)]


def note():
    """Note the test that runs, or all of its file while fixtures are made."""
    path = os.environ.get('HOST_CUPY_NOTES')
    if not path:
        return
    test, _, phase = os.environ.get('PYTEST_CURRENT_TEST', '').rpartition(' (')
    line = test if phase == 'call)' else test.partition('::')[0]
    if line and line not in _noted:
        _noted.add(line)
        with open(path, 'ab', buffering=0) as file:
            file.write(line.encode() + b'\n')


def chosen(items):
    """Return the tests that are to run: all, or those of a file of notes."""
    path = os.environ.get('HOST_CUPY_ONLY')
    if not path:
        return items
    with open(path, encoding='utf-8') as file:
        noted = set(file.read().splitlines())
    return [item for item in items
            if item.nodeid in noted or item.nodeid.partition('::')[0] in noted]
