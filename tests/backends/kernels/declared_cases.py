"""Arguments of declared kernels, made from their signatures alone."""
import importlib
import itertools
import pkgutil

import numpy as np

from chainer_fast.backends import kernels
from chainer_fast.backends.kernels.declared import signatures

#: Lengths of axes: of those that ``*`` stands for, and of one that a letter stands for.
SIZES = {
    'small': ((2,), 3),
    'axes': ((3, 1, 5), 7),
    'large': ((331, 3), 517),
}

#: Kernels whose first array has logarithms of what is below one.
NEGATIVE = {'log_softmax_grad'}


def references():
    """Return the reference of each declared kernel by name."""
    found = {}
    for module in pkgutil.walk_packages(kernels.__path__, kernels.__name__ + '.'):
        for each in vars(importlib.import_module(module.name)).values():
            name = getattr(getattr(each, 'compiled', None), 'name', None)
            if isinstance(each, kernels.Kernel) and name:
                found[name] = each.reference
    return found


def shapes_of(signature, size):
    """Yield a shape for each array, for each choice of those that the inputs may have.
    """
    any_axes, one = SIZES[size]
    lengths = {'1': (1,), '*': any_axes, 'before': any_axes, 'behind': (2,)}

    def shape_of(symbols):
        return sum([lengths.get(symbol, (one,)) for symbol in symbols], ())

    for shapes in itertools.product(*[each.shapes for each in signature.inputs]):
        yield [shape_of(shape) for shape in shapes]


def numbers_of(signature, size):
    """Yield numbers for the arguments that are such, and axes."""
    before, one = SIZES[size]
    axis = len(before)
    choices = {'c': [1.5], 'i': [-1], 'b': [False, True], 'axis': [axis, -2],
               'axes': [(axis,)], 'others': [(*range(axis), axis + 1)]}
    yield from itertools.product(*[choices[each.type] for each in signature.numbers])


def arrays_of(kernel, shapes, dtype, seed=0):
    """Return an array for each input of a kernel."""
    signature = kernel.signature
    rng = np.random.RandomState(seed)
    columns = shapes[0][-1] if shapes[0] else 1
    made = []
    for each, shape in zip(signature.inputs, shapes, strict=True):
        if each.type == 'label':
            made.append(rng.randint(-1, 2, shape))
        elif each.type == 'class':
            made.append(rng.randint(0, columns, shape).astype('i'))
        else:
            made.append(np.asarray(rng.uniform(-3, 3, shape).astype(dtype)))
    if kernel.name in NEGATIVE:
        made[0] = -abs(made[0])
    return made


def call(function, signature, arrays, numbers):
    """Call a kernel with its arguments in order."""
    arrays, numbers = iter(arrays), iter(numbers)
    return function(*[
        next(arrays if isinstance(each, signatures.Array) else numbers)
        for each in signature.arguments])


def gaps(array):
    return np.repeat(array, 2, -1)[..., ::2] if array.ndim else array


def backwards(array):
    return array[::-1].copy()[::-1] if array.ndim else array


def broadcast(array):
    return np.broadcast_to(array[..., :1], array.shape) if array.ndim else array


def broadcast_rows(array):
    return np.broadcast_to(array[:1], array.shape) if array.ndim else array


def fortran(array):
    return np.asarray(array, order='F')


def unaligned(array):
    memory = np.empty(array.nbytes + 1, 'u1')[1:]
    made = memory.view(array.dtype).reshape(array.shape)
    made[...] = array
    return made


def swapped(array):
    return array.astype(array.dtype.newbyteorder())


#: Layouts that each kernel reads.
READ = {'plain': np.copy, 'gaps': gaps, 'backwards': backwards,
        'broadcast': broadcast}
#: Layouts that it may leave to its reference.
OTHER = {'fortran': fortran, 'broadcast rows': broadcast_rows,
         'unaligned': unaligned, 'swapped': swapped}
