import numpy as np
import pytest

from chainer_fast.backends.kernels import matmul
from tests.backends.kernels import forms
from tests.functions import gradients


def _swapped(x):
    return np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)


@pytest.mark.gpu
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('left, right', [
    ((2, 3, 4), (2, 4, 5)), ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)),
    ((2, 1, 3, 4), (3, 4, 5)), ((2, 3, 1, 1), (2, 3, 1, 4)), ((3, 4), (4, 1)),
    ((2, 3, 0), (2, 0, 4)), ((0, 3, 4), (0, 4, 5)), ((2, 0, 4), (2, 4, 5))])
def test_device_forms(device, left, right, dtype):
    a, b = [gradients.uniform(shape, 0, dtype) for shape in (left, right)]
    for x in (*forms.layouts(a), _swapped(a)):
        for y in (*forms.layouts(b), _swapped(b)):
            forms.check(matmul.matmul, x, y)


@pytest.mark.gpu
@pytest.mark.parametrize('left, right, dtypes', [
    ((4,), (2, 4, 5), 'ff'), ((2, 3, 4), (4,), 'ff'), ((2, 3, 4), (2, 4, 5), 'fd'),
    ((2, 3, 4), (2, 4, 5), 'ii'), ((2, 3, 4), (2, 3, 5), 'ff')])
def test_no_code_for_these(device, left, right, dtypes):
    a, b = [device.xp.ones(*args) for args in zip((left, right), dtypes, strict=True)]
    assert matmul.matmul.device(a, b) is NotImplemented
