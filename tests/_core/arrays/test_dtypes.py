"""Types of elements: equal ones need not be the same object."""
import pathlib
import re

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import chainerx
from tests._core.foreign import NATIVE

PACKAGE = pathlib.Path(chainer.__file__).parent
_TYPE = r'(\.dtype|\bdtype|\bPyArray_DESCR\((<[^>]*>)?[\w.]+\))'
_CAST = r'(<object>|<np\.dtype>)?\s*(np\.)?'
# A type beside `is`, other than `is None`.
BY_IDENTITY = re.compile(
    _TYPE + r'\s+is\s+(not\s+)?(?!None\b|not\b)'
    r'|\bis\s+(not\s+)?' + _CAST + r'([\w\[\]]+\.|\(<[^>\n]*>[^\n]*\))*' + _TYPE
    + '|' + _TYPE + r'\s*[!=]=\s*PyArray_DESCR')
_TEXT = re.compile(r'"""(?!\s*/\*|\s*#).*?"""|#[^\n]*', re.S)


def test_nobody_compares_types_by_identity():
    found = []
    for suffix in ('pyx', 'pxi', 'pxd', 'hpp', 'cc', 'py'):
        for path in PACKAGE.rglob('*.' + suffix):
            text = _TEXT.sub('', path.read_text(encoding='utf8'))
            found += [
                '%s: %s' % (path, match[0]) for match in BY_IDENTITY.finditer(text)]
    assert not found


def test_halves_of_either_byte_order_are_found():
    found = [
        '%s: %s' % (path, match[0]) for path in PACKAGE.rglob('*.py')
        if 'testing' not in path.parts
        for match in re.finditer(r'\S+\s*[!=]=\s*(?:numpy|np)\.float16', _TEXT.sub(
            '', path.read_text(encoding='utf8')))]
    assert not found, "ask for the character: dtype.char == 'e'"


@pytest.mark.parametrize('line', [
    'a.dtype is not dtype', 'node.dtype is dtype', 'x is y.dtype',
    'PyArray_DESCR(<np.ndarray>a) is PyArray_DESCR(b)', 'dtype is not a.dtype',
    'if <object>np.PyArray_DESCR(<np.ndarray>gy) is not node.dtype',
    'values[v].dtype is first.dtype', 'PyArray_DESCR(a) == PyArray_DESCR(b)',
    'self is (<VariableNodeBase>function.input_nodes[0]).dtype'])
def test_such_lines_would_be_found(line):
    assert BY_IDENTITY.search(line)


@pytest.mark.parametrize('line', [
    'if dtype is None', 'x.dtype is not None', 'same_dtype(a.dtype, b.dtype)'])
def test_others_are_not(line):
    assert not BY_IDENTITY.search(line)


@pytest.mark.parametrize('origin', NATIVE)
def test_gradients_may_be_of_any_origin(origin):
    x = chainer.Variable(np.ones((2, 3), 'f'))
    x.grad = grad = NATIVE[origin](np.ones((2, 3), 'f'))
    assert x.grad is grad
    y = x * 2 + x
    y.grad = NATIVE[origin](np.ones((2, 3), 'f'))
    y.backward()
    assert x.grad.tolist() == [[4.] * 3] * 2


@pytest.mark.parametrize('a,b', [('i', 'l'), ('l', 'q'), ('f', 'd')])
def test_other_types_stay_apart(a, b):
    x = chainer.Variable(np.ones(3, a))
    if np.dtype(a) == np.dtype(b):
        x.grad = np.ones(3, b)
        return
    with pytest.raises(TypeError, match='Dtype'):
        x.grad = np.ones(3, b)


@pytest.mark.parametrize('origin', NATIVE)
def test_arrays_of_chainerx(origin):
    x = chainerx.array(NATIVE[origin](np.ones((2, 3), 'f')))
    y = chainerx.array(np.ones((2, 3), 'f'))
    assert (x + y).dtype == np.float32 and (x * y).sum() == 6
