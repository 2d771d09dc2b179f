"""Compiled form of connectionist temporal classification, against the reference."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainer_fast.backends.kernels import ctc
from tests import devices


@st.composite
def samples(draw):
    steps, batch, classes, width = [
        draw(st.integers(*bounds)) for bounds in ((1, 8), (1, 3), (1, 5), (0, 4))]
    rng = np.random.RandomState(draw(st.integers(0, 2 ** 16)))
    scale = draw(st.sampled_from([.1, 3, 100, 1e4]))
    x = rng.uniform(-scale, scale, (steps, batch, classes))
    x[rng.uniform(size=x.shape) < draw(st.sampled_from([0, .2, .7]))] = -np.inf
    if draw(st.booleans()):
        x = x.transpose(1, 0, 2).copy().transpose(1, 0, 2)
    return (
        x.astype(draw(st.sampled_from('fd'))),
        rng.randint(-classes, classes, (batch, width)).astype('i'),
        int(rng.randint(classes)),
        # Also lengths that count from the end, and one that is too large.
        rng.randint(1 - steps, steps + 2, batch).astype('i'),
        rng.randint(0, width + 1, batch).astype('i'))


def compare(found, args, backprop):
    """Compare losses and gradient with those of the reference."""
    losses, gx = found
    expected, expected_gx = ctc.ctc.reference(*args, backprop)
    np.testing.assert_allclose(losses, expected, 1e-9, 1e-9)
    if not backprop:
        assert gx is None is expected_gx
        return
    assert (gx.dtype, gx.shape) == (args[0].dtype, args[0].shape)
    tolerance = 1e-6 if gx.dtype == 'f' else 1e-9
    np.testing.assert_allclose(gx, expected_gx, tolerance, tolerance)


@given(samples(), st.booleans())
def test_compiled_form(args, backprop):
    compare(ctc.ctc(*args, backprop), args, backprop)


@pytest.mark.gpu
@settings(max_examples=60, deadline=None)
@given(args=samples(), backprop=st.booleans())
def test_device_form(device, args, backprop):
    found = ctc.ctc.device(*device.send(args), backprop)
    compare(devices.to_cpu(found), args, backprop)


@given(samples())
def test_arguments_stay_as_they_are(args):
    copies = [np.array(a) for a in args]
    ctc.ctc(*args, True)
    for a, copy in zip(args, copies, strict=True):
        np.testing.assert_array_equal(a, copy)


def test_no_compiled_form():
    x = np.zeros((2, 1, 3), 'e')
    lengths = np.ones(1, 'i')
    args = np.zeros((1, 1), 'i'), 2, lengths, lengths, True
    assert ctc.ctc.compiled(x, *args) is NotImplemented
    assert ctc.ctc.compiled(x[:, :0].astype('f'), *args) is NotImplemented


def test_many_times_keep_their_precision():
    # The log-likelihood is about -7,000, and the shares still sum to one.
    rng = np.random.RandomState(0)
    x = rng.uniform(-1, 1, (2000, 1, 40))
    labels = rng.randint(0, 39, (1, 100)).astype('i')
    losses, gx = ctc.ctc(
        x, labels, 39, np.array([2000], 'i'), np.array([100], 'i'), True)
    assert 5000 < losses[0] < 9000
    np.testing.assert_allclose(gx.sum(axis=2), 0, atol=1e-9)
