"""Raw kernels of the stand-in: classes that take CUDA C++, as CuPy has them."""
import numpy

from tests.doubles.host_cupy import compiler, device, driver, instances, ledger
from tests.doubles.host_cupy.array import check_device, ndarray


def _raw_argument(arg):
    """Return the bytes of an argument of a raw kernel."""
    if isinstance(arg, ndarray):
        check_device(arg)
        if not arg._host.flags.c_contiguous:
            raise ValueError(
                'a raw kernel gets a bare pointer, but the array is not contiguous: '
                'shape %s, strides %s' % (arg.shape, arg.strides))
        return numpy.uint64(arg._host.ctypes.data).tobytes()
    if isinstance(arg, numpy.ndarray):
        if arg.size != 1:
            raise TypeError(
                'You are trying to pass a numpy.ndarray of shape %s as a kernel '
                'parameter. Only numpy.ndarrays of size one can be passed by value.'
                % (arg.shape,))
        return arg.tobytes()
    if hasattr(arg, 'ptr'):
        return numpy.uint64(arg.ptr).tobytes()
    if isinstance(arg, int):
        arg = numpy.int64(arg)
    elif isinstance(arg, float) and not isinstance(arg, numpy.generic):
        arg = numpy.float64(arg)
    if not isinstance(arg, numpy.generic) or arg.dtype.char not in '?bhilqBHILQefd':
        raise TypeError('Unsupported type %s' % type(arg))
    return arg.tobytes()


class RawKernel:
    """A kernel written in CUDA C++."""

    def __init__(self, code, name, options=(), backend='nvrtc', *,
                 translate_cucomplex=False, enable_cooperative_groups=False,
                 jitify=False):
        if translate_cucomplex or enable_cooperative_groups or jitify or (
                backend != 'nvrtc'):
            raise NotImplementedError('options of RawKernel in the stand-in')
        self.code, self.name, self.options = code, name, options
        self.__name__ = name
        self._module = RawModule(code=code, options=options, name_expressions=None)
        self._kernel = None

    @property
    def kernel(self):
        self.compile()
        return driver.function(self._kernel, self.name, device.current())

    def compile(self, log_stream=None):
        if self._kernel is None:
            self._kernel = self._module._compile((self.name,))[0]

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None):
        for each in grid, block:
            if not isinstance(each, tuple):
                raise TypeError('Expected tuple, got %s' % type(each).__name__)
        self.compile()
        grid, block = [tuple(max(1, size) for size in (each + (1, 1))[:3])
                       for each in (grid, block)]
        ledger.launch(self.name)
        self._kernel.launch(
            grid, block, [_raw_argument(arg) for arg in args], shared_mem)


class RawModule:
    """A source file of CUDA C++."""

    def __init__(self, *, code=None, path=None, options=(), backend='nvrtc',
                 translate_cucomplex=False, enable_cooperative_groups=False,
                 name_expressions=None, jitify=False):
        if code is None or path is not None or backend != 'nvrtc' or (
                translate_cucomplex or enable_cooperative_groups or jitify):
            raise NotImplementedError('options of RawModule in the stand-in')
        self.code, self.options = code, tuple(options)
        self.name_expressions = name_expressions
        self._made_at = instances.place()

    def _compile(self, names):
        return [kernel.of(instances.record(
            'raw', {'code': self.code, 'name': name, 'options': self.options,
                    'name_expressions': self.name_expressions}, [], [], {},
            self._made_at)) for name, kernel in zip(names, compiler.compile_kernels(
                self.code, names, self.options), strict=True)]

    def compile(self, log_stream=None):
        """Compile the module before the first call of :meth:`get_function`."""

    def get_function(self, name):
        if self.name_expressions and name not in self.name_expressions:
            raise ValueError('%r is not among the name expressions' % name)
        out = RawKernel(self.code, name, self.options)
        out._module = self
        out.compile()
        return out
