"""What errors say of arguments of earlier years."""
import inspect
import types
import warnings

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast._help.past import removed
from chainer_fast._help.past.removed import messages

X = np.ones((2, 3), 'f')
IMAGE = np.ones((1, 3, 8, 8), 'f')
WSCALE = r'initialW=chainer.initializers.LeCunNormal\(math.sqrt\(wscale\)\)'
TRAIN = r"with chainer.using_config\('train', False\)"


@pytest.mark.parametrize('call, error, words', [
    (lambda: F.dropout(X, train=False), ValueError, TRAIN),
    (lambda: F.zoneout(X, X, train=False), ValueError, TRAIN),
    (lambda: L.BatchNormalization(3)(X, test=True), ValueError, TRAIN),
    (lambda: F.batch_normalization(X, X[0], X[0], test=True), TypeError, TRAIN),
    (lambda: L.NStepLSTM(1, 3, 2, .5)(None, None, [X], train=False), ValueError, TRAIN),
    (lambda: F.n_step_gru(1, .5, X, [], [], [], use_cudnn=False), ValueError,
     r"with chainer.using_config\('use_cudnn', 'never'\)"),
    (lambda: F.convolution_2d(IMAGE, IMAGE, use_cudnn=False), TypeError,
     r"with chainer.using_config\('use_cudnn', 'never'\)"),
    (lambda: chainer.Variable(X, volatile='on'), ValueError, 'chainer.using_config'),
    (lambda: L.Linear(3, 2, wscale=1), TypeError, WSCALE),
    (lambda: L.Linear(3, 2, bias=1), TypeError, 'pass initial_bias='),
    (lambda: L.Maxout(3, 2, 2, wscale=1), TypeError, WSCALE),
    (lambda: L.Convolution2D(3, 2, 3, wscale=1), TypeError, WSCALE),
    (lambda: L.DilatedConvolution2D(3, 2, 3, wscale=1, foo=2), TypeError,
     r"__init__\(\) got unexpected keyword argument\(s\) 'foo', 'wscale'; "
     r'Chainer 1.24 had wscale: pass initialW=.*LeCunNormal\(math.sqrt\(wscale\)\)'),
    (lambda: L.Linear(3, 2, foo=1), TypeError,
     r"__init__\(\) got unexpected keyword argument\(s\) 'foo'$"),
    (lambda: L.NStepLSTM(1, 3, 2, .5, foo=1), TypeError,
     r"__init__\(\) got unexpected keyword argument\(s\) 'foo'$"),
    (lambda: L.NStepLSTM(1, 3, 2, .5, activation=1), ValueError,
     'activation argument is not supported anymore$'),
])
def test_arguments(call, error, words):
    with pytest.raises(error, match=words) as info:
        call()
    assert info.type is error


class TestNetworks:
    @pytest.mark.parametrize('name, mode, other', [
        ('VGG16Layers', 'test', 'train'), ('ResNet50Layers', 'test', 'train'),
        ('GoogLeNet', 'train', 'test')])
    def test_arguments(self, name, mode, other):
        network = getattr(L, name).__new__(getattr(L, name))
        for call in network.forward, network.extract:
            with pytest.raises(ValueError, match=TRAIN):
                call(IMAGE, **{mode: True})
            with pytest.raises(TypeError, match=TRAIN):
                call(IMAGE, **{other: True})
        with pytest.raises(ValueError, match='with chainer.no_backprop_mode()'):
            network.extract(IMAGE, volatile=True)


def test_retired_arguments_are_no_part_of_signatures():
    for cls in L.Linear, L.Maxout, L.DilatedConvolution2D:
        kinds = {p.kind for p in inspect.signature(cls).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds


@pytest.mark.parametrize('call, words', [
    (lambda: F.relu(X, use_cudnn=False), "'use_cudnn', 'never'"),
    (lambda: F.softmax_cross_entropy(X, X, use_cudnn=False), "'use_cudnn', 'never'"),
    (lambda: L.InceptionBN(3, 2, 2, 2, 2, 2, 'max', 2)(IMAGE, test=1),
     "'train', False"),
    (lambda: L.BatchNormalization(3, use_cudnn=1), "'use_cudnn', 'never'"),
    (lambda: L.Bilinear(3, 2, 2, wscale=1), 'LeCunNormal(math.sqrt(wscale))'),
    (lambda: chainer.training.extensions.snapshot(trigger=1), 'trainer.extend('),
])
def test_errors_of_python(call, words):
    """Those that Python raises before a function is called say nothing of it."""
    with pytest.raises(TypeError) as info:
        call()
    assert words in messages.of_error(info.value)


def test_errors_of_other_causes():
    for text in "relu() got an unexpected keyword argument 'x'", 'else':
        assert messages.of_error(TypeError(text)) is None


def test_arguments_that_were_the_same_everywhere_have_entries():
    known = removed.entries()
    for name in messages._EVERYWHERE:
        assert any(what.endswith('(%s=)' % name) for what in known)


@pytest.mark.parametrize('value', [1.5, np.sqrt(2), np.float32(1), 2, X, np.array(3.)])
@pytest.mark.parametrize('make', [
    lambda value: L.Linear(3, 2, value),
    lambda value: L.Convolution2D(3, 2, 3, 1, 0, value),
    lambda value: L.Deconvolution2D(3, 2, 3, 1, 0, value),
    lambda value: L.DilatedConvolution2D(3, 2, 3, 1, 0, 1, value)])
def test_nobias_that_was_wscale(make, value):
    with pytest.warns(UserWarning, match='Chainer 1.24 had wscale') as record:
        try:
            make(value)
        except ValueError:
            assert value is X   # the truth of an array is ambiguous, as it was
    assert record[0].filename == __file__


def test_nobias_warning_names_the_library_that_calls():
    """Also where its name starts with ``chainer``."""
    library = types.ModuleType('chainercv.links')
    exec(compile('import chainer_fast.links as L\ndef make():\n    L.Linear(3, 2, .5)',
                 'library.py', 'exec'), vars(library))
    with pytest.warns(UserWarning, match='Chainer 1.24 had wscale') as record:
        library.make()
    assert (record[0].filename, record[0].lineno) == ('library.py', 3)


@pytest.mark.parametrize('value', [
    True, False, None, 0, 1, np.True_, np.bool_(0), np.int64(1), 'yes', []])
def test_nobias(value):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert (L.Linear(3, 2, value).b is None) == bool(value)
        assert (L.Convolution2D(3, 2, 3, nobias=value).b is None) == bool(value)
