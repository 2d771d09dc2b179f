"""Gradients of arithmetic."""
from chainer_fast.backends import arrays
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels._device import device_form

_ELEMENTS = 'chainer_fast/backends/kernels/arithmetic/elements.hpp'


@kernel(device=device_form(_ELEMENTS, 'Div::grads', 'T a, T b, T g', outputs=2))
def div_grads(a, b, g):
    """Gradients of ``a / b``, not summed over the axes of broadcasts."""
    ga = g / b
    return arrays.force_array(ga), arrays.force_array(-ga * a / b)
