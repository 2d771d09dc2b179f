"""Elements: the arithmetic of one element, defined once for all forms of a function.

A family has its elements in ``elements.hpp``. CUDA kernels include that header, and
so do loops of the processor. Elements with a line ``CF_LOOPS`` have such loops;
records of functions are made from them::

    elements = Elements(HEADER, ACTIVATION)

    @elements.kernel('Tanh::grad')
    def tanh_grad(y, gy):
        ...

    @record(elements.record('tanh', ('Tanh::grad', 'y')))
    class Tanh(FunctionNode):
        ...
"""
from __future__ import annotations

import functools
import inspect
import typing as tp

from chainer_fast._core.devices.launches import DeviceKernel
from chainer_fast.backends import _image_orders, cuda
from chainer_fast.backends._cuda_kernel import header, namespace_of, raw_of
from chainer_fast.backends.kernels import Kernel, Result
from chainer_fast.backends.kernels.common import halves
from chainer_fast.backends.kernels.common.elementwise import (
    MOST_AXES,
    Elementwise,
    Loop,
)
from chainer_fast.backends.kernels.common.many_arrays import TYPES


def _compile(path, loop, axes, letter):
    """Return the kernel of a loop for arrays of a dtype.

    They have strides along a number of axes; without axes, they are contiguous.
    """
    kind, number = TYPES[letter], 'double' if letter == 'd' else 'float'
    arrays = ['%s(%s)' % (number, _element(kind, i, axes)) for i in range(loop.arrays)]
    constants = ['p', 'q'][:loop.constants]
    outputs = ['out%d' % i for i in range(loop.outputs)]
    params = ['const %s *x%d' % (kind, i) for i in range(loop.arrays)]
    params += ['%s *%s' % (kind, name) for name in outputs]
    params += ['long long n', *['%s %s' % (number, name) for name in constants]]
    params += ['unsigned int n%d' % axis for axis in range(axes)]
    params += ['long long s%d_%d' % (i, axis)
               for i in range(loop.arrays) for axis in range(axes)]
    if loop.outputs == 1:
        body = 'out0[i] = %s(%s(%s))' % (
            kind, loop.name, ', '.join(arrays + constants))
    else:
        body = '%s r0, r1; %s(%s); out0[i] = %s(r0); out1[i] = %s(r1)' % (
            number, loop.name, ', '.join([*arrays, 'r0', 'r1']), kind, kind)
    if axes:
        # A 32-bit division takes a fraction of the time of a 64-bit one.
        body = 'unsigned int rest = i; %s%s' % (''.join([
            'const unsigned int k%d = rest %% n%d; rest /= n%d; ' % (axis, axis, axis)
            for axis in range(axes)]), body)
    return raw_of(
        path, 'elementwise_%s%s' % (
            loop.name.replace('::', '_'), '_%d_axes' % axes if axes else ''),
        ', '.join(params),
        'const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; '
        'if (i < n) { %s; }' % body).kernel


def _element(kind, array, axes):
    """Return the element of an array, whose strides are in bytes."""
    if not axes:
        return 'x%d[i]' % array
    return '*(const %s *)((const char *)x%d + %s)' % (kind, array, ' + '.join(
        ['s%d_%d * k%d' % (array, axis, axis) for axis in range(axes)]))


def _call_cupy(name, x):
    return getattr(cuda.cupy, name)(x)


class Elements:
    """The elements of a family.

    Parameters
    ----------
    path : str
        Header that contains them: relative to the root of the package, in the
        namespace of its family; or absolute, in the namespace ``chainer_fast``.
    loops : dict of str to Loop
        Elements with loops, by name.
    """

    def __init__(self, path: str, loops: dict[str, Loop] | None = None) -> None:
        self.path = path
        self.loops = loops or {}
        for name, loop in self.loops.items():
            # Other names are functions of NumPy, which CuPy and CUDA also have.
            if '::' in name:
                loop.on_device = self.form(
                    name, loop.arrays + loop.constants, outputs=loop.outputs)
            else:
                loop.on_device = functools.partial(_call_cupy, name)
            loop.kernels = tuple([
                DeviceKernel(functools.partial(_compile, path, loop, axes))
                for axes in range(MOST_AXES + 1)])

    def form(
            self, function: str, in_params: int | str, outputs: int = 1,
            ) -> tp.Callable[..., tp.Any]:
        """Return the form of a kernel for CuPy arrays, which are broadcast.

        Parameters
        ----------
        function : str
            Function of one element. It returns a single output; several outputs are
            arguments by reference after the others. Values of float16 are passed in
            single precision.
        in_params : int or str
            Number of arguments, which are arrays of one floating-point dtype, including
            the first one, or numbers; or the arguments in CuPy's notation, with ``T``
            for that dtype.
        outputs : int
            Number of outputs, which have that dtype.

        Returns
        -------
        callable
            It returns an array, or a tuple for several outputs; for arrays of
            different or other dtypes, ``NotImplemented``. The keyword ``out`` is a
            tuple of arrays for the results, by default new ones.
        """
        if isinstance(in_params, int):
            in_params = ', '.join(['T x%d' % i for i in range(in_params)])
        params = [param.split() for param in in_params.split(', ')]
        arguments = ['R(%s)' % name if kind == 'T' else name for kind, name in params]
        results = ['out%d' % i for i in range(outputs)]
        # Operators on float16 return single precision.
        code = ['using R = decltype(T() + T())']
        called = '%s::%s' % (namespace_of(self.path), function)
        if outputs == 1:
            code.append('out0 = %s(%s)' % (called, ', '.join(arguments)))
        else:
            by_reference = ['r' + name for name in results]
            code += [
                'R ' + ', '.join(by_reference),
                '%s(%s)' % (called, ', '.join(arguments + by_reference)),
                *[name + ' = r' + name for name in results]]
        spec = (in_params, ', '.join(['T ' + name for name in results]),
                '; '.join(code), function.replace('::', '_'))

        def form(*args, out=()):
            dtype = args[0].dtype
            converted = []
            for (kind, _), arg in zip(params, args, strict=True):
                if kind == 'T' and not isinstance(arg, cuda.ndarray):
                    arg = dtype.type(arg)
                converted.append(arg)
                if kind == 'T' and arg.dtype != dtype:
                    return NotImplemented
            if dtype.kind != 'f':
                return NotImplemented
            kernel = cuda.elementwise(*spec, preamble=header(self.path))
            if not out:
                return _image_orders.elementwise(kernel, converted)
            return kernel(*converted, *out)

        return form

    def kernel(
            self, function: str, in_params: str | None = None, outputs: int = 1,
            compiled: tp.Any = None,
    ) -> tp.Callable[[tp.Callable[..., Result]], Kernel[Result]]:
        """Return a decorator that makes a kernel of its reference form.

        Parameters
        ----------
        function, in_params, outputs
            As for :meth:`form`; the arguments are those of the reference by default.
        compiled : callable, optional
            Form for NumPy arrays.
        """
        def decorate(reference):
            return Kernel(halves.elementwise_in_single(reference), compiled, self.form(
                function, in_params or len(inspect.signature(reference).parameters),
                outputs))
        return decorate

    def record(self, loop: str, *gradients: tp.Any, **options: tp.Any) -> Elementwise:
        """Return the record of an elementwise function.

        Parameters
        ----------
        loop : str
            Element of the function.
        *gradients
            For each input, the element of its gradient and its operand, as a tuple; or
            an element that computes the gradients by two inputs.
        **options
            As for :class:`~.common.elementwise.Elementwise`.
        """
        if isinstance(gradients[0], str):
            made: tp.Any = self.loops[gradients[0]]
        else:
            made = tuple([each and (self.loops[each[0]], each[1])
                          for each in gradients])
        return Elementwise(self.loops[loop], made, **options)
