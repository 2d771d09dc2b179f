"""Tools that write the code of CUDA kernels, under Chainer's names."""
import pytest

from chainer_fast.utils import conv_nd_kernel as K


def test_expressions():
    assert K.mulexp(['a', 'b']) == 'a * b'
    assert K.mulexp(['a', 'b'], 'i') == 'i * a * b'
    assert K.mulexp([], 'i') == 'i'
    assert K.andexp(['a', 'b'], 'i') == 'i && a && b'
    assert K.muladdexp(['a', 'b'], ['c', 'd'], 'i') == '(d + b * (c + a * i))'
    assert K.muladdexp(['a', 'b'], ['c', 'd']) == '(d + b * c)'
    for empty in (lambda: K.mulexp([]), lambda: K.andexp([]),
                  lambda: K.muladdexp([], [])):
        with pytest.raises(TypeError):
            empty()


def test_lists():
    assert K.vars('x', 3) == ['x_0', 'x_1', 'x_2']
    assert K.succ_sublists([1, 2, 3]) == [[1, 2, 3], [2, 3], [3]]
    assert K.map_(lambda a, b: a + b, [1, 2], [3, 4]) == [4, 6]


def test_writer():
    writer = K.Writer()
    for line in (('if (a) {', 'inc'), ('b;',), ('} else {', 'decinc'), ('c;',),
                 ('}', 'dec'), ('d;',)):
        writer.write(*line)
    assert writer.get() == 'if (a) {\n  b;\n} else {\n  c;\n}\nd;'
