"""Errors name the way out where a name or an attribute is gone."""
import copy
import re
import traceback

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast._help.past import removed
from tests.compat import processes


def lacking(kind):
    """Yield ``(what, owner, name)`` of what modules or classes once had."""
    for what in removed.entries():
        if not re.fullmatch(r'chainer(\.\w+)+', what):
            continue
        owner = chainer
        *path, name = what.split('.')[1:]
        for part in path:
            owner = getattr(owner, part, None)
        if isinstance(owner, kind) and not name.startswith('_'):
            yield what, owner, name


# Modules below the families of functions and links are imported, not looked up.
MODULES = [each for each in lacking(type(chainer)) if each[0].count('.') < 3]
CLASSES = [each for each in lacking(type) if each[0].count('.') == 2 and (
    each[1] is not chainer.Function)]


def test_there_are_many():
    assert len(MODULES) > 100
    assert len(CLASSES) > 10


@pytest.mark.parametrize('what, module, name', MODULES, ids=lambda x: str(x)[:40])
def test_module(what, module, name):
    entry = removed.entries()[what]
    words = 'which %s had: %s' % (entry.last, entry.instead)
    with pytest.raises(AttributeError) as info:
        getattr(module, name)
    assert str(info.value) == 'module %r has no attribute %r, %s' % (
        module.__name__, name, words)
    # Python would compute suggestions of similar names from these.
    assert info.value.name == name
    assert info.value.obj is None
    assert not hasattr(module, name)
    with pytest.raises(ImportError) as info:
        exec('from %s import %s' % (module.__name__, name))
    assert str(info.value) == 'cannot import name %r from %r, %s' % (
        name, module.__name__, words)
    assert info.value.name == module.__name__


@pytest.mark.parametrize('what, cls, name', CLASSES, ids=lambda x: str(x)[:40])
def test_attribute(what, cls, name):
    entry = removed.entries()[what]
    with pytest.raises(AttributeError) as info:
        getattr(cls, name)
    assert str(info.value) == '%r object has no attribute %r, which %s had: %s' % (
        cls.__name__, name, entry.last, entry.instead)
    assert not hasattr(cls, name)


def test_attribute_of_an_object_of_a_subclass():
    optimizer = chainer.optimizers.Adam().setup(chainer.links.Linear(2, 2))
    with pytest.raises(AttributeError, match=(
            "'Adam' object has no attribute 'zero_grads', which Chainer 1.24 had: "
            r'write model.cleargrads\(\)')):
        optimizer.zero_grads()
    assert getattr(copy.copy(optimizer), 'prepare', None) is None


def test_users_may_have_the_names():
    class Decaying(chainer.GradientMethod):
        def __init__(self):
            super().__init__()
            self.weight_decay = 3

        def prepare(self):
            return 4

    assert Decaying().weight_decay == 3
    assert Decaying().prepare() == 4
    v = chainer.Variable(np.ones(2, 'f'))
    v.volatile = 'off'
    assert v.volatile == 'off'


@pytest.mark.parametrize('make, gone', [
    (chainer.Variable, 'volatile'), (chainer.Link, 'add_uninitialized_param'),
    (chainer.optimizers.SGD, 'zero_grads'), (chainer.optimizers.SGD, 'update_one')])
def test_programs_look_up_all_that_dir_names(make, gone):
    names = dir(make())
    assert gone not in names
    assert '__init__' in names
    mine = type('Mine', (make,), {gone: 3})()
    assert gone in dir(mine)
    other = make()
    vars(other)[gone] = 3
    assert gone in dir(other)


def test_suggestions_remain_for_other_names():
    with pytest.raises(AttributeError, match="has no attribute 'sigmoidd'$") as info:
        chainer.functions.sigmoidd  # noqa: B018
    assert info.value.obj is chainer.functions
    with pytest.raises(ImportError, match="cannot import name 'nothing' from"):
        from chainer_fast import nothing  # noqa: F401


def test_traceback_suggests_nothing_else():
    try:
        chainer.functions.Linear    # noqa: B018
    except AttributeError as error:
        text = ''.join(traceback.format_exception(error))
    assert 'write chainer.links.Linear' in text
    assert 'Did you mean' not in text


def test_nothing_is_loaded_before():
    """Imports ask packages for names of submodules, which is no failure."""
    processes.run('-c', '''
import sys
import chainer_fast
from chainer_fast import gradient_check, testing
assert not hasattr(chainer_fast, '__wrapped__')
assert 'chainer_fast._help.past.removed' not in sys.modules
''')
