"""Types of arguments, for annotations.

Every module imports this one, so it imports nothing from the package, not even for type
checkers. Aliases that name variables are in :mod:`chainer_fast.variable`.
"""
import numbers
import sys
import typing as tp

if tp.TYPE_CHECKING:
    from types import ModuleType

    import numpy

#: Shape of an array.
Shape = tuple[int, ...]

#: Shape of an array, or its length if it has one dimension.
ShapeSpec = int | tp.Sequence[int]

#: Anything that ``numpy.dtype`` accepts, and ``chainer_fast.mixed16``.
DTypeSpec = tp.Any

#: An array module: ``numpy`` or ``cupy``.
Xp = tp.Any

if tp.TYPE_CHECKING:
    # CuPy's classes have no types; checkers accept them in place of NumPy's.
    NdArray: tp.TypeAlias = numpy.ndarray[tp.Any, tp.Any]
    ScalarValue: tp.TypeAlias = (
        numpy.generic | bytes | str | memoryview | numbers.Number | complex)
    GradArrays: tp.TypeAlias = tuple[NdArray | tp.Any, ...]
    # A device is Any to type checkers.
    CudaDeviceSpec: tp.TypeAlias = int | numpy.integer[tp.Any] | tp.Any
    DeviceSpec: tp.TypeAlias = (
        str | tuple[str, int] | ModuleType | tuple[ModuleType, int] | tp.Any)
else:
    def _later(name):
        """Refer to a class of a module that is imported later than this one."""
        module, _, name = name.rpartition('.')
        if sys.version_info >= (3, 14):
            # Names are looked up in the module of the annotation, whatever module is
            # given.
            return tp.ForwardRef(
                '__import__(%r, fromlist=[%r]).%s' % (module, name, name))
        return tp.ForwardRef(name, module=module)

    _numpy_array = _later('numpy.ndarray')
    _cupy_array = _later('chainer_fast.backends.cuda.ndarray')
    _module = _later('types.ModuleType')
    _cuda_device = _later('chainer_fast.backends.cuda.Device')

    #: An array of any backend.
    NdArray = tp.Union[
        _numpy_array, _cupy_array, _later('chainer_fast.chainerx.ndarray')]

    #: A scalar that an array can be filled with.
    # Type checkers do not accept int and float as a Number, but accept them as a
    # complex.
    ScalarValue = tp.Union[
        _later('numpy.generic'), bytes, str, memoryview, numbers.Number, complex]

    #: Arrays of a function, some of which may be None. ``Any`` in place of None spares
    #: functions that always have all arrays the errors of type checkers.
    GradArrays = tuple[tp.Union[_numpy_array, _cupy_array, tp.Any], ...]

    #: A CUDA device.
    CudaDeviceSpec = tp.Union[_cuda_device, int, _later('numpy.integer')]

    #: What :func:`chainer_fast.get_device` accepts.
    DeviceSpec = tp.Union[
        _later('chainer_fast.backend.Device'),
        _later('chainer_fast.backends._chainerx.ChainerxDevice'), _cuda_device, str,
        tuple[str, int], _module, tuple[_module, int]]


if tp.TYPE_CHECKING:
    from typing_extensions import Unpack as _Unpack
else:
    class _Unpack:
        """Marks ``**kwargs`` whose names are those of a ``TypedDict``."""

        def __class_getitem__(cls, item):
            return tp.Any       # for which Python 3.10 has no type


class _ConvolutionOptions(tp.TypedDict, total=False):
    """Keyword arguments of convolutions besides the positional ones."""

    dilate: int | tp.Sequence[int]
    groups: int


class _ImageConvolutionOptions(_ConvolutionOptions, total=False):
    """Keyword arguments of two-dimensional convolutions."""

    cudnn_fast: bool


class AbstractInitializer(tp.Protocol):
    """Callable that fills an array with initial values."""

    dtype: tp.Any = None

    def __call__(self, array: NdArray) -> None:
        """Write initial values to ``array``."""


#: What a parameter can be initialized with.
InitializerSpec = tp.Union[AbstractInitializer, ScalarValue, NdArray]
