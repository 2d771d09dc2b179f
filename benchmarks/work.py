"""What a training step has to do: operations of products, and bytes read and written.

And the speeds at which the processor does either: see ``bounds.py``.
"""
import concurrent.futures
import time

import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F

# Arrays of the size of a parameter that an update reads or writes.
UPDATES = {'SGD': 3, 'MomentumSGD': 5, 'Adam': 7}
# Bytes of the arrays whose copies are timed.
SIZES = [2 ** power for power in range(13, 28, 2)]
# Bytes of an array from which it is worth while to time a copy by several threads.
LEAST_SHARED = 2 ** 21
# Rows and columns of the matrices of a large product.
LARGE = 2048
# Functions that return views of their input.
VIEWS = 'Reshape', 'Separate', 'Transpose'


class Work(chainer.FunctionHook):
    """A hook that counts the work of a step, forward and backward.

    Attributes
    ----------
    operations : float
        Multiplications and additions of products of matrices.
    traffic : list of tuple
        Of each function without products, bytes read and written, and those of its
        largest array.
    """

    name = 'Work'

    def __init__(self):
        self.operations = 0
        self.traffic = []
        self._forward = []
        self._in_backward = False

    def forward_postprocess(self, function, in_data):
        if not self._in_backward:
            self._forward.append(function)

    def backward_preprocess(self, function, in_data, out_grad):
        self.flush()
        self._in_backward = True
        self.note(function, True)

    def backward_postprocess(self, function, in_data, out_grad):
        self._in_backward = False

    def flush(self):
        """Count the functions applied so far, which now have outputs."""
        for function in self._forward:
            self.note(function, False)
        self._forward.clear()

    def note(self, function, backward):
        """Count one pass of a function."""
        inputs = function.inputs
        outputs = [node for y in function.outputs if (node := y()) is not None]
        found = products_of(function, inputs, outputs)
        if found is not None:
            self.operations += sum(
                count for count, operands in found
                for node in (operands if backward else operands[:1])
                if not backward or node.requires_grad)
        elif type(function).__name__ not in VIEWS:
            # Backward, gradients of the outputs are read, and those of the inputs are
            # written, with the help of what was kept.
            touched = [*outputs, *[
                x for x in inputs if x.requires_grad or not backward]]
            if backward:
                touched += [inputs[i] for i in function._input_indexes_to_retain or ()]
                touched += [function.outputs[i]()
                            for i in function._output_indexes_to_retain or ()]
            self.passes([x for x in touched if x is not None])

    def passes(self, arrays, times=1):
        """Note that arrays are read or written."""
        sizes = [int(np.prod(x.shape)) * np.dtype(x.dtype).itemsize for x in arrays]
        if sizes:
            self.traffic.append((times * sum(sizes), max(sizes)))


def products_of(function, inputs, outputs):
    """Return the products of matrices of a function's forward pass, or None.

    Each is a pair: multiplications and additions, and the two operands. The gradient of
    either operand takes as many.
    """
    name = type(function).__name__
    if name == 'Convolution2DFunction':
        (n, _, *size), w = outputs[0].shape, inputs[1]
        return [(2 * n * int(np.prod((*size, *w.shape))), inputs[:2])]
    if name == 'Deconvolution2DFunction':
        (n, _, *size), w = inputs[0].shape, inputs[1]
        return [(2 * n * int(np.prod((*size, *w.shape))), inputs[:2])]
    if name == 'LinearFunction':
        return [(2 * inputs[0].shape[0] * int(np.prod(inputs[1].shape)), inputs[:2])]
    if name == 'MatMul':
        inner = inputs[0].shape[-2 if function.transa else -1]
        return [(2 * int(np.prod(outputs[0].shape)) * inner, inputs)]
    if name == 'StackedRNN':
        hx, _, xs, ws, _ = function._parts(inputs)
        rows = sum(x.shape[0] for x in xs)
        # Products of the first layer's inputs, and of all others, whose gradients are
        # always needed.
        gates = len(ws[0]) // 2
        return [(2 * rows * int(np.prod(w.shape)), (xs[0] if layer == 0 and i < gates
                                                   else w, w))
                for layer, group in enumerate(ws) for i, w in enumerate(group)]
    return None


def count(step):
    """Return the work of a step, in a form for JSON."""
    with Work() as work:
        step()
    work.flush()
    for optimizer in getattr(step, 'optimizers', ()):
        for param in optimizer.target.params():
            work.passes([param], UPDATES[type(optimizer).__name__])
    return {'operations': work.operations, 'traffic': work.traffic}


def seconds(run, least=0.05):
    """Return how long a function takes at its fastest."""
    run()
    times, end = [], time.perf_counter() + least
    while time.perf_counter() < end or len(times) < 3:
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return min(times)


def copies(size, threads):
    """Return bytes a second that threads read and write, each a part of an array."""
    x, y = np.ones(size // 4, 'f'), np.empty(size // 4, 'f')
    if threads == 1 or size < LEAST_SHARED:
        # What stays in the caches of a processor is copied by each at its own speed.
        return threads * 2 * size / seconds(lambda: np.copyto(y, x))
    parts = list(zip(
        *[np.array_split(array, threads) for array in (y, x)], strict=True))
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        return 2 * size / seconds(
            lambda: list(pool.map(lambda part: np.copyto(*part), parts)))


def speeds(threads):
    """Return operations a second of a large product, and bytes a second of copies.

    The product is by NumPy's BLAS or by ours, whichever is faster; copies are NumPy's.
    """
    a, b = [np.ones((LARGE, LARGE), 'f') for _ in range(2)]
    out = np.empty_like(a)
    least = min(seconds(product, 0.3)
                for product in (lambda: np.dot(a, b, out), lambda: F.matmul(a, b)))
    return {'product': 2 * LARGE ** 3 / least,
            'copies': [copies(size, threads) for size in SIZES]}
