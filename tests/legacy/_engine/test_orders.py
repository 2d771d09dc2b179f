"""The order of parameters and links."""
import pytest

import chainer_fast
from chainer_fast import links as L


def make():
    model = chainer_fast.Chain(z=L.LSTM(2, 2), a=L.BatchNormalization(2))
    model.add_link('B', chainer_fast.ChainList(L.Linear(2, 2), L.Linear(None, 1)))
    return model


PARAMS = ['/z/upward/W', '/z/upward/b', '/z/lateral/W', '/a/gamma', '/a/beta',
          '/B/0/W', '/B/0/b', '/B/1/W', '/B/1/b']
LINKS = ['/', '/z', '/z/upward', '/z/lateral', '/a', '/B', '/B/0', '/B/1']


def test_as_they_were_added(enable):
    enable('v1')
    model = make()
    found = dict(model.namedparams())
    assert list(found) == PARAMS
    assert [id(param) for param in model.params()] == [*map(id, found.values())]
    assert [path for path, _ in model.namedparams(False)] == [
        path for path in PARAMS if path != '/B/1/W']
    assert len(list(model.params(False))) == len(PARAMS) - 1
    links = dict(model.namedlinks())
    assert list(links) == LINKS
    assert [id(link) for link in model.links()] == [*map(id, links.values())]
    assert [path for path, _ in model.namedlinks(skipself=True)] == LINKS[1:]
    assert [link.name for link in model.links(True)] == [
        path.rpartition('/')[2] for path in LINKS[1:]]
    assert [child.name for child in model.children()] == ['z', 'a', 'B']


@pytest.mark.parametrize('named', [(), ('v2',)])
def test_by_name(named, enable):
    enable(*named)
    assert [path for path, _ in make().namedparams()] == sorted(PARAMS)
    assert [child.name for child in make().children()] == ['B', 'a', 'z']


def test_a_program_that_lists_its_parameters_itself(enable):
    enable('v1')

    class Part(chainer_fast.Chain):
        def namedparams(self, include_uninit=True):
            yield '/only', self.a.W

    model = chainer_fast.Chain(z=Part(a=L.Linear(2, 2)), a=L.Linear(2, 2))
    assert [path for path, _ in model.namedparams()] == ['/z/only', '/a/W', '/a/b']
    assert [id(param) for param in model.params()] == [
        id(param) for param in (model.z.a.W, model.a.W, model.a.b)]


def test_a_copy(enable):
    enable('v1')
    model = make()
    copied = model.copy()
    assert [path for path, _ in copied.namedparams()] == PARAMS
    assert [id(param.array) for param in copied.params()] == [
        id(param.array) for param in model.params()]
