"""Types of arguments, for annotations.

Everything imports this module, so it imports nothing of the package, not for type
checkers either. Aliases that name variables are in :mod:`chainer_fast.variable`.
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

#: Anything that ``numpy.dtype`` takes, and ``chainer_fast.mixed16``.
DTypeSpec = tp.Any

#: An array module: ``numpy`` or ``cupy``.
Xp = tp.Any

if tp.TYPE_CHECKING:
    # CuPy's classes have no types: where NumPy's stand, they pass.
    NdArray: tp.TypeAlias = numpy.ndarray[tp.Any, tp.Any]
    ScalarValue: tp.TypeAlias = (
        numpy.generic | bytes | str | memoryview | numbers.Number | complex)
    GradArrays: tp.TypeAlias = tuple[NdArray | tp.Any, ...]
    # Devices pass for Any.
    CudaDeviceSpec: tp.TypeAlias = int | numpy.integer[tp.Any] | tp.Any
    DeviceSpec: tp.TypeAlias = (
        str | tuple[str, int] | ModuleType | tuple[ModuleType, int] | tp.Any)
else:
    def _later(name):
        """Refer to a class of a module that is imported later than this one."""
        module, _, name = name.rpartition('.')
        if sys.version_info >= (3, 14):
            # Names are looked up where the annotation is, whatever module is given.
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
    # For type checkers, int and float are not a Number, but pass for a complex.
    ScalarValue = tp.Union[
        _later('numpy.generic'), bytes, str, memoryview, numbers.Number, complex]

    #: Arrays of a function, some of which may be None. A function that always has them
    #: all does not want to be told by a type checker, hence ``Any`` in place of None.
    GradArrays = tuple[tp.Union[_numpy_array, _cupy_array, tp.Any], ...]

    #: A CUDA device.
    CudaDeviceSpec = tp.Union[_cuda_device, int, _later('numpy.integer')]

    #: What :func:`chainer_fast.get_device` takes.
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
            return tp.Any       # what Python 3.10 has no word for


class _ConvolutionOptions(tp.TypedDict, total=False):
    """Keyword arguments of convolutions beside those with a place."""

    dilate: int | tp.Sequence[int]
    groups: int


class _ImageConvolutionOptions(_ConvolutionOptions, total=False):
    """The same, of images of two dimensions."""

    cudnn_fast: bool


class AbstractInitializer(tp.Protocol):
    """Callable that fills an array with initial values."""

    dtype: tp.Any = None

    def __call__(self, array: NdArray) -> None:
        """Write initial values to ``array``."""


#: What a parameter can be initialized with.
InitializerSpec = tp.Union[AbstractInitializer, ScalarValue, NdArray]
