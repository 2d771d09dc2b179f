"""What legacy mode changes is as before once it is disabled."""
import importlib
import pkgutil
import sys
import types

import pytest

import chainer_fast
from chainer_fast import alias, legacy

# Modules that run the tests, and count while they do.
_MACHINERY = ('_pytest', 'pytest', 'xdist', 'execnet', 'hypothesis')

PROGRAM = """
import chainer
import chainer.flag
import chainer.links.connection.lstm
import numpy as np
from chainer import functions as F

x = chainer.Variable(np.zeros((1, 2), np.float), volatile='on')
F.relu(F.Linear(2, 3)(x.data.astype('f')), use_cudnn=False)
F.Sigmoid()(x)
chainer.FunctionSet(l=F.Linear(2, 3)).parameters
"""


def members(name, module):
    """Yield where something stands, and what, for a module and its classes."""
    yield name, module
    for attribute, value in list(vars(module).items()):
        yield (name, attribute), value
        if isinstance(value, type):
            for inner, member in list(vars(value).items()):
                # The alias renames errors when it is first imported.
                if inner != '__module__':
                    yield (name, attribute, inner), member


def state():
    """Return what stands where in all modules, and what finds further ones."""
    found = {'meta_path': tuple(sys.meta_path), 'path_hooks': tuple(sys.path_hooks)}
    for name, module in list(sys.modules.items()):
        if isinstance(module, types.ModuleType) and not name.startswith(
                ('chainer_fast.legacy', 'chainer.legacy', 'tests.', 'program_of_old_',
                 'importlib', '_frozen_importlib', *_MACHINERY)):
            found.update(members(name, module))
    return found


def differences(before, after):
    same = {key for key in before.keys() & after.keys()
            if before[key] is after[key]
            or isinstance(key, str) and before[key] == after[key]}
    return sorted(map(str, (before.keys() | after.keys()) - same))


@pytest.fixture(scope='module', autouse=True)
def everything_is_loaded():
    for info in pkgutil.walk_packages(chainer_fast.__path__, 'chainer_fast.'):
        if not info.name.startswith(('chainer_fast.legacy', 'chainer_fast.__main__')):
            try:
                importlib.import_module(info.name)
            except ImportError:
                pass    # needs what is not installed
    # What the shims do when they are first imported, which may have been earlier.
    alias.install()
    yield
    alias.uninstall()


@pytest.mark.parametrize('parts', [(), ('v1', 'python'), ('v2', 'numpy', 'cpu')])
def test_all_is_as_before(parts, load):
    def run():
        legacy.enable(*parts)
        if not parts:
            load(PROGRAM)
        assert differences(before, state()) != []
        legacy.disable()

    before = state()
    run()
    # The first time, modules are loaded which stay.
    again = state()
    assert differences(before, {key: again.get(key) for key in before}) == []
    for _ in range(2):
        run()
    assert differences(again, state()) == []
