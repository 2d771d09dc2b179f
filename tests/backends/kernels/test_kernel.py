"""Which form of a kernel runs."""
import numpy as np
import pytest

from chainer_fast.backends import cuda, kernels
from tests.backends import host_cuda


def only_positive(x):
    return NotImplemented if (x <= 0).any() else 'special'


@kernels.kernel(compiled=only_positive)
def with_compiled_form(x):
    """Say which form ran."""
    return 'reference'


@kernels.kernel(device=only_positive)
def with_device_form(x):
    return 'reference'


@kernels.kernel()
def without(x):
    return 'reference'


class Derived(np.ndarray):
    pass


@pytest.mark.parametrize('array,form', [
    (np.ones(2), 'special'),
    (np.zeros(2), 'reference'),
    (np.ones(2).view(Derived), 'reference'),
])
def test_compiled_form_where_it_has_code(array, form):
    assert with_compiled_form(array) == form


@pytest.mark.parametrize('array,form', [
    (np.ones(2).view(Derived), 'special'),
    (np.zeros(2).view(Derived), 'reference'),
    (np.ones(2), 'reference'),
])
def test_device_form_where_it_has_code(monkeypatch, array, form):
    monkeypatch.setattr(cuda, 'ndarray', Derived)
    assert with_device_form(array) == form


def test_reference_alone():
    assert without(np.ones(2)) == 'reference'


def test_kernel_is_known_by_its_reference():
    assert with_compiled_form.__name__ == 'with_compiled_form'
    assert with_compiled_form.__doc__ == 'Say which form ran.'


@pytest.mark.skipif(host_cuda.COMPILER is None, reason='no C++ compiler')
def test_arrays_alone_decide_types_on_the_device():
    x = np.arange(3, dtype='f')
    scale = host_cuda.elementwise('T x, T c', 'T y', 'y = x * c', 'scale')
    assert scale(x, np.float64(2)).tolist() == [0, 2, 4]
    with pytest.raises(TypeError, match='mismatched'):
        scale(x, np.ones(3))
    with pytest.raises(KeyError, match='U'):
        host_cuda.elementwise('T x, U c', 'T y', 'y = x * c', 'scale')(x, 2.)
