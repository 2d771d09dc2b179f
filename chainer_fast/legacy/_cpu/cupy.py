"""The module ``cupy`` on machines without a GPU: its arrays are NumPy's."""
import functools
import sys
import types

import numpy

from chainer_fast.backends import cuda
from chainer_fast.legacy import _attributes, _report
from chainer_fast.legacy._cpu import devices
from chainer_fast.legacy._python import modules, sources

_WHAT = 'without a GPU: cupy'

# The version that was released together with Chainer 7.8.
_VERSION = '7.8.0'


class _Kernel:
    """A CUDA kernel, which can be created but not called."""

    def __init__(self, *args, **kwargs):
        self.name = kwargs.get('name') or (args[3:4] or args[1:2] or ('',))[0]

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            'the kernel %r is CUDA code, which a processor cannot run: if the array '
            'module is numpy, compute the same with NumPy' % self.name)


class _Pool:
    """A memory pool without memory."""

    def __init__(self, allocator=None):
        pass

    def malloc(self, size):
        raise RuntimeError('there is no GPU memory to allocate')

    def _nothing(self, *args, **kwargs):
        return 0

    free_all_blocks = free_all_free = n_free_blocks = _nothing
    used_bytes = free_bytes = total_bytes = set_limit = get_limit = _nothing


class _Module(types.ModuleType):
    """A module with the attributes of NumPy's module in addition to its own."""

    __path__: list[str] = []

    def __init__(self, name, numpy_module=None, **contents):
        super().__init__(name)
        self.__dict__['_numpy'] = numpy_module
        self.__dict__.update(contents)

    def __getattr__(self, name):
        if self._numpy is None or name.startswith('__'):
            raise AttributeError('legacy mode without a GPU has no %s.%s' % (
                self.__name__, name))
        return getattr(self._numpy, name)


def _with_dtype(function):
    """Let a function of ``numpy.random`` accept the argument dtype, as CuPy's does."""
    @functools.wraps(function)
    def draw(*args, dtype=None, **kwargs):
        drawn = function(*args, **kwargs)
        return drawn if dtype is None else numpy.asarray(drawn).astype(dtype)
    return draw


_FLOAT_DRAWS = ('rand', 'randn', 'random', 'random_sample', 'ranf', 'sample', 'uniform',
                'normal', 'standard_normal', 'lognormal', 'gumbel', 'binomial',
                'exponential', 'gamma', 'beta', 'laplace')


def _asnumpy(a, stream=None, order='C', out=None):
    return numpy.asarray(a)


def _scatter_add(a, slices, value):
    numpy.add.at(a, slices, value)


def _fuse(*args, **kwargs):
    return args[0] if args and callable(args[0]) else lambda function: function


def _memoize(for_each_device=False):
    return functools.cache


def _make():
    """Return the modules, by name."""
    runtime = _Module(
        'cupy.cuda.runtime', getDeviceCount=lambda: 0, deviceSynchronize=lambda: None,
        runtimeGetVersion=lambda: 0, driverGetVersion=lambda: 0,
        CUDARuntimeError=RuntimeError, is_hip=False)
    cudnn = _Module('cupy.cuda.cudnn', getVersion=lambda: 0)
    pool = _Pool()
    gpu = _Module(
        'cupy.cuda', runtime=runtime, cudnn=cudnn, Device=devices.Device,
        Stream=devices.Stream, Event=devices.Event, MemoryPool=_Pool,
        PinnedMemoryPool=_Pool,
        set_allocator=lambda allocator=None: None,
        set_pinned_memory_allocator=lambda allocator=None: None,
        get_current_stream=lambda: devices.Stream.null, is_available=lambda: False,
        using_allocator=lambda allocator=None: devices.Device())
    vars(gpu).update(stream=gpu, device=gpu, memory=gpu)
    draws = _Module('cupy.random', numpy.random, **{
        name: _with_dtype(getattr(numpy.random, name)) for name in _FLOAT_DRAWS})
    extra = _Module('cupyx', scatter_add=_scatter_add,
                    rsqrt=lambda x: 1 / numpy.sqrt(x))
    cupy = _Module(
        'cupy', numpy, __version__=_VERSION, cuda=gpu, random=draws, asnumpy=_asnumpy,
        scatter_add=_scatter_add,
        get_array_module=lambda *args: numpy, fuse=_fuse, memoize=_memoize,
        clear_memo=lambda: None, get_default_memory_pool=lambda: pool,
        get_default_pinned_memory_pool=lambda: pool, rsqrt=extra.rsqrt,
        ElementwiseKernel=_Kernel, ReductionKernel=_Kernel, RawKernel=_Kernel,
        RawModule=_Kernel, linalg=numpy.linalg, fft=numpy.fft, testing=numpy.testing,
        is_available=lambda: False, **{
            name: getattr(numpy, name) for name in ('ndarray', 'float32', 'float64')})
    return {'cupy': cupy, 'cupy.cuda': gpu, 'cupy.cuda.runtime': runtime,
            'cupy.cuda.cudnn': cudnn,
            'cupy.random': draws, 'cupyx': extra, 'cupy.cuda.memory': gpu,
            'cupy.cuda.stream': gpu, 'cupy.cuda.device': gpu}


# Reductions whose axes may be any sequence for CuPy.
_REDUCTIONS = ('all', 'amax', 'amin', 'any', 'max', 'mean', 'min', 'prod', 'std', 'sum',
               'var')


def _of_axes(function):
    """Let a NumPy function accept its axes as a list or a range."""
    @functools.wraps(function)
    def reduce(a, *args, **kwargs):
        axis = args[0] if args else kwargs.get('axis')
        if isinstance(axis, (list, range)):
            _report.adapted('without a GPU: axes in a list or range')
            if args:
                args = tuple(axis), *args[1:]
            else:
                kwargs['axis'] = tuple(axis)
        return function(a, *args, **kwargs)
    return reduce


def _get(owner):
    if not isinstance(owner, (numpy.ndarray, numpy.generic)):
        return NotImplemented
    _report.adapted('without a GPU: array.get')
    return lambda stream=None: numpy.array(owner)


def _set(owner):
    if not isinstance(owner, numpy.ndarray):
        return NotImplemented

    def set_(values, stream=None):
        owner[...] = values
    _report.adapted('without a GPU: array.set')
    return set_


def _provide_attribute(patches, cupy):
    """Let ``chainer.cuda.cupy`` return the module, and count the uses."""
    old = cuda.cupy
    del cuda.cupy
    patches.call_at_end(lambda: setattr(cuda, 'cupy', old))

    def find(name, is_use):
        if is_use:
            _report.adapted(_WHAT)
        return cupy
    _attributes.look_up(patches, cuda, {'cupy'}, find)


def install(patches):
    if cuda.available:
        return
    made = _make()
    for name in list(sys.modules):
        if name.partition('.')[0] in ('cupy', 'cupyx'):
            # It is installed, but there is no GPU.
            patches.module(name, sys.modules[name])
            del sys.modules[name]
    modules.provide(patches, {
        name: (lambda module=module: module, _WHAT) for name, module in made.items()},
        is_first=True)
    _provide_attribute(patches, made['cupy'])
    for name, value in (
            ('cuda', made['cupy.cuda']), ('cupyx', made['cupyx']),
            ('memory_pool', made['cupy'].get_default_memory_pool()),
            ('pinned_memory_pool', made['cupy'].get_default_memory_pool()),
            ('elementwise', _Kernel), ('reduce', _Kernel), ('raw', _Kernel)):
        patches.set(cuda, name, value)
    for name in _REDUCTIONS:
        patches.set(numpy, name, _of_axes(getattr(numpy, name)))
    rules = sources.use(patches)
    rules.add_methods({('get', 0): _get, ('set', 1): _set})
