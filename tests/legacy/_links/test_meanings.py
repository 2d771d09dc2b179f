"""Defaults that hold if their version is named."""
import pickle

import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import legacy
from chainer_fast import links as L

X = np.random.RandomState(0).uniform(-1, 1, (4, 6)).astype(np.float32)


@pytest.mark.parametrize('named, starts_at', [
    ((), 1), (('v1',), 0), (('v4',), 0), (('v5',), 1)])
def test_running_variance(named, starts_at, enable):
    enable(*named)
    assert (L.BatchNormalization(3).avg_var == starts_at).all()
    assert (L.BatchRenormalization(3).avg_var == starts_at).all()
    assert (L.BatchNormalization(3, initial_avg_var=2).avg_var == 2).all()


@pytest.mark.parametrize('named, bias', [((), 1), (('v1',), 0), (('v2',), 1)])
def test_forget_bias(named, bias, enable):
    enable(*named)
    for cls in (L.LSTM, L.StatelessLSTM):
        assert cls(2, 3).upward.b.array.sum() == 3 * bias
        assert cls(2, 3, forget_bias_init=5).upward.b.array.sum() == 15


@pytest.mark.parametrize('named, eps', [
    ((), 2e-5), (('v1',), 2e-5), (('v1.14',), 2e-5), (('v1.13',), 1e-5),
    (('v1.5',), 1e-5), (('v2.0',), 2e-5), (('v2.0', 'v1.13'), 1e-5)])
def test_eps_of_a_release(named, eps, enable):
    enable(*named)
    assert L.BatchNormalization(3).eps == eps
    assert L.BatchNormalization(3, 0.9, 0.25).eps == 0.25
    assert L.BatchNormalization(3, eps=0.25).eps == 0.25
    assert L.InceptionBN(3, 4, 2, 4, 2, 4, 'avg', 2).conv1n.eps == eps


def test_forget_bias_by_position(enable):
    enable('v1')
    for cls in (L.LSTM, L.StatelessLSTM):
        assert cls(2, 3, None, None, None, 5).upward.b.array.sum() == 15


@pytest.mark.parametrize('named, share', [((), 0), (('v3',), 1), (('v4',), 0)])
def test_eps_in_the_running_variance(named, share, enable):
    enable(*named)
    link = L.BatchNormalization(6, eps=0.5, decay=0.5, initial_avg_var=0)
    link(X)
    np.testing.assert_allclose(
        link.avg_var, 0.5 * 4 / 3 * (X.var(0) + 0.5 * share), rtol=1e-5)


@pytest.mark.parametrize('named, share', [((), 0), (('v6',), 1)])
def test_eps_in_the_running_variance_of_renormalization(named, share, enable):
    enable(*named)
    link = L.BatchRenormalization(6, eps=0.5, decay=0.5, initial_avg_var=0)
    link(X)
    np.testing.assert_allclose(
        link.avg_var, 0.5 * 4 / 3 * (X.var(0) + 0.5 * share), rtol=1e-5)


def test_bias_of_convolutions(enable):
    enable()
    assert L.ConvolutionND(1, 2, 3, 3).b is not None


def test_no_bias_of_convolutions(enable):
    enable('v1')
    assert L.ConvolutionND(1, 2, 3, 3).b is None
    assert L.ConvolutionND(1, 2, 3, 3, initial_bias=0).b is not None
    assert L.ConvolutionND(1, 2, 3, 3, nobias=False).b is not None
    assert L.DeconvolutionND(1, 2, 3, 3).b is not None
    # Today, the weights would stand last.
    assert L.ConvolutionND(1, 2, 3, 3, 1, 0, None).b is None
    assert (L.ConvolutionND(1, 2, 3, 3, 1, 0, None, X[0, :3]).b.array == X[0, :3]).all()


def test_frozen_renormalization(enable):
    enable()
    link = L.BatchRenormalization(6, freeze_running_statistics=True)
    link(X)
    averages = link.avg_mean.copy(), link.avg_var.copy()
    link(3 * X)
    np.testing.assert_array_equal((link.avg_mean, link.avg_var), averages)
    with pytest.raises(TypeError):
        F.batch_renormalization(X, X[0], X[0], freeze_running_statistics=True)


@pytest.mark.parametrize('make, sizes', [
    (lambda: L.GRU(5), (5, 5)), (lambda: L.GRU(n_units=5, n_inputs=6), (6, 5)),
    (lambda: L.GRU(5, n_inputs=6), (6, 5))])
def test_gru_that_can_only_be_the_old_one(make, sizes, enable, used):
    enable()
    link = make()
    assert link.W.W.shape == sizes[::-1]
    h = np.zeros((4, 5), np.float32)
    assert link(h, X[:, :sizes[0]]).shape == (4, 5)
    assert used() == {'chainer.links.GRU with n_units first': 1}


def test_gru_is_pickled_as_a_link_of_today(enable):
    enable()
    link = L.GRU(5)
    again = pickle.loads(pickle.dumps(link))
    assert type(again) is L.StatelessGRU
    h = np.ones((4, 5), np.float32)
    np.testing.assert_array_equal(again(h, h).array, link(h, h).array)
    today = L.GRU(6, 5)
    today(X)
    assert type(pickle.loads(pickle.dumps(today))) is L.GRU
    legacy.disable()
    assert type(pickle.loads(pickle.dumps(L.GRU(6, 5)))) is L.GRU


def test_gru_of_today(enable, used):
    enable()
    link = L.GRU(6, 5)
    assert isinstance(link, L.StatefulGRU)
    assert link(X).shape == (4, 5)
    with pytest.raises(ValueError, match='StatelessGRU'):
        link(X, X)
    assert not used()


def test_gru_of_version_1(enable):
    enable('v1')
    link = L.GRU(5, 6)
    assert link(np.zeros((4, 5), np.float32), X).shape == (4, 5)
