"""Functions that are constant between jumps; their results are not in the graph."""
import numpy

from chainer_fast import backend, utils, variable
from chainer_fast.backends.kernels import arithmetic as kernels
from chainer_fast.backends.kernels.arithmetic import unary
from chainer_fast.backends.kernels.common import halves

_NUMBERS = (numpy.generic, bool, int, float, complex, list, tuple)


def piecewise_constant(x, ufunc):
    """Apply a ufunc of the array module; return a variable that needs no gradient.

    Scalars and lists are converted as by NumPy.
    """
    array = numpy.asarray(x) if isinstance(x, _NUMBERS) else variable.as_array(x)
    plain = backend.from_chx(array)
    if ufunc == 'sign':
        y = utils.force_array(kernels.sign(plain))
    else:
        # Every rounded float16 number is a float16 number, so float32 gives the same
        # results.
        wide = halves.cast(plain, 'f') if plain.dtype.char == 'e' else plain
        rounded = unary.apply(getattr(backend.get_array_module(plain), ufunc), wide)
        y = utils.force_array(halves.cast(rounded, plain.dtype))
    if plain is not array:
        y = backend.get_device_from_array(array).send(y)
    return variable.as_variable(y)
