"""Tests of all links that keep a state."""
import numpy as np
import pytest

import chainer_fast
from chainer_fast import backend, device_resident, links, serializers
from tests import compare
from tests.links.rnn._reference import random

STATES = {
    links.GRU: 'h', links.StatefulGRU: 'h', links.StatefulMGU: 'h', links.LSTM: 'ch',
    links.StatefulZoneoutLSTM: 'ch', links.StatefulPeepholeLSTM: 'ch'}
all_links = pytest.mark.parametrize('cls, names', STATES.items(), ids=lambda v: (
    v if isinstance(v, str) else v.__name__))


def state_of(link, names):
    return [getattr(link, name) for name in names]


@all_links
def test_state_is_kept_and_forgotten(device, cls, names):
    link = device.send(cls(3, 4))
    assert state_of(link, names) == [None] * len(names)
    # In training, zoneout may keep all that there is.
    with chainer_fast.using_config('train', False):
        y = link(device.send(random(2, 3)))
        assert link.h is y
        first = [v.array for v in state_of(link, names)]
        link(device.send(random(2, 3)))
    for old, new in zip(first, state_of(link, names), strict=True):
        assert new.shape == (2, 4)
        assert (old != new.array).any()
    link.reset_state()
    assert state_of(link, names) == [None] * len(names)


@all_links
def test_gradient_goes_back_in_time(device, cls, names):
    link = device.send(cls(3, 4))
    x = chainer_fast.Variable(device.send(random(2, 3)))
    with chainer_fast.using_config('train', False):
        link(x)
        y = link(device.send(random(2, 3)))
    y.grad = np.ones_like(y.array)
    y.backward()
    assert x.grad is not None and x.grad.any()


@pytest.mark.parametrize('cls, names', [
    (cls, names) for cls, names in STATES.items()
    if cls is not links.StatefulPeepholeLSTM])
def test_set_state(device, cls, names):
    link = device.send(cls(3, 4))
    states = [
        chainer_fast.Variable(device.send(random(2, 4, seed=i)))
        for i in range(len(names))]
    link.set_state(*states)
    assert all(a is b for a, b in zip(state_of(link, names), states, strict=True))
    for wrong in (None, states[0].array):
        with pytest.raises(AssertionError, match='must be a Variable'):
            link.set_state(*states[1:], wrong)
    assert link.h is states[-1]


def test_new_state_is_moved_to_the_link():
    class Recording(chainer_fast.Variable):
        def to_device(self, device):
            moved.append((self, device))

    moved = []
    link = links.LSTM(3, 4)
    c, h = Recording(random(2, 4)), Recording(random(2, 4))
    link.set_state(c, h)
    assert moved == [(c, link.device), (h, link.device)]


@all_links
def test_state_is_not_saved(device, cls, names, tmp_path):
    link = device.send(cls(3, 4))
    y = link(device.send(random(2, 3)))
    serializers.save_npz(tmp_path / 'a.npz', link)
    with np.load(tmp_path / 'a.npz') as saved:
        assert set(saved) == {name[1:] for name, _ in link.namedparams()}
    other = device.send(cls(3, 4))
    serializers.load_npz(tmp_path / 'a.npz', other)
    assert other.h is None
    with chainer_fast.using_config('train', False):
        link.reset_state()
        compare.assert_array_equal(
            other(device.send(random(2, 3))).array,
            link(device.send(random(2, 3))).array)
    assert y.shape == (2, 4)


@all_links
def test_copies(device, cls, names):
    link = device.send(cls(3, 4))
    link(device.send(random(2, 3)))
    assert link.copy().h is link.h
    copied = link.copy('copy')
    assert copied.h is not link.h
    compare.assert_array_equal(copied.h.array, link.h.array)


class Visitor(device_resident.DeviceResidentsVisitor):

    def __init__(self):
        self.seen = []

    def visit_device_resident(self, resident):
        pass

    def visit_array(self, array):
        return array

    def visit_variable(self, param):
        self.seen.append(param)


@all_links
def test_state_moves_with_the_link(device, cls, names):
    link = device.send(cls(3, 4))
    without = Visitor()
    link.device_resident_accept(without)
    link(device.send(random(2, 3)))
    visitor = Visitor()
    link.device_resident_accept(visitor)
    assert len(visitor.seen) == len(without.seen) + len(names)
    for state in state_of(link, names):
        assert any(v is state for v in visitor.seen)
    link.to_device('@numpy')
    assert link.h.device == backend.CpuDevice()


@all_links
def test_the_state_is_an_attribute_of_the_object(cls, names):
    link = cls(3, 4)
    for name in names:
        assert vars(link)[name] is None and not hasattr(cls, name)
        delattr(link, name)
        assert not hasattr(link, name)
        with pytest.raises(AttributeError):
            delattr(link, name)
    link.reset_state()
    assert state_of(link, names) == [None] * len(names)


@all_links
def test_the_constructor_calls_reset_state(cls, names):
    class Link(cls):
        resets = 0

        def reset_state(self):
            super().reset_state()
            self.resets += 1

    link = Link(3, 4)
    assert link.resets == 1
