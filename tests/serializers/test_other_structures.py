"""Files of another structure than that of the object: what is told, and what is not."""
import io
import warnings

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import links as L
from chainer_fast import serializers


def npz(saved, loaded, path='', **kwargs):
    file = io.BytesIO()
    serializers.save_npz(file, saved)
    file.seek(0)
    serializers.load_npz(file, loaded, path, **kwargs)


def dictionary(saved, loaded, path='', **kwargs):
    serializers.NpzDeserializer(
        serializers.npz.serialize(saved), path, **kwargs).load(loaded)


def hdf5(saved, loaded, path='', **kwargs):
    h5py = pytest.importorskip('h5py')
    file = io.BytesIO()
    serializers.save_hdf5(file, saved)
    with h5py.File(file) as opened:
        serializers.HDF5Deserializer(
            opened[path] if path else opened, **kwargs).load(loaded)


def safetensors(saved, loaded, **kwargs):
    pytest.importorskip('safetensors')
    import tempfile
    with tempfile.NamedTemporaryFile() as file:
        serializers.save_safetensors(file.name, saved)
        serializers.load_safetensors(file.name, loaded, **kwargs)


ALL = [npz, dictionary, hdf5, safetensors]
everywhere = pytest.mark.parametrize('move', ALL)


def silent(move, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        move(*args, **kwargs)


@everywhere
def test_other_kind_of_link(move):
    lstm, gru = L.NStepLSTM(1, 4, 4, 0.), L.NStepGRU(1, 4, 4, 0.)
    with pytest.warns(UserWarning, match=(
            "has 4 values that the NStepGRU does not have .*: '0/b6', '0/b7', '0/w6', "
            ".*strict=False")):
        move(lstm, gru)
    np.testing.assert_array_equal(gru[0].w0.array, lstm[0].w0.array)
    silent(move, lstm, gru)      # once
    silent(move, lstm, L.NStepGRU(1, 4, 4, 0.), strict=False)


@everywhere
def test_link_within_a_model(move):
    big = chainer.Chain(a=L.Linear(3, 2), b=L.Linear(2, 2))
    small = chainer.Chain(a=L.Linear(3, 2, nobias=True), b=L.Linear(2, 2))
    with pytest.warns(UserWarning, match="has 1 values that the Chain .*: 'a/b'"):
        move(big, small)
    # Parts that are not wanted are no mistake.
    silent(move, big, chainer.Chain(b=L.Linear(2, 2)))


@pytest.mark.parametrize('move', [npz, dictionary, hdf5])
def test_part_of_a_file(move):
    big = chainer.Chain(a=L.Linear(3, 2), b=L.Linear(2, 2))
    silent(move, big, L.Linear(3, 2), 'a/')
    with pytest.warns(UserWarning, match="the Linear does not have .*'a/b'"):
        move(big, L.Linear(3, 2, nobias=True), 'a/')


@pytest.mark.parametrize('ignored', ['b', ['b'], lambda path: path == 'b'])
def test_ignored_values(ignored):
    silent(npz, L.Linear(3, 2), L.Linear(3, 2, nobias=True), ignore_names=ignored)


def test_objects_that_ask_for_nothing():
    class Nothing:
        def serialize(self, serializer):
            pass

    silent(npz, L.Linear(3, 2), Nothing())


@everywhere
@pytest.mark.parametrize('saved,wanted', [
    ((1,), (3,)), ((1, 2), (3, 2)), ((1, 1), (2, 3))])
@pytest.mark.parametrize('kind', ['parameter', 'persistent'])
def test_elements_are_not_repeated_without_a_word(device, move, kind, saved, wanted):
    def make(shape):
        link = chainer.Link()
        if kind == 'persistent':
            link.add_persistent('x', np.full(shape, 5, 'f'))
        else:
            with link.init_scope():
                link.x = chainer.Parameter(5., shape)
        return link

    small, large = make(saved), device.send(make(wanted))
    with pytest.warns(UserWarning, match="'x' of .* has shape .* are repeated to fill"):
        move(small, large)
    silent(move, make(wanted), large)
    silent(move, make((1, *wanted)), large)


def test_states_of_an_optimizer():
    def make(size):
        link = chainer.Link()
        with link.init_scope():
            link.x = chainer.Parameter(5., size)
        optimizer = chainer.optimizers.MomentumSGD().setup(link)
        link.x.grad = np.ones(size, 'f')
        optimizer.update()
        return optimizer

    with pytest.warns(UserWarning, match="'x/v' of .* repeated"):
        npz(make(1), make(3))
