"""Files of optimizers of another moment: before the first update, frozen, lazy."""
import io

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast import optimizers, serializers

NAMES = sorted(name for name, value in vars(optimizers).items()
               if isinstance(value, type) and issubclass(value, chainer.Optimizer))


def make(name, in_size=3):
    model = chainer.Chain(one=L.Linear(in_size, 2), two=L.Linear(2, 2),
                          unused=L.Linear(None, 2))
    return getattr(optimizers, name)().setup(model)


def step(optimizer):
    model = optimizer.target
    optimizer.update(
        lambda: F.sum(model.two(F.tanh(model.one(np.ones((1, 3), 'f')))) ** 2))


def through_npz(saved, loaded, **kwargs):
    file = io.BytesIO()
    serializers.save_npz(file, saved)
    file.seek(0)
    serializers.load_npz(file, loaded, **kwargs)


def through_hdf5(saved, loaded, strict=True):
    import h5py
    file = io.BytesIO()
    serializers.save_hdf5(file, saved)
    with h5py.File(file) as opened:
        serializers.HDF5Deserializer(opened, strict).load(loaded)


ways = pytest.mark.parametrize('through', [through_npz, through_hdf5])


@ways
@pytest.mark.parametrize('strict', [True, False])
@pytest.mark.parametrize('in_size', [None, 3])
@pytest.mark.parametrize('n_steps', [0, 2])
@pytest.mark.parametrize('name', NAMES)
def test_file_of_before_the_first_update(name, n_steps, in_size, strict, through):
    early, late = make(name, in_size), make(name, in_size)
    for _ in range(n_steps):
        step(late)
    through(early, late, strict=strict)
    assert late.t == 0
    for param in late.target.params():
        assert param.update_rule.t == 0 and not (
            strict and param.update_rule.state)
    step(late)


@ways
@pytest.mark.parametrize('name', NAMES)
def test_frozen_there_and_free_here(name, through):
    frozen, free = make(name), make(name)
    frozen.target.one.disable_update()
    for optimizer in frozen, free:
        step(optimizer)
    through(frozen, free)
    rule = free.target.one.W.update_rule
    assert rule.t == 0 and rule.enabled and not rule.state
    assert free.target.two.W.update_rule.t == 1
    step(free)
    assert rule.t == 1


@ways
@pytest.mark.parametrize('name', NAMES)
def test_free_there_and_frozen_here(name, through):
    frozen, free = make(name), make(name)
    step(free)
    frozen.target.one.disable_update()
    through(free, frozen)
    mine, its = [each.target.one.W.update_rule for each in (frozen, free)]
    assert mine.t == 1 and not mine.enabled
    for key, value in its.state.items():
        np.testing.assert_array_equal(mine.state[key], value)


@ways
@pytest.mark.parametrize('in_size', [None, 3])
@pytest.mark.parametrize('name', NAMES)
def test_parameter_that_is_not_initialized(name, in_size, through):
    saved, loaded = make(name), make(name, in_size)
    for _ in range(2):
        step(saved)
    through(saved, loaded)
    rule = loaded.target.unused.W.update_rule
    assert rule.t == 2 and not rule.state
    if in_size:
        step(loaded)


def without_nones(optimizer):
    """Return the arrays of a file as Chainer writes it."""
    return {name: array for name, array in serializers.npz.serialize(optimizer).items()
            if array.dtype != object}


@pytest.mark.parametrize('name', ['Adam', 'MomentumSGD'])
def test_parameter_that_is_not_initialized_in_a_file_of_chainer(name):
    saved, loaded = make(name), make(name)
    step(saved)
    with pytest.warns(UserWarning, match='no states for /unused/W'):
        serializers.NpzDeserializer(without_nones(saved)).load(loaded)
    assert loaded.target.one.W.update_rule.state
    loaded.target.unused(np.ones((1, 3), 'f'))
    with pytest.raises(KeyError):       # may be damaged
        serializers.NpzDeserializer(without_nones(saved)).load(loaded)


@pytest.mark.parametrize('in_size', [None, 3])
def test_file_of_another_optimizer(in_size):
    saved, loaded = make('SGD'), make('Adam', in_size)
    step(saved)
    with pytest.raises(KeyError):
        serializers.NpzDeserializer(without_nones(saved)).load(loaded)
    with pytest.warns(UserWarning, match='values that the SGD does not have'):
        other = make('MomentumSGD')
        step(other)
        through_npz(other, saved)


def test_missing_state_is_an_error():
    saved = make('Adam')
    step(saved)
    arrays = serializers.npz.serialize(saved)
    del arrays['one/W/m']
    for loaded in make('Adam'), make('Adam', None), saved:
        with pytest.raises(KeyError):
            serializers.NpzDeserializer(arrays).load(loaded)


def test_added_parameter():
    saved, loaded = make('Adam'), make('Adam')
    step(saved)
    with loaded.target.init_scope():
        loaded.target.three = L.Linear(2, 2)
    loaded.setup(loaded.target)
    with pytest.raises(KeyError, match='three'):
        through_npz(saved, loaded)
    through_npz(saved, loaded, strict=False)
    assert loaded.target.three.W.update_rule.state is None
    assert loaded.target.two.W.update_rule.state is not None


# -- float16


def half(in_size=3):
    with chainer.using_config('dtype', np.float16):
        optimizer = optimizers.MomentumSGD(lr=1e-4).setup(L.Linear(in_size, 2))
    optimizer.use_fp32_update()
    return optimizer


def step_half(optimizer):
    optimizer.update(lambda: F.sum(optimizer.target(np.ones((1, 3), np.float16))))


def test_twin_is_of_the_file_only_if_the_parameter_is():
    saved, loaded, other = half(), half(), half()
    for _ in range(3):
        step_half(saved)
    for optimizer in loaded, other:
        step_half(optimizer)
        through_npz(saved, optimizer)
    through_npz(saved.target, loaded.target)
    other.target.W.array[...] = 3
    for optimizer in saved, loaded, other:
        step_half(optimizer)
    twins = [each.target.W.update_rule._fp32_param.array for each in (
        saved, loaded, other)]
    np.testing.assert_array_equal(twins[0], twins[1])
    np.testing.assert_allclose(twins[2], 3, rtol=1e-2)


def test_power_of_beta_in_a_file_of_chainer():
    saved, loaded = make('MSVAG'), make('MSVAG')
    for _ in range(4):
        step(saved)
    arrays = {name: array for name, array in serializers.npz.serialize(saved).items()
              if 'beta_power' not in name}
    for strict in True, False:
        serializers.NpzDeserializer(arrays, strict=strict).load(loaded)
        for mine, its in zip(loaded.target.two.params(), saved.target.two.params(),
                             strict=True):
            assert mine.update_rule.beta_power == its.update_rule.beta_power < .6
