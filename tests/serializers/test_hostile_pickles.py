"""Pickles that want to write a file while they are read, or that never end."""
import copyreg
import functools
import io
import os
import pickle

import numpy as np
import pytest

from chainer_fast import iterators, optimizers, serializers, training
from chainer_fast import links as L
from chainer_fast.optimizer import Hyperparameter
from chainer_fast.reporter import DictSummary, Reporter
from chainer_fast.training import extensions, updaters


class Made:
    """Pickled as an object of a class with a state, whatever its methods say."""

    def __init__(self, cls, **state):
        self.cls, self.state = cls, state

    def __reduce__(self):
        return copyreg._reconstructor, (self.cls, object, None), self.state


def load(obj):
    return serializers.load_pickle(io.BytesIO(pickle.dumps(obj, 2)))


def decoy(**attributes):
    """An object of an admitted class, whose attributes have names of methods."""
    return Made(DictSummary, **attributes)


def sgd(**state):
    return Made(optimizers.SGD, **{**vars(optimizers.SGD()), **state})


def trainer(updater, reporter):
    return Made(training.Trainer, updater=updater, reporter=reporter)


def attacks(call):
    return {
        'target': sgd(target=decoy(namedparams=call), _states={}),
        'states': sgd(target=L.Linear(2, 2), _states=decoy(get=call)),
        'hyperparameters': sgd(hyperparam=decoy(parent=None, get_dict=call)),
        'updater': trainer(decoy(get_all_optimizers=call), Reporter()),
        'optimizers': Made(updaters.StandardUpdater, _optimizers=decoy(values=call)),
        'threads': Made(iterators.MultithreadIterator, _pool=decoy(terminate=call),
                        _state=1, _next=None, _sampled=[]),
        'processes': Made(
            iterators.MultiprocessIterator, _pool=decoy(
                close=call, cancel=call, pid=os.getpid()),
            _state=1, _ahead=[], _sampled=[], _is_measured=True, order_sampler=None),
    }


@pytest.mark.parametrize('what', attacks(None))
def test_no_file_is_written_by_reading(what, tmp_path):
    path = tmp_path / 'written.npz'
    call = functools.partial(serializers.save_npz, str(path), L.Linear(2, 2))
    with pytest.raises(pickle.UnpicklingError, match=(
            r'partial call.* pass allow=\(.chainer_fast\.serializers\.npz\.save_npz')):
        load(attacks(call)[what])
    assert not path.exists()


def test_the_names_in_a_trainer_are_no_files(tmp_path):
    path = tmp_path / 'written.npz'
    optimizer = optimizers.SGD().setup(L.Linear(2, 2))
    updater = Made(updaters.StandardUpdater, _optimizers={str(path): optimizer},
                   _iterators={}, auto_new_epoch=True)
    with pytest.raises(pickle.UnpicklingError, match='in the place of .*Reporter'):
        load(trainer(updater, decoy(add_observer=serializers.save_npz)))
    assert not path.exists()


@pytest.mark.parametrize('what', [
    'target', 'states', 'hyperparameters', 'updater', 'optimizers'])
def test_methods_are_those_of_the_class(what):
    attack = attacks(decoy())[what]
    with pytest.raises(pickle.UnpicklingError, match='in the place of'):
        load(attack)


def test_module_of_an_object_is_not_what_the_file_says():
    target = decoy(__module__='mine', namedparams=decoy())
    with pytest.raises(pickle.UnpicklingError, match='in the place of'):
        load(sgd(target=target, _states={}))


def test_hyperparameters_that_are_their_own_parents(monkeypatch):
    # Before Python 3.11, which has one for all objects, pickle would ask the parent.
    monkeypatch.setattr(
        Hyperparameter, '__getstate__', lambda self: vars(self), raising=False)
    root = Hyperparameter()
    root._parent = root
    root.lr = .1
    with pytest.raises(pickle.UnpicklingError, match='own parents'):
        load(sgd(hyperparam=root))


def test_functions_that_save_work_in_snapshots_only():
    loaded = load(extensions.snapshot(serializers.save_hdf5))
    assert loaded.writer._savefun is serializers.save_hdf5
    found, = load([serializers.save_npz])
    with pytest.raises(TypeError, match=r"allow=\('chainer_fast\.serializers\.npz\."):
        found('x', L.Linear(2, 2))


def test_partial_call_that_the_user_admits():
    saved = functools.partial(serializers.save_npz, compression=False)
    name = 'chainer_fast.serializers.npz.save_npz'
    loaded = serializers.load_pickle(
        io.BytesIO(pickle.dumps(extensions.snapshot(saved))), allow=(name,))
    assert loaded.writer._savefun.func is serializers.save_npz
    assert loaded.writer._savefun.keywords == {'compression': False}


def test_dtype_is_shown_as_ever():
    for kind in 'float32', '>f4', 'S3', '<U2':
        assert repr(load(np.dtype(kind))) == repr(np.dtype(kind))
