"""Every optimizer goes on from a file, a pickle or a copy as if not interrupted."""
import copy
import pickle

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast import serializers
from tests.training.resumption import loops, parts

N_UPDATES = 5
SETTINGS = {
    'plain': lambda optimizer: None,
    'float16': lambda optimizer: None,
    'in float32': lambda optimizer: optimizer.use_fp32_update(),
    'scaled': lambda optimizer: optimizer.loss_scaling(interval=2),
}


def make(name, setting, compiled):
    """Return an optimizer whose model is initialized late."""
    np.random.seed(0)
    with chainer.using_config(
            'dtype', np.float32 if setting == 'plain' else np.float16):
        model = chainer.Sequential(L.Linear(None, 4), F.tanh, L.Linear(4, 2))
        model.unused = L.Linear(None, 1)
        model.append(lambda x: x)
    optimizer = parts.OPTIMIZERS[name]().setup(chainer.ChainList(*model.children()))
    if name == 'Adam' or name.startswith('A'):
        for attribute in {'eps'} & set(optimizer.hyperparam.get_dict()):
            setattr(optimizer, attribute, 1e-4)     # which float16 has
    SETTINGS[setting](optimizer)
    if not compiled:
        for param in optimizer.target.params():
            param.update_rule.note = 'a rule with more attributes is not compiled'
    return optimizer


def step(optimizer, i, setting):
    model = optimizer.target
    x = np.random.RandomState(i).rand(3, 5).astype(
        'f4' if setting == 'plain' else 'f2')
    if setting == 'scaled' and i == 1:
        x[0, 0] = np.inf
    optimizer.update(lambda: F.sum(model[1](F.tanh(model[0](x))) ** 2))


def state_of(optimizer):
    return {**serializers.npz.serialize(optimizer),
            **{'model/' + name: array.copy() for name, array
               in serializers.npz.serialize(optimizer.target).items()}}


def through_file(form):
    def move(optimizer, fresh):
        for here, there in (optimizer, fresh), (optimizer.target, fresh.target):
            loops.FORMATS[form](serializers.npz.serialize(here))(there)
        return fresh
    return move


WAYS = {
    'npz': through_file('npz'), 'hdf5': through_file('hdf5'),
    'deepcopy': lambda optimizer, fresh: copy.deepcopy(optimizer),
    'pickle': lambda optimizer, fresh: pickle.loads(pickle.dumps(optimizer)),
}


@pytest.mark.filterwarnings('ignore:Non finite number', 'ignore:overflow',
                            'ignore:invalid value', 'ignore:divide by zero')
@pytest.mark.parametrize('compiled', [True, False])
@pytest.mark.parametrize('setting', SETTINGS)
@pytest.mark.parametrize('name', sorted(parts.OPTIMIZERS))
def test_optimizer_goes_on(name, setting, compiled):
    def run(optimizer, begin):
        for i in range(begin, N_UPDATES):
            step(optimizer, i, setting)
        return state_of(optimizer)

    try:
        expected = run(make(name, setting, compiled), 0)
    except ValueError as error:
        assert 'too small for float16' in str(error) and setting != 'plain'
        return
    for begin in range(N_UPDATES):
        for way, move in WAYS.items():
            optimizer = make(name, setting, compiled)
            for i in range(begin):
                step(optimizer, i, setting)
            fresh = make(name, setting, compiled)
            moved = move(optimizer, fresh)
            assert not loops.differences(run(moved, begin), expected), (way, begin)
