"""asv: each declared kernel, with arguments made from its signature alone."""
import itertools

import numpy as np

from chainer_fast.backends.kernels.declared import adapter, signatures

#: Lengths of axes: of the axes that ``*`` means, and of the axis that a letter means.
SIZES = {
    'small': ((2,), 3),
    'middle': ((3, 1, 5), 7),
    'large': ((331, 3), 517),
}

#: Kernels whose first array has logarithms of what is below one, or variances and
#: arguments that are positive.
NEGATIVE = {'log_softmax_grad'}
POSITIVE = {'inverses', 'polygamma'}
#: Kernels that multiply many elements, which would leave the range of numbers.
FACTORS = {'running_product', 'running_product_grad', 'product_grad'}


def shapes_of(signature, size):
    """Yield a shape for each array, for each choice of those that the inputs may have.
    """
    any_axes, one = SIZES[size]
    lengths = {'1': (1,), '*': any_axes, 'before': any_axes[:signature.axis],
               'behind': (2,), '2n': (2 * one,)}

    def shape_of(symbols):
        return sum([lengths.get(symbol, (one,)) for symbol in symbols], ())

    for shapes in itertools.product(*[each.shapes for each in signature.inputs]):
        yield [shape_of(shape) for shape in shapes]


def numbers_of(signature, size):
    """Yield numbers for the arguments that are such, and axes."""
    before, one = SIZES[size]
    axis = len(before)
    choices = {'c': [.75], 'i': [-1], 'b': [False, True], 'none': [None],
               'axis': [axis, -2], 'axes': [(axis,)],
               'others': [(*range(axis), axis + 1)]}
    yield from itertools.product(*[
        choices[each.type] if each.type != 'i' or each.least is None else [2]
        for each in signature.numbers])


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
    if kernel.name in FACTORS:
        made = [array / array.dtype.type(4) for array in made]
    if kernel.name in POSITIVE:
        made[0] = abs(made[0])
    return made


def in_order(signature, arrays, numbers):
    """Return the arguments of a call in order."""
    arrays, numbers = iter(arrays), iter(numbers)
    return [next(arrays if isinstance(each, signatures.Array) else numbers)
            for each in signature.arguments]


class DeclaredKernels:
    """A call of each kernel, with the first of the shapes that its arrays may have."""

    params = [sorted(adapter.KERNELS), list(SIZES), ['e', 'f', 'd']]
    param_names = ['kernel', 'size', 'dtype']

    def setup(self, name, size, dtype):
        self.kernel = adapter.KERNELS[name]
        signature = self.kernel.signature
        if dtype == 'e' and signature.inputs[0].type != 'E':
            raise NotImplementedError('%s takes no halves' % name)
        shapes, *_ = shapes_of(signature, size)
        numbers, *_ = numbers_of(signature, size)
        self.arguments = in_order(
            signature, arrays_of(self.kernel, shapes, dtype), numbers)
        assert self.kernel(*self.arguments) is not NotImplemented

    def time_call(self, name, size, dtype):
        self.kernel(*self.arguments)
