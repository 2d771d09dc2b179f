"""The names of PyTorch: what lacks them says what is here, and nothing else changes."""
import copy
import pathlib
import pickle
import re

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast._help import pytorch
from chainer_fast._help.pytorch import __main__ as tables

PAGE = pathlib.Path(__file__).parents[3] / 'docs' / 'pytorch.md'
NAMES = [(owner, name) for owner in pytorch.TABLE for name in pytorch.names(owner)]


def owner_of(path):
    found = chainer
    for part in path.split('.')[1:]:
        found = getattr(found, part)
    return found


def test_page_has_the_tables():
    assert tables.page() in PAGE.read_text(encoding='utf-8'), (
        'write them anew: python -m chainer_fast._help.pytorch')


@pytest.mark.parametrize('owner, name', NAMES)
def test_name_is_missing_and_explained(owner, name):
    target = owner_of(owner)
    assert not hasattr(target, name)
    assert name not in dir(target) or isinstance(target, type)
    with pytest.raises(AttributeError) as info:
        getattr(target, name)
    assert 'has no attribute %r, which' % name in str(info.value)
    assert info.value.name == name
    # Of what both earlier versions and PyTorch had, the former is said.
    assert 'PyTorch' in str(info.value) or 'Chainer 1' in str(info.value)


@pytest.mark.parametrize('owner, name', NAMES)
def test_what_is_here_is_there(owner, name):
    text = pytorch.instead(owner, name)
    for module, found in re.findall(r'\b(F|L)\.(\w+)', text):
        assert hasattr({'F': F, 'L': L}[module], found)
    for found in re.findall(r'\bchainer((?:\.\w+)+)', text):
        if not found.startswith('.interop'):
            owner_of('chainer' + found)
    target = {'x': chainer.Variable, 'model': chainer.Chain(),
              'optimizer': chainer.optimizers.SGD()}
    for holder, found in re.findall(r'\b(x|model|optimizer)\.(\w+)', text):
        assert hasattr(target[holder], found)


class TestAttributes:
    def test_copies_and_pickles(self):
        model = L.Classifier(L.Linear(3, 2))
        for made in copy.copy(model), copy.deepcopy(model), pickle.loads(
                pickle.dumps(model)):
            assert not hasattr(made, 'train')
        variable = chainer.Variable(np.zeros(2, np.float32))
        assert copy.deepcopy(variable).shape == (2,)
        assert 'train' not in dir(model) and 'detach' not in dir(variable)

    def test_attributes_of_programs_come_first(self):
        class Net(chainer.Chain):
            eval = 'class'

            def parameters(self):
                return 'method'

        net = Net()
        net.train = True
        assert (net.train, net.eval, net.parameters()) == (True, 'class', 'method')

    def test_those_of_further_bases_are_found(self):
        class Trainable:
            state = 'property'

            def train(self):
                return self

            @property
            def training(self):
                return self.state

            @classmethod
            def modules(cls):
                return cls

        class Net(chainer.Chain, Trainable):
            pass

        net = Net()
        assert net.train() is net and net.training == 'property'
        assert net.modules() is Net and Net.modules() is Net
        assert Net.train(net) is net

    def test_own_getattr_is_asked(self):
        class Net(chainer.Chain):
            def __getattr__(self, name):
                return name

        assert Net().train == 'train'

    def test_help_shows_what_is_here(self):
        assert 'cleargrads' in repr(vars(chainer.Link)['zero_grad'])


def test_import_of_a_name():
    with pytest.raises(ImportError, match=r'links\.Convolution2D'):
        from chainer_fast.links import Conv2d  # noqa: F401


@pytest.mark.parametrize('name, known, words', [
    ('weight_decay', ['lr'], 'WeightDecay'),
    ('weight_decay', ['weight_decay_rate'], "did you mean 'weight_decay_rate'?"),
    ('kernel_size', ['ksize'], "did you mean 'ksize'?"),
    ('training', ['x', 'ratio'], 'using_config'), ('qqq', ['x'], None)])
def test_arguments(name, known, words):
    from chainer_fast._help import mistakes
    found = mistakes.on_argument(name, known)
    assert found is None if words is None else words in found
