"""A step of a case, on either side: forward, then backward from fixed gradients."""
import numpy as np
from functions import (
    cases,
    losses,  # noqa: F401 (it registers cases, as the next one does)
    rearrangement,  # noqa: F401
)

TITLES = {
    'F.%s:%s' % (name, size): 'F.%s, %s' % (name, size)
    for name in cases.MAKERS for size in ('small', 'large')}
# At the large size these must be twice as fast as Chainer's, and no function slower.
TWICE = ('max_pooling_2d', 'batch_normalization', 'softmax_cross_entropy', 'lstm',
         'n_step_lstm', 'dropout', 'connectionist_temporal_classification')
BARS = {
    'F.%s:%s' % (name, size): {
        'chainer': 5 if size == 'small' else 2 if name in TWICE else 1}
    for name in cases.MAKERS for size in ('small', 'large')}

# Number of elements of a result to compare.
SAMPLE = 1000


def _case_of(key):
    name, size = key.partition('.')[2].split(':')
    return cases.make(name, size)


def _sample(arrays):
    """Return a sample of the elements, the same for equal arrays."""
    flat = [np.asarray(a, np.float64).ravel() for a in arrays]
    return np.concatenate([f[::max(1, len(f) // SAMPLE + 1)] for f in flat])


def chainer_step(chainer, key):
    """Return a step by Chainer's interface."""
    return step_by_chainer(chainer, _case_of(key))


def torch_step(torch, key):
    """Return a step by PyTorch's interface, or None if it has no such function."""
    return step_by_torch(torch, _case_of(key))


def step_by_chainer(chainer, case):
    """Return a step of a case by Chainer's interface.

    It ends with the forward pass if the outputs have no gradients.
    """
    F = chainer.functions
    variables = (case.variables(chainer) if case.variables is not None
                 else [chainer.Variable(a) for a in case.arrays])
    np.random.seed(0)

    def outputs():
        ys = case.chainer(F, *variables)
        return ys if isinstance(ys, tuple) else (ys,)
    grads = [_gradient(i, y.shape, y.dtype) for i, y in enumerate(outputs())]
    if any(grad is None for grad in grads):
        return _forward(outputs, lambda y: y.array)

    def step():
        for variable in variables:
            variable.cleargrad()
        ys = outputs()
        for y, grad in zip(ys, grads):  # noqa: B905
            y.grad = grad
        if len(ys) == 1:
            ys[0].backward()
        else:
            chainer.backward(ys)
        return ys

    def check():
        ys = step()
        return (_sample([y.array for y in ys]),
                _sample([_filled(v.grad, v.array) for v in variables]))
    step.check = list if case.random else check
    return step


def step_by_torch(torch, case):
    """Return a step of a case by PyTorch's interface, or None if it has none."""
    if case.torch is None:
        return None
    # A copy with the same strides, as torch.tensor makes none.
    tensors = [torch.from_numpy(a).requires_grad_()
               for a in case.torch_arrays or case.arrays]

    def outputs():
        ys = case.torch(torch, *tensors)
        return ys if isinstance(ys, tuple) else (ys,)
    grads = [_gradient(i, y.shape, y.detach().numpy().dtype)
             for i, y in enumerate(outputs())]
    if any(grad is None for grad in grads) or not outputs()[0].requires_grad:
        return _forward(outputs, lambda y: y.detach().numpy())
    grads = [torch.from_numpy(grad) for grad in grads]

    def step():
        for tensor in tensors:
            tensor.grad = None
        ys = outputs()
        if len(ys) == 1:
            ys[0].backward(grads[0])
        else:
            torch.autograd.backward(ys, grads)
        return ys

    def check():
        ys = step()
        ys = _sample([y.detach() for y in ys])
        if case.torch_arrays is not None:
            return ys, None
        return ys, _sample([_filled(t.grad, t.detach()) for t in tensors])
    step.check = list if case.random else check
    return step


def _gradient(i, shape, dtype):
    """Return the gradient of an output, None if it is of integers."""
    if dtype.kind != 'f':
        return None
    return np.asarray(cases.floats(1000 + i, *shape), dtype)


def _forward(outputs, array_of):
    """Return a step that is a forward pass."""
    def check():
        return _sample([array_of(y) for y in outputs()]), None
    outputs.check = check
    return outputs


def _filled(grad, array):
    """Return a gradient, which is zero where there is none."""
    return np.zeros(array.shape) if grad is None else grad
