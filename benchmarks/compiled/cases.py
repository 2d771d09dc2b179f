"""Training steps compared with those of ``torch.compile`` and ``jax.jit``.

Each is a whole step: the forward and the backward pass, and the optimizer's update. On
our side there are two, by plain code and by ``static_graph`` over the model and its
loss. All start from the same weights and inputs, and the comparison refuses losses that
differ. JAX's steps are one compiled function, to which the parameters are given away.
PyTorch's LSTM is ``nn.LSTM``, which runs over all positions at once, and JAX's computes
the products with the inputs beforehand, while ours goes cell by cell as its users do.
"""
import importlib
import sys

import numpy as np
import workloads
from models import cases as models

SIZES = workloads.PERCEPTRON

# Title, arguments, and arguments with which a step runs in no time, for tests.
ROWS = {
    'small': ('750 small functions, forward and backward',
              {'length': workloads.CHAIN}, {'length': 3}),
    'residual': ('1000 small functions of a residual chain, forward and backward',
                 {'length': workloads.CHAIN, 'residual': True},
                 {'length': 3, 'residual': True}),
    'perceptron_sgd': ('perceptron 64, batch 32, SGD',
                       {'batch': workloads.BATCH, 'sizes': SIZES, 'optimizer': 'SGD'},
                       {'batch': 3, 'sizes': (5, 4, 4, 3), 'optimizer': 'SGD'}),
    'perceptron_adam': ('perceptron 64, batch 32, Adam',
                        {'batch': workloads.BATCH, 'sizes': SIZES, 'optimizer': 'Adam'},
                        {'batch': 3, 'sizes': (5, 4, 4, 3), 'optimizer': 'Adam'}),
    **{key: models.ROWS[key]
       for key in ('perceptron', 'lstm_cells', 'cnn', 'transformer')},
}
TITLES = {'C.' + key: title for key, (title, _, _) in ROWS.items()}
_COMPILERS = {'jax': 1.3, 'torch_compile': 1.3}
BARS = {key: {'torch': 1, **_COMPILERS} for key in TITLES}
STATIC_BARS = {key: {'chainer_fast': 0.98, **bars} for key, bars in BARS.items()}
for _bars in BARS, STATIC_BARS:
    _bars['C.lstm_cells']['torch'] = 1.2
for _key in 'C.perceptron_sgd', 'C.perceptron_adam':
    STATIC_BARS[_key]['chainer_fast'] = 1.3

PEERS = 'static', 'torch', 'torch_compile', 'jax'
THREADS = (1, 2)
ROUNDS = 9
# Seconds in which the threads of the one that ran last go to sleep.
WAIT = 0.1


def _step(side, key, tiny, *options):
    name = key.partition('.')[2]
    _, arguments, small = ROWS[name]
    module = importlib.import_module('compiled.sides.%s_side' % side)
    step = getattr(module, name)(*options, **small if tiny else arguments)
    step.check = lambda: [np.array(step(), np.float64) for _ in range(4)]
    return step


def chainer_step(chainer, key, tiny=False, static=False):
    """Return a step by Chainer's interface."""
    from chainer_fast import alias
    alias.install()
    return _step('chainer', key, tiny, static)


def static_step(chainer, key, tiny=False):
    """Return the same step by ``static_graph``."""
    return chainer_step(chainer, key, tiny, static=True)


def torch_step(torch, key, tiny=False):
    """Return PyTorch's step."""
    return _step('torch', key, tiny, lambda function: function)


def torch_compile_step(torch, key, tiny=False):
    """Return PyTorch's compiled step, or None if it cannot compile."""
    try:
        torch.compile(lambda x: x + 1)(torch.ones(2))
    except Exception as error:
        print('torch.compile:', error, file=sys.stderr)
        return None
    return _step('torch', key, tiny, torch.compile)


def jax_step(jax, key, tiny=False):
    """Return JAX's compiled step."""
    return _step('jax', key, tiny)
