"""CUDA forms of elementwise kernels, from the headers of the processor's loops.

A family with its arithmetic in ``elements.hpp`` gets a kernel for the GPU by naming a
function of that header::

    @kernel(device=device_form(ELEMENTS, 'Tanh::grad', 'T y, T gy'))
    def tanh_grad(y, gy):
        ...
"""
from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import header


def device_form(path, function, in_params, outputs=1):
    """Return the form of a kernel for arrays of CuPy, which are broadcast.

    Parameters
    ----------
    path : str
        Header that has the function, from the root of the package.
    function : str
        Function of one element in the namespace ``chainer_fast``. With one output it
        returns it; several outputs are arguments by reference after the others. Half
        floats are passed in single precision.
    in_params : str
        Arguments of the kernel in CuPy's notation. Those of type ``T`` are arrays of
        one floating dtype, the first of all among them, or numbers.
    outputs : int
        Number of outputs, which have type ``T``.

    Returns
    -------
    callable
        It returns an array, or a tuple where there are several outputs; for arrays of
        different or other dtypes, ``NotImplemented``. The keyword ``out`` is a tuple of
        arrays that it fills, by default new ones.
    """
    params = [param.split() for param in in_params.split(', ')]
    arguments = ['R(%s)' % name if kind == 'T' else name for kind, name in params]
    results = ['out%d' % i for i in range(outputs)]
    # Operators on half floats give single precision.
    code = ['using R = decltype(T() + T())']
    if outputs == 1:
        code.append('out0 = chainer_fast::%s(%s)' % (function, ', '.join(arguments)))
    else:
        by_reference = ['r' + name for name in results]
        code += [
            'R ' + ', '.join(by_reference),
            'chainer_fast::%s(%s)' % (function, ', '.join(arguments + by_reference)),
            *[name + ' = r' + name for name in results]]
    spec = (in_params, ', '.join(['T ' + name for name in results]), '; '.join(code),
            function.replace('::', '_'))

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
        return cuda.elementwise(*spec, preamble=header(path))(*converted, *out)

    return form
