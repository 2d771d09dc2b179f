"""Trees as HTML, and what links, optimizers and trainers put into them."""
import html.parser

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast._help.display import plural, size, tree
from chainer_fast._help.display.tree import Tree, to_html
from chainer_fast.training import extensions
from tests.compat import processes
from tests.training import stubs


class Reader(html.parser.HTMLParser):
    """Reads HTML, checks that each element is closed, and keeps the text."""

    def __init__(self, source):
        super().__init__()
        self.open, self.lines = [], []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag in ('summary', 'tr') or (tag == 'div' and ('class', 'leaf') in attrs):
            self.lines.append([])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if 'style' not in self.open and text.strip():
            self.lines[-1].append(text.strip())


def lines(shown):
    source = shown._repr_html_()
    assert 'script' not in source and 'http' not in source
    return [' '.join(line) for line in Reader(source).lines]


def make_model():
    model = chainer.Chain(
        first=L.Linear(None, 4), norm=L.BatchNormalization(4),
        tail=chainer.Sequential(F.relu, L.Linear(4, 2, nobias=True)))
    model.name = '<model>'
    return model


def test_tree_is_escaped():
    source = to_html(Tree('<b>', 'a & b', '"n"', [('<i>', 'x')], [Tree('<u>')]))
    assert Reader(source).lines == [['a & b', '<b>', '"n"'], ['<i>', 'x'], ['<u>']]
    assert '<i>' not in source and '<u>' not in source


def test_first_level_is_open():
    leaf = Tree('c', rows=[('d',)])
    source = to_html(Tree('a', inside=[leaf, Tree('b', inside=[leaf])]))
    assert source.count('<details open>') == 1
    assert source.count('<details>') == 3


def test_what_is_alone_is_open():
    pair = Tree('c', inside=[Tree('d', rows=[('e',)])] * 2)
    source = to_html(Tree('a', inside=[Tree('b', inside=[pair])]))
    assert source.count('<details open>') == 3
    assert source.count('<details>') == 2


def test_an_endless_tree_ends(monkeypatch):
    monkeypatch.setattr(tree, '_MOST_NODES', 5)

    def endless():
        while True:
            yield Tree('node')

    found = Reader(to_html(Tree('root', inside=endless()))).lines
    assert found == [['root'], *[['node']] * 4, ['...']]


@pytest.mark.parametrize('n, text', [
    (0, '0 B'), (999, '999 B'), (1000, '1 kB'), (1999, '2 kB'), (999499, '999 kB'),
    (999900, '1 MB'), (5.5e9, '5.5 GB')])
def test_size(n, text):
    assert size(n) == text


def test_plural():
    assert [plural(n, 'link') for n in (0, 1, 2000)] == [
        '0 links', '1 link', '2,000 links']


def test_link():
    model = make_model()
    model.norm.gamma.update_rule = chainer.UpdateRule()
    model.norm.disable_update()
    assert lines(model) == [
        'Chain 20 parameters (80 B), 1 array not initialized · on @numpy',
        'first Linear in_size=None, out_size=4, nobias=False · '
        '4 parameters (16 B), 1 array not initialized',
        'W not initialized', 'b (4,) float32',
        'norm BatchNormalization size=4, decay=0.9, eps=2e-05, dtype=float32, '
        'use_gamma=True, use_beta=True · 8 parameters (32 B)',
        'beta (4,) float32', 'gamma (4,) float32 not updated', 'N 0 persistent',
        'avg_mean (4,) float32 persistent', 'avg_var (4,) float32 persistent',
        'tail Sequential 8 parameters (32 B)', '0 relu',
        '1 Linear in_size=4, out_size=2, nobias=True · 8 parameters (32 B)',
        'W (2, 4) float32']
    assert not model.first.W.is_initialized


def test_no_array_is_read(monkeypatch):
    class Untouchable(np.ndarray):
        def __array_function__(self, *args, **kwargs):
            raise AssertionError('an array is read')

        __array_ufunc__ = __repr__ = __array_function__

    link = L.Linear(3, 2)
    link.W.array = link.W.array.view(Untouchable)
    link.add_persistent('mean', np.ones(3).view(Untouchable))
    assert 'mean (3,) float64 persistent' in lines(link)


def test_shared_parameters_count_once():
    link = L.Linear(3, 2)
    assert lines(chainer.ChainList(link, link))[0].startswith('ChainList 8 parameters')


def test_long_values_are_cut():
    link = chainer.Link()
    link.add_persistent('text', 'x' * 200)
    assert lines(link)[1] == "text '%s... persistent" % ('x' * 76)


@pytest.mark.gpu
def test_devices():
    model = make_model()
    model.tail.to_device('@cupy:0')
    found = lines(model)
    assert found[0].endswith('on @numpy')
    assert 'tail Sequential 8 parameters (32 B) · on @cupy:0' in found
    assert not found[-2].endswith('@cupy:0')


def test_repr_is_as_ever_and_that_of_a_class_has_precedence():
    assert repr(make_model()).startswith('<chainer_fast.link.Chain object at')

    class Named(chainer.Chain):
        def __repr__(self):
            return 'mine'

    assert Named()._repr_html_() is None


def test_optimizer():
    optimizer = chainer.optimizers.MomentumSGD(lr=0.5)
    assert lines(optimizer) == [
        'MomentumSGD lr=0.5, momentum=0.9', 'updates 0', 'epoch 0',
        'target none: call setup() with a link']
    optimizer.setup(L.Linear(3, 2))
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(0.1))
    optimizer.add_hook(lambda optimizer: None, '<late>', timing='post')
    assert lines(optimizer) == [
        'MomentumSGD lr=0.5, momentum=0.9', 'updates 0', 'epoch 0',
        'before updates WeightDecay', 'after updates <late>',
        'target Linear in_size=3, out_size=2, nobias=False · 8 parameters (32 B) · '
        'on @numpy', 'W (2, 3) float32', 'b (2,) float32']


def test_optimizer_of_a_user():
    class Own(chainer.Optimizer):
        pass

    assert lines(Own())[0] == 'Own'


def test_trainer():
    model = L.Classifier(L.Linear(3, 2))
    data = chainer.datasets.TupleDataset(
        np.ones((10, 3), np.float32), np.zeros(10, np.int32))
    updater = chainer.training.StandardUpdater(
        chainer.iterators.SerialIterator(data, 5),
        chainer.optimizers.SGD(0.1).setup(model))
    trainer = chainer.training.Trainer(updater, (3, 'epoch'), out='<out>')
    trainer.extend(lambda trainer: None, 'own', trigger=(1, 'iteration'))
    trainer.extend(extensions.LogReport(), priority=500, trigger=lambda trainer: False)
    found = lines(trainer)
    assert found[:9] == [
        'Trainer', 'iteration 0', 'epoch 0', 'ends after 3 epochs', 'output <out>',
        'updater StandardUpdater', 'main SerialIterator batches of 5 10 examples',
        'main SGD lr=0.1', 'updates 0']
    assert found[-3:] == [
        '2 extensions in the order of their calls',
        'LogReport function priority 500', 'own 1 iteration priority 100']


def test_trainer_of_another_updater(tmp_path):
    found = lines(stubs.make_trainer(out=tmp_path))
    assert found[0] == 'Trainer' and '0 extensions in the order of their calls' in found
    endless = chainer.training.Trainer(stubs.make_trainer(out=tmp_path).updater)
    assert 'ends after never' in lines(endless)


def test_under_the_name_chainer(tmp_path):
    program = tmp_path / 'program.py'
    program.write_text(
        'import chainer\nprint(repr(chainer.Chain()).split()[0])\n'
        "print('Linear' in chainer.links.Linear(2, 3)._repr_html_())\n")
    assert processes.run('-m', 'chainer_fast', program) == '<chainer.link.Chain\nTrue\n'
