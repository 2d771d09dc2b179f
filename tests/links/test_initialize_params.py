"""Links whose parameters get their sizes from the first input, and subclasses."""
import numpy
import pytest

from chainer_fast import links

# Arguments that leave the size of the input open, and the shape of an input.
CASES = {
    'BatchNormalization': ({'axis': 0}, (4, 3)),
    'GroupNormalization': ({'groups': 3}, (4, 6)),
    'LayerNormalization': ({}, (4, 3)),
    'Linear': ({'in_size': None, 'out_size': 2}, (4, 3)),
    'SimplifiedDropconnect': ({'in_size': None, 'out_size': 2}, (4, 3)),
    'LSTM': ({'in_size': None, 'out_size': 2}, (4, 3)),
    'StatelessLSTM': ({'in_size': None, 'out_size': 2}, (4, 3)),
    'DepthwiseConvolution2D': (
        {'in_channels': None, 'channel_multiplier': 2, 'ksize': 3}, (1, 2, 5, 5)),
    'LocalConvolution2D': (
        {'in_channels': None, 'out_channels': 2, 'in_size': None, 'ksize': 3},
        (1, 2, 5, 5)),
    **{name + 'ND': (
        {'ndim': 1, 'in_channels': None, 'out_channels': 2, 'ksize': 3}, (1, 2, 5))
       for name in ('Convolution', 'Deconvolution')},
    **{'%s%dD' % (name, ndim): (
        {'in_channels': None, 'out_channels': 2, 'ksize': 3}, (1, 2) + ndim * (5,))
       for name in ('Convolution', 'Deconvolution') for ndim in (1, 2, 3)},
    'DilatedConvolution2D': (
        {'in_channels': None, 'out_channels': 2, 'ksize': 3}, (1, 2, 5, 5)),
}


def test_all_are_here():
    # The constructor of BatchRenormalization asks for the size.
    assert sorted([*CASES, 'BatchRenormalization']) == sorted(
        name for name, value in vars(links).items()
        if isinstance(value, type) and hasattr(value, '_initialize_params'))


@pytest.mark.parametrize('name', CASES)
def test_override_is_called(name):
    """Programs normalize weights there, or draw them again."""
    calls = []

    class Subclass(getattr(links, name)):
        def _initialize_params(self, *args):
            super()._initialize_params(*args)
            calls.append(args)

    arguments, shape = CASES[name]
    link, x = Subclass(**arguments), numpy.ones(shape, numpy.float32)

    def run():
        (link(None, None, x) if name == 'StatelessLSTM' else link(x))

    del calls[:]
    run()
    assert len(calls) == 1
    assert all(param.is_initialized for param in link.params())
    run()
    assert len(calls) == 1


@pytest.mark.parametrize('name, size', [
    ('GroupNormalization', 6), ('LayerNormalization', 3),
    ('SimplifiedDropconnect', 3), ('BatchNormalization', 3),
    ('BatchRenormalization', 3)])
def test_override_is_called_by_the_constructor(name, size):
    calls = []

    class Subclass(getattr(links, name)):
        def _initialize_params(self, size):
            super()._initialize_params(size)
            calls.append(size)

    arguments = {
        key: value for key, value in CASES.get(name, [{}])[0].items() if key != 'axis'}
    Subclass(**{**arguments, 'in_size' if 'in_size' in arguments else 'size': size})
    assert calls == [size]
