"""Snapshots that releases of Chainer have written; see data/README.md."""
import json
import os
import warnings

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import serializers
from tests.serializers.data.snapshot_objects import Parts

DATA = os.path.join(os.path.dirname(__file__), 'data')
FOLDERS = sorted(name for name in os.listdir(DATA) if name.startswith('chainer-'))
PARTS = Parts(chainer)


@pytest.fixture(params=FOLDERS)
def folder(request):
    return os.path.join(DATA, request.param)


def facts(folder, name):
    with open(os.path.join(folder, 'facts.json')) as file:
        return json.load(file)[name]


def load(folder, name, obj, **options):
    if name.endswith('.h5'):
        pytest.importorskip('h5py')
        serializers.load_hdf5(os.path.join(folder, name), obj)
    else:
        serializers.load_npz(os.path.join(folder, name), obj, **options)


def test_there_are_some():
    assert len(FOLDERS) == 5


@pytest.mark.parametrize('name', ['model.npz', 'model_stored.npz'])
def test_model(device, folder, name):
    for lazy in (False, True):
        model = device.send(PARTS.model(lazy))
        load(folder, name, model)
        model.to_device('@numpy')
        assert PARTS.facts_of_model(model) == facts(folder, name)


@pytest.mark.parametrize('name', ['lazy.npz', 'lazy.h5'])
def test_model_without_all_shapes(device, folder, name):
    model = device.send(PARTS.model(lazy=True))
    load(folder, name, model)
    model.to_device('@numpy')
    assert PARTS.facts_of_model(model) == facts(folder, name)
    assert model.last.W.array is None


@pytest.mark.parametrize('name', [
    'Adam_before.npz', 'Adam_after.npz', 'Adam_after.h5', 'MomentumSGD_before.npz',
    'MomentumSGD_after.npz'])
def test_optimizer(folder, name):
    expected = facts(folder, name)
    kind, _, when = name.partition('.')[0].partition('_')
    stepped = PARTS.optimizer(kind, 1)
    if when == 'before':
        # There are no states in the file, so there are none afterwards.
        for optimizer in (PARTS.optimizer(kind, 0), stepped):
            load(folder, name, optimizer)
            assert optimizer.t == 0
            for param in optimizer.target.params():
                assert param.update_rule.t == 0 and param.update_rule.state is None
        return
    for optimizer in (PARTS.optimizer(kind, 0), stepped):
        load(folder, name, optimizer)
        assert PARTS.facts_of_optimizer(optimizer) == expected
        for param in optimizer.target.params():
            assert all(
                state.dtype == np.float32 for state in param.update_rule.state.values())


def test_trainer(folder, tmp_path):
    expected = facts(folder, 'trainer.npz')
    trainer = PARTS.trainer(str(tmp_path), best='best' in expected)
    with warnings.catch_warnings():
        if 'best' not in expected:  # nor did the log save what it had not written yet
            warnings.simplefilter('ignore')
        load(folder, 'trainer.npz', trainer)
    assert PARTS.facts_of_trainer(trainer) == expected


def test_model_of_a_trainer(folder):
    model = PARTS.model()
    load(folder, 'trainer.npz', model, path='updater/model:main/model/')
    assert PARTS.facts_of_model(model) == facts(folder, 'trainer.npz')['model']


def test_nested(folder):
    model, optimizer = PARTS.model(), PARTS.optimizer('Adam', 0)
    load(folder, 'nested.npz', model, path='run/model/')
    load(folder, 'nested.npz', optimizer, path='run/optimizer/')
    assert {
        'model': PARTS.facts_of_model(model),
        'optimizer': PARTS.facts_of_optimizer(optimizer)} == facts(
            folder, 'nested.npz')


@pytest.mark.parametrize('suffix', ['.npz', '.h5'])
def test_what_is_written_here_has_the_same_keys(folder, tmp_path, suffix):
    if suffix == '.h5':
        h5py = pytest.importorskip('h5py')
        serializers.save_hdf5(tmp_path / 'saved', PARTS.filled_model(lazy=True))

        def contents(path):
            found = {}
            with h5py.File(path) as file:
                file.visititems(lambda name, item: found.update(
                    {name: (item.dtype, item.shape)} if isinstance(
                        item, h5py.Dataset) else {}))
            return found
    else:
        serializers.save_npz(str(tmp_path / 'saved'), PARTS.filled_model(lazy=True))

        def contents(path):
            with np.load(path, allow_pickle=True) as archive:
                return {name: (archive[name].dtype, archive[name].shape)
                        for name in archive}
    assert contents(tmp_path / 'saved') == contents(
        os.path.join(folder, 'lazy' + suffix))
