"""Sources of Python 2 are read, line by line, and what was of Python 2 is told."""
import pytest

from chainer_fast._help.past import python2, removed

SOURCE = '''\
def f((a, b)):
    if a <> b:
\tprint `a`, 0755, 10L, ur'x'
    try:
        exec 'a = 1'
    except E, error:
        raise E, error
'''


def test_readable():
    text, lines, found = python2.readable(SOURCE)
    compile(text, 'source', 'exec')
    # A tuple is unpacked in a line that was not there.
    assert len(lines) == 10 and lines == sorted(lines) and lines[-3:] == [6, 7, 8]
    assert sorted(found, key=lambda use: use[::-1]) == [
        ('tuple parameter', 1), ('<> operator', 2), ('backticks', 3),
        ('indentation by tabs and spaces', 3), ('number 10L', 3), ('octal 0755', 3),
        ('print statement', 3), ("ur'' string", 3), ('exec statement', 5),
        ('except E, name', 6), ('raise E, value', 7)]
    assert {what for what, _ in found} <= set(removed.entries())


def test_neither_python_2_nor_3():
    with pytest.raises(SyntaxError):
        python2.readable('def f(:\n')
