"""Functions of the core are short enough to be read at a look."""
import re
from pathlib import Path

import pytest

from chainer_fast import _core

LONGEST = 60
FOLDER = Path(_core.__file__).parent
FILES = sorted(
    path for path in FOLDER.rglob('*')
    if path.suffix in {'.py', '.pyx', '.pxi', '.pxd'})
HEAD = re.compile(r'( *)(async def|cpdef|cdef|def) [^=]*\(')


def functions(text):
    """Yield name and number of lines of functions, from the head to the last line.

    A function has all lines that are indented deeper than its head.
    """
    lines = text.splitlines()
    for first, line in enumerate(lines):
        head = HEAD.match(line)
        if not head or ' class ' in line:
            continue
        last = end = first
        depth = 0
        while True:
            depth += len(re.findall(r'[([]', lines[end]))
            depth -= len(re.findall(r'[])]', lines[end]))
            if depth <= 0:
                break
            end += 1
        if not lines[end].split('#')[0].rstrip().endswith(':'):
            continue        # a declaration
        for i in range(end + 1, len(lines)):
            indent = len(lines[i]) - len(lines[i].lstrip())
            if lines[i].strip() and indent <= len(head[1]):
                break
            if lines[i].strip():
                last = i
        yield line.strip(), last - first + 1


def test_lines_are_counted():
    text = '\n'.join([
        'cdef int declared(', '    int a)', '', '@decorated', 'cdef int first(',
        '        int a) except -1:', '    """It."""', '', '    return a', '',
        'cdef class Kind:', '    def second(self):', '        # Nothing.',
        '        pass', '', '    cdef object field', 'x = first(1)'])
    assert list(functions(text)) == [
        ('cdef int first(', 5), ('def second(self):', 3)]


@pytest.mark.parametrize(
    'path', FILES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_no_function_is_long(path):
    found = functions(path.read_text())
    assert {name: lines for name, lines in found if lines > LONGEST} == {}


def test_functions_are_found():
    found = [each for path in FILES for each in functions(path.read_text())]
    assert len(found) > 300
    assert max(lines for _, lines in found) > LONGEST // 2
