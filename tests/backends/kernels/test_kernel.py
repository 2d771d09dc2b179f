"""Which form of a kernel runs."""
import numpy as np
import pytest

from chainer_fast.backends import cuda, kernels


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
