"""Steps of optimizers: 200 small parameters, and a large one.

The gradients exist already, so that only the update is measured. PyTorch updates all
parameters together (``foreach=True``), or in its fused kernels in cases named so. Two
cases have a hook that changes the gradients before the update.

Plain NumPy shows the floor: each array of the step is read once, and those that the
step changes are written in the same pass. That is ``np.add`` into the parameter from
parameter and gradient, and a change of sign in place of each state.
"""
import numpy as np

SHAPES = {
    'small': [tuple(shape) for shape in np.random.RandomState(3).randint(
        10, 65, (200, 2)).tolist()],
    'large': [(10_000_000,)],
}
# Chainer's class and its arguments, PyTorch's, and the number of states.
OPTIMIZERS = {
    'sgd': ('SGD', {'lr': 1e-3}, 'SGD', {'lr': 1e-3}, 0),
    'momentum_sgd': (
        'MomentumSGD', {'lr': 1e-3}, 'SGD', {'lr': 1e-3, 'momentum': 0.9}, 1),
    'adam': ('Adam', {}, 'Adam', {}, 2),
    'rmsprop': ('RMSprop', {'lr': 1e-3}, 'RMSprop', {'lr': 1e-3}, 1),
}
HOOKS = {'weight_decay': ('WeightDecay', 1e-4), 'clipping': ('GradientClipping', 1.0)}
_SIZES = {'small': '200 parameters of 10x10 to 64x64', 'large': '10 million elements'}

TITLES = {
    'O.%s:%s' % (name, size): '%s, %s' % (optimizer[0], title)
    for size, title in _SIZES.items() for name, optimizer in OPTIMIZERS.items()}
TITLES.update({
    'O.%s:%s:fused' % (name, size): '%s, %s; fused' % (OPTIMIZERS[name][0], title)
    for size, title in _SIZES.items() for name in ('sgd', 'momentum_sgd', 'adam')})
TITLES.update({
    'O.sgd:small:' + key: 'SGD, %s; %s' % (_SIZES['small'], hook)
    for key, (hook, _) in HOOKS.items()})

# What the peers' times have to be, at least. For large arrays the floor may be missed
# by a fifth.
BARS = {key: {'chainer': 8, 'torch': 1} for key in TITLES if ':small' in key}
BARS.update({
    key: {'numpy': 1 / 1.2} if key.endswith(':large') else {'torch': 1}
    for key in TITLES if ':large' in key})

# So many numbers of the result are compared.
SAMPLE = 1000


def _parse(key):
    """Return an optimizer, the shapes of parameters, and what is special if anything.
    """
    name, size, *special = key.partition('.')[2].split(':')
    return OPTIMIZERS[name], SHAPES[size], special[0] if special else None


def _arrays(shapes):
    """Return parameters and gradients."""
    random = np.random.RandomState(0)
    return [
        [random.rand(*shape).astype(np.float32) - np.float32(0.5) for _ in range(2)]
        for shape in shapes]


def _with_check(step, params):
    """Let a step return the parameters after three steps."""
    def check():
        for _ in range(3):
            step()
        numbers = np.concatenate([np.asarray(param).ravel() for param in params])
        return [numbers[::max(1, len(numbers) // SAMPLE)].astype(np.float64)]
    step.check = check
    return step


def chainer_step(chainer, key):
    """Return a step by Chainer's interface; what is fused is PyTorch's alone."""
    (name, kwargs, *_), shapes, special = _parse(key)
    if special == 'fused' and chainer.__name__ == 'chainer':
        return None
    model = chainer.ChainList()
    for data, grad in _arrays(shapes):
        link = chainer.Link()
        with link.init_scope():
            link.W = chainer.Parameter(data)
        link.W.grad = grad
        model.append(link)
    optimizer = getattr(chainer.optimizers, name)(**kwargs).setup(model)
    if special in HOOKS:
        hook, value = HOOKS[special]
        optimizer.add_hook(getattr(chainer.optimizer_hooks, hook)(value))

    def step():
        optimizer.update()
    return _with_check(step, [param.array for param in model.params()])


def torch_step(torch, key):
    """Return a step by PyTorch's interface."""
    (_, _, name, kwargs, _), shapes, special = _parse(key)
    params = []
    for data, grad in _arrays(shapes):
        params.append(torch.tensor(data, requires_grad=True))
        params[-1].grad = torch.tensor(grad)
    way = {'fused': True} if special == 'fused' else {'foreach': True}
    if special == 'weight_decay':
        way['weight_decay'] = HOOKS[special][1]
    optimizer = getattr(torch.optim, name)(params, **kwargs, **way)

    def step():
        if special == 'clipping':
            torch.nn.utils.clip_grad_norm_(params, HOOKS[special][1], foreach=True)
        optimizer.step()
    return _with_check(step, [param.detach() for param in params])


def numpy_step(key):
    """Return the floor: passes of NumPy over the same bytes."""
    (*_, n_states), shapes, special = _parse(key)
    if special:
        return None
    groups = [
        (data, grad, [np.zeros_like(data) for _ in range(n_states)])
        for data, grad in _arrays(shapes)]

    def step():
        for data, grad, states in groups:
            np.add(data, grad, out=data)
            for state in states:
                np.negative(state, out=state)
    step.check = lambda: [None]
    return step
