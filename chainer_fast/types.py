"""Types of arguments, for annotations."""
import numbers
import typing as tp

if tp.TYPE_CHECKING:
    from types import ModuleType

    # Where ChainerX and CuPy are missing, their types are anything to type checkers.
    import chainerx
    import numpy

    from chainer_fast import backend
    from chainer_fast.backends import cuda
    from chainer_fast.variable import Variable

#: Shape of an array.
Shape = tuple[int, ...]

#: Shape of an array, or its length if it has one dimension.
ShapeSpec = int | tp.Sequence[int]

#: Anything that ``numpy.dtype`` takes, and ``chainer_fast.mixed16``.
DTypeSpec = tp.Any

#: An array module: ``numpy`` or ``cupy``.
Xp = tp.Any

#: An array of any backend.
NdArray = tp.Union['numpy.ndarray', 'cuda.ndarray', 'chainerx.ndarray']

#: An operand of a function.
VariableOrArray = tp.Union['Variable', 'numpy.ndarray', 'cuda.ndarray']

#: A scalar that an array can be filled with.
# For type checkers, int and float are not a Number, but pass for a complex.
ScalarValue = tp.Union[
    'numpy.generic', bytes, str, memoryview, numbers.Number, complex]


class AbstractInitializer(tp.Protocol):
    """Callable that fills an array with initial values."""

    dtype: tp.Any = None

    def __call__(self, array: NdArray) -> None:
        """Write initial values to ``array``."""


#: What a parameter can be initialized with.
InitializerSpec = tp.Union[AbstractInitializer, ScalarValue, 'numpy.ndarray']

#: A CUDA device.
CudaDeviceSpec = tp.Union['cuda.Device', int, 'numpy.integer']

#: What :func:`chainer_fast.get_device` takes.
DeviceSpec = tp.Union[
    'backend.Device', 'chainerx.Device', 'cuda.Device', str, tuple[str, int],
    'ModuleType', tuple['ModuleType', int]]
