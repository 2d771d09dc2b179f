import copy
import pickle

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import optimizer
from chainer_fast.optimizer import Hyperparameter, HyperparameterProxy


@pytest.fixture
def family():
    parent = Hyperparameter()
    parent.x, parent.y = 1, 2
    child = Hyperparameter(parent)
    child.y, child.z = 3, 4
    return parent, child


def test_inheritance(family):
    parent, child = family
    assert (child.x, child.y, child.z) == (1, 3, 4)
    assert child.parent is parent
    parent.x = 5
    assert Hyperparameter(child).x == 5
    del child.y
    assert child.y == 2
    for each in family:
        with pytest.raises(AttributeError, match="'w'"):
            each.w  # noqa: B018


def test_dict_and_repr(family):
    parent, child = family
    assert parent.get_dict() == {'x': 1, 'y': 2}
    assert child.get_dict() == {'x': 1, 'y': 3, 'z': 4}
    assert repr(child) == 'Hyperparameter(x=1, y=3, z=4)'


@pytest.mark.parametrize('copied', [
    copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_copies(family, copied):
    parent, child = copied(family)
    assert child.parent is parent
    parent.x = 9
    assert child.x == 9
    assert family[1].x == 1


def test_proxy():
    class Holder:
        lr = HyperparameterProxy('lr')

        def __init__(self):
            self.hyperparam = Hyperparameter()

    holder = Holder()
    holder.lr = 3
    assert holder.hyperparam.lr == holder.lr == 3
    assert vars(holder).keys() == {'hyperparam'}
    assert isinstance(Holder.lr, HyperparameterProxy)
    assert 'lr' in Holder.lr.__doc__


class Recording(optimizer.UpdateRule):

    def __init__(self):
        super().__init__()
        self.calls = []

    def init_state(self, param):
        self.calls.append('init_state')
        self.state['count'] = 0
        self.state['sum'] = np.zeros_like(param.array)

    def update_core_cpu(self, param):
        self.calls.append('cpu')

    def update_core_gpu(self, param):
        self.calls.append('gpu')


def make(array=None):
    param = chainer.Parameter(np.ones(2, np.float32) if array is None else array)
    param.grad = np.ones_like(param.array)
    return param


def test_update():
    rule = Recording()
    assert rule.state is None
    param = make()
    rule.update(param)
    rule.update(param)
    assert rule.calls == ['init_state', 'cpu', 'cpu']
    assert rule.t == 2
    assert rule.state['count'] == 0
    with pytest.raises(AttributeError):
        rule.state = {}


def test_disabled():
    rule = Recording()
    rule.enabled = False
    rule.update(make())
    assert (rule.t, rule.calls, rule.state) == (0, [], None)


def test_variables_can_be_updated():
    rule = Recording()
    variable = chainer.Variable(np.ones(2, np.float32))
    variable.grad = np.ones(2, np.float32)
    rule.update(variable)
    assert rule.calls == ['init_state', 'cpu']


def test_generic_update_core():
    class Rule(Recording):
        def update_core(self, param):
            self.calls.append('core')

    rule = Rule()
    rule.update(make())
    assert rule.calls == ['init_state', 'core']


def test_what_has_to_be_overridden():
    rule = optimizer.UpdateRule()
    param = make()
    for method in (rule.update, rule.update_core, rule.update_core_cpu,
                   rule.update_core_gpu):
        with pytest.raises(NotImplementedError):
            method(param)
    assert rule.init_state(param) is None


def test_uninitialized_parameters_get_no_state():
    rule = Recording()
    param = chainer.Parameter()
    rule.update(param)
    assert (rule.calls, rule.state) == (['cpu'], None)
    rule.add_hook(lambda rule, param: param.grad, 'look')
    with pytest.raises(RuntimeError, match='uninitialized'):
        rule.update(param)


def test_states_of_missing_arrays_do_not_matter():
    rule = Recording()
    rule._state = {'none': None, 'number': 3}
    rule.update(make())
    assert rule.state == {'none': None, 'number': 3}


def test_hooks_see_the_scaled_gradient():
    rule = Recording()
    param = make()
    param._loss_scale = 4.
    seen = []
    rule.add_hook(lambda r, p: seen.append(p.grad.tolist()), 'pre')
    rule.add_hook(lambda r, p: seen.append(r.calls[-1]), 'post', timing='post')
    rule.update(param)
    assert seen == [[.25, .25], 'cpu']


def test_loss_scale_without_gradient():
    rule = Recording()
    param = make()
    param.cleargrad()
    param._loss_scale = 4.
    rule.update(param)
    assert rule.calls == ['init_state', 'cpu']


def test_states_are_loaded_by_name():
    class Load(chainer.Deserializer):
        def __init__(self, values):
            self.values = values
            self.asked = []

        def __call__(self, key, value):
            self.asked.append((key, value))
            return self.values[key]

    rule = Recording()
    load = Load({'t': 7, 'count': 2, 'sum': np.ones(2)})
    rule.serialize(load)
    assert load.asked == [('t', 0), ('count', None), ('sum', None)]
    assert (rule.t, rule.state['count']) == (7, 2)
    load.asked.clear()
    rule.serialize(load)
    assert [key for key, _ in load.asked] == ['t', 'count', 'sum']
    assert load.asked[1] == ('count', 2)
