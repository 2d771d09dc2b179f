"""Every part of a training goes on from a snapshot as if nothing had happened."""
import pytest

import chainer_fast as chainer
from chainer_fast import links as L
from tests.training.resumption import loops, parts

pytestmark = pytest.mark.filterwarnings(
    'ignore:.*fork.*:DeprecationWarning', 'ignore:.*GPU.*:UserWarning')
forms = pytest.mark.parametrize('form', sorted(loops.FORMATS))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize('kind', sorted(parts.WALKS))
def test_nothing_is_forgotten(kind):
    specified, existing = parts.WALKS[kind]
    assert specified == set(existing)


@forms
@pytest.mark.parametrize('name', sorted(parts.OPTIMIZER_HOOKS))
def test_optimizer_hook(form, name):
    loops.check(form, prepare=lambda optimizer: optimizer.add_hook(
        parts.OPTIMIZER_HOOKS[name]()))


@forms
@pytest.mark.parametrize('name', sorted(parts.TRIGGERS))
def test_trigger(form, name):
    loops.check(form, extend=lambda trainer: trainer.extend(
        chainer.training.extensions.ExponentialShift('lr', .9),
        trigger=parts.TRIGGERS[name]()))


@pytest.mark.parametrize('name', sorted(parts.ITERATORS))
def test_iterator(name):
    loops.check('npz', iterator=parts.ITERATORS[name])


@forms
@pytest.mark.parametrize('name', sorted(parts.UPDATERS))
def test_updater(form, name):
    loops.check(form, updater=parts.UPDATERS[name])


@forms
@pytest.mark.parametrize('name', sorted(parts.EXTENSIONS))
def test_extension(form, name, flags_restored):
    loops.check(form, extend=parts.EXTENSIONS[name])


@forms
@pytest.mark.parametrize('name', sorted(parts.LINKS))
def test_link(form, name):
    loops.check(form, middle=parts.LINKS[name])


@forms
@pytest.mark.parametrize('in_size', [None, 4])
@pytest.mark.parametrize('comes_first', ['hook', 'setup'])
@pytest.mark.parametrize('name', sorted(parts.LINK_HOOKS))
def test_link_hook(form, in_size, comes_first, name):
    make_hook = parts.LINK_HOOKS[name]
    if comes_first == 'setup':
        end = loops.check(
            form, middle=lambda: L.Linear(in_size, 4),
            prepare=lambda optimizer: optimizer.target.middle.add_hook(make_hook()))
    else:
        end = loops.check(
            form, middle=lambda: L.Linear(in_size, 4).add_hook(make_hook()))
    if 'gamma' in name:
        assert end['updater/optimizer:main/middle/gamma/t'] > 0
        assert end['updater/optimizer:main/middle/gamma/v'].any()
