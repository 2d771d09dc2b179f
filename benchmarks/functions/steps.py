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
    case = _case_of(key)
    F, variables = chainer.functions, [chainer.Variable(a) for a in case.arrays]
    np.random.seed(0)

    def outputs():
        ys = case.chainer(F, *variables)
        return ys if isinstance(ys, tuple) else (ys,)
    grads = [cases.floats(1000 + i, *y.shape) for i, y in enumerate(outputs())]

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
        return _sample([y.array for y in ys]), _sample([v.grad for v in variables])
    step.check = list if case.random else check
    return step


def torch_step(torch, key):
    """Return a step by PyTorch's interface, or None if it has no such function."""
    case = _case_of(key)
    if case.torch is None:
        return None
    tensors = [torch.tensor(a, requires_grad=True)
               for a in case.torch_arrays or case.arrays]

    def outputs():
        ys = case.torch(torch, *tensors)
        return ys if isinstance(ys, tuple) else (ys,)
    grads = [torch.from_numpy(cases.floats(1000 + i, *y.shape))
             for i, y in enumerate(outputs())]

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
        return ys, _sample([t.grad for t in tensors])
    step.check = list if case.random else check
    return step
