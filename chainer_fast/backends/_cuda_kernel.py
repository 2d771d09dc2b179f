"""Creation of CUDA kernels, with memoization."""
from __future__ import annotations

import functools
import pathlib
import re
from collections.abc import Callable
from typing import Any, TypeVar

from chainer_fast.backends import _captures, _nvrtc
from chainer_fast.backends._cupy import available, check_available, cupy

_ROOT = pathlib.Path(__file__).parents[2]
# An option for kernels in which a rounded number selects a pixel, a bin or the larger
# of two. NVRTC fuses a product and a sum into one operation, which is rounded once and
# may differ from the processor's two operations.
UNFUSED = '--fmad=false'
_INCLUDE = re.compile(r'^#include "(chainer_fast/.*)"\n', re.M)
_FAMILY = re.compile(r'chainer_fast/backends/kernels/(?!common/)(\w+)/')


def namespace_of(path: str) -> str:
    """Return the namespace of a header: that of its kernel family, if any."""
    family = _FAMILY.match(path)
    return 'chainer_fast::' + family[1] if family else 'chainer_fast'


@functools.cache
def header(path):
    """Return the text of a C++ header of the package, for a kernel's preamble.

    CuPy caches compiled kernels on disk by their source code, so that the code of a
    header must be part of it: with a mere ``#include``, a stale kernel would be used
    after a change.

    Parameters
    ----------
    path : str
        Path from the root of the repository, e.g.
        ``'chainer_fast/backends/kernels/activation/elements.hpp'``.

    Returns
    -------
    str
        The header, with the package's headers that it includes inserted, except for
        those in indented directives, which are only for the processor. A header that
        is inserted several times is compiled once.
    """
    guard = re.sub(r'\W', '_', path)
    text = (_ROOT / path).read_text(encoding='utf-8').replace('#pragma once\n', '')
    return '#ifndef %s\n#define %s\n%s#endif\n' % (
        guard, guard, _INCLUDE.sub(lambda match: header(match[1]), text))


_Function = TypeVar('_Function', bound=Callable[..., Any])


def memoize(for_each_device: bool = False) -> Callable[[_Function], _Function]:
    """Make a decorator that keeps the results of a function for equal arguments.

    Parameters
    ----------
    for_each_device : bool
        Whether to keep separate results for every CUDA device.

    Returns
    -------
    callable
        The decorator. If CuPy is not available, it returns the function unchanged.

    See Also
    --------
    chainer_fast.backends.cuda.clear_memo

    Examples
    --------
    >>> @chainer.backends.cuda.memoize()
    ... def square(n):
    ...     return n * n
    >>> square(3)
    9
    """
    if available:
        return cupy.memoize(for_each_device)
    return lambda func: func


def clear_memo() -> None:
    """Discard the results of all functions decorated by :func:`memoize`.

    See Also
    --------
    chainer_fast.backends.cuda.memoize
    """
    if available:
        _captures.drop_graphs()
        cupy.clear_memo()


@memoize()
def _kernel(kind, args, options):
    _nvrtc.check()
    return getattr(cupy, kind)(*args, **dict(options))


def _cached(kind, args, kwargs):
    check_available()
    return _kernel(kind, args, tuple(sorted(kwargs.items())))


def elementwise(
        in_params: str, out_params: str, operation: str, name: str,
        **kwargs: Any) -> Callable[..., Any]:
    """Return an elementwise kernel, reusing that for the same arguments.

    Parameters
    ----------
    in_params, out_params : str
        Parameter lists in CuPy's notation, e.g. ``'T x, T y'``.
    operation : str
        CUDA C++ code for one element.
    name : str
        Name of the kernel, for profilers.
    **kwargs
        Options of ``cupy.ElementwiseKernel``.

    Returns
    -------
    cupy.ElementwiseKernel
        The kernel.

    Raises
    ------
    RuntimeError
        If CuPy is not available, or does not find NVRTC to compile kernels.

    Examples
    --------
    On a machine with a GPU: ::

        y = chainer.backends.cuda.elementwise(
            'T x', 'T y', 'y = x * x', 'square')(x)
    """
    return _cached(
        'ElementwiseKernel', (in_params, out_params, operation, name), kwargs)


def reduce(
        in_params: str, out_params: str, map_expr: str, reduce_expr: str,
        post_map_expr: str, identity: Any, name: str,
        **kwargs: Any) -> Callable[..., Any]:
    """Return a reduction kernel, the same one for the same arguments.

    Parameters
    ----------
    in_params, out_params : str
        Parameter lists in CuPy's notation.
    map_expr : str
        Expression for an element before the reduction.
    reduce_expr : str
        Expression that joins ``a`` and ``b``.
    post_map_expr : str
        Statement for the result ``a``.
    identity : str
        Neutral element of the reduction.
    name : str
        Name of the kernel, for profilers.
    **kwargs
        Options of ``cupy.ReductionKernel``.

    Returns
    -------
    cupy.ReductionKernel
        The kernel.

    Raises
    ------
    RuntimeError
        If CuPy is not available, or does not find NVRTC to compile kernels.

    Examples
    --------
    On a machine with a GPU: ::

        total = chainer.backends.cuda.reduce(
            'T x', 'T y', 'x * x', 'a + b', 'y = a', '0', 'sum_of_squares')(x)
    """
    return _cached(
        'ReductionKernel',
        (in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name),
        kwargs)


def raw(
        code: str, name: str, *args: Any,
        **kwargs: Any) -> Callable[..., Any]:
    """Return a kernel written in CUDA C++, the same one for the same arguments.

    Parameters
    ----------
    code : str
        Source code.
    name : str
        Name of the kernel function in ``code``.
    *args, **kwargs
        Further arguments of ``cupy.RawKernel``.

    Returns
    -------
    cupy.RawKernel
        The kernel.

    Raises
    ------
    RuntimeError
        If CuPy is not available, or does not find NVRTC to compile kernels.

    Examples
    --------
    On a machine with a GPU: ::

        kernel = chainer.backends.cuda.raw(r'''
        extern "C" __global__ void twice(float* x, int n) {
            int i = blockDim.x * blockIdx.x + threadIdx.x;
            if (i < n) x[i] *= 2;
        }''', 'twice')
        kernel(((n + 127) // 128,), (128,), (x, n))
    """
    return _cached('RawKernel', (code, name, *args), kwargs)


def raw_of(
        path: str, name: str, params: str, body: str,
        *options: str) -> Callable[..., Any]:
    """Return a kernel that calls functions of a C++ header of the package.

    Parameters
    ----------
    path : str
        The header, as for :func:`header`. Names of its namespace need no qualifier.
    name : str
        Name of the kernel, for profilers.
    params, body : str
        Its parameters and statements. The definition of ``half`` is included if they
        use it.
    *options : str
        Options of the compiler.

    Returns
    -------
    cupy.RawKernel
    """
    code = '''
        {}
        {}
        using namespace chainer_fast;
        using namespace {};
        extern "C" __global__ void {}({}) {{ {}; }}
        '''.format('#include <cuda_fp16.h>' if 'half' in params + body else '',
                   header(path), namespace_of(path), name, params, body)
    return raw(code, name, options)


def fuse(*args: Any, **kwargs: Any) -> Callable[..., Any]:
    """Make a decorator that fuses a function of arrays into one kernel.

    It works like ``cupy.fuse``, with or without arguments. If CuPy is not available,
    the function is not changed.

    Returns
    -------
    callable
        The decorated function, or the decorator.

    Examples
    --------
    >>> @chainer.backends.cuda.fuse()
    ... def saxpy(a, x, y):
    ...     return a * x + y
    >>> saxpy(2, np.ones(2), np.zeros(2))
    array([2., 2.])
    """
    if available:
        return cupy.fuse(*args, **kwargs)
    if args:
        return args[0]
    return lambda func: func
