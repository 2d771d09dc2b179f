"""Types of arguments, for annotations.

Every module imports this one, so it imports nothing from the package, not even for type
checkers. Aliases that name variables are in :mod:`chainer_fast.variable`.
"""
from __future__ import annotations

import numbers
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ForwardRef, Protocol, TypeAlias, TypedDict, Union

if TYPE_CHECKING:
    from types import ModuleType

    import numpy

#: Shape of an array.
Shape = tuple[int, ...]

#: Shape of an array, or its length if it has one dimension.
ShapeSpec = int | Sequence[int]

#: Anything that ``numpy.dtype`` accepts, and ``chainer_fast.mixed16``.
DTypeSpec = Any

#: An array module: ``numpy`` or ``cupy``.
Xp = Any

if TYPE_CHECKING:
    # CuPy's classes have no types; checkers accept them in place of NumPy's.
    NdArray: TypeAlias = numpy.ndarray[Any, Any]
    ScalarValue: TypeAlias = (
        numpy.generic | bytes | str | memoryview | numbers.Number | complex)
    GradArrays: TypeAlias = tuple[NdArray | Any, ...]
    # A device is Any to type checkers.
    CudaDeviceSpec: TypeAlias = int | numpy.integer[Any] | Any
    DeviceSpec: TypeAlias = (
        str | tuple[str, int] | ModuleType | tuple[ModuleType, int] | Any)
else:
    def _later(name):
        """Refer to a class of a module that is imported later than this one."""
        module, _, name = name.rpartition('.')
        if sys.version_info >= (3, 14):
            # Names are looked up in the module of the annotation, whatever module is
            # given.
            return ForwardRef(
                '__import__(%r, fromlist=[%r]).%s' % (module, name, name))
        return ForwardRef(name, module=module)

    _numpy_array = _later('numpy.ndarray')
    _cupy_array = _later('chainer_fast.backends.cuda.ndarray')
    _module = _later('types.ModuleType')
    _cuda_device = _later('chainer_fast.backends.cuda.Device')

    #: An array of any backend.
    NdArray = Union[
        _numpy_array, _cupy_array, _later('chainer_fast.chainerx.ndarray')]

    #: A scalar that an array can be filled with.
    # Type checkers do not accept int and float as a Number, but accept them as a
    # complex.
    ScalarValue = Union[
        _later('numpy.generic'), bytes, str, memoryview, numbers.Number, complex]

    #: Arrays of a function, some of which may be None. ``Any`` in place of None spares
    #: functions that always have all arrays the errors of type checkers.
    GradArrays = tuple[Union[_numpy_array, _cupy_array, Any], ...]

    #: A CUDA device.
    CudaDeviceSpec = Union[_cuda_device, int, _later('numpy.integer')]

    #: What :func:`chainer_fast.get_device` accepts.
    DeviceSpec = Union[
        _later('chainer_fast.backend.Device'),
        _later('chainer_fast.backends._chainerx.ChainerxDevice'), _cuda_device, str,
        tuple[str, int], _module, tuple[_module, int]]


if TYPE_CHECKING:
    from typing_extensions import Unpack as _Unpack
else:
    class _Unpack:
        """Marks ``**kwargs`` whose names are those of a ``TypedDict``."""

        def __class_getitem__(cls, item):
            return Any       # for which Python 3.10 has no type


class _ConvolutionOptions(TypedDict, total=False):
    """Keyword arguments of convolutions besides the positional ones."""

    dilate: int | Sequence[int]
    groups: int


class _ImageConvolutionOptions(_ConvolutionOptions, total=False):
    """Keyword arguments of two-dimensional convolutions."""

    cudnn_fast: bool


class AbstractInitializer(Protocol):
    """Callable that fills an array with initial values."""

    dtype: Any = None

    def __call__(self, array: NdArray) -> None:
        """Write initial values to ``array``."""


#: What a parameter can be initialized with.
InitializerSpec = Union[AbstractInitializer, ScalarValue, NdArray]
