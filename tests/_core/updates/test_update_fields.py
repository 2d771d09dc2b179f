"""What compiled code knows of update rules, hyperparameters and hooks by name."""
import pytest

import chainer_fast as chainer
from chainer_fast._core.updates import update
from chainer_fast.backends.kernels.update_rules import recipes
from chainer_fast.optimizer import Hyperparameter
from chainer_fast.optimizer_hooks import Lasso
from chainer_fast.optimizers.sgd import SGDRule


def hookable():
    return chainer.UpdateRule()._hookable


@pytest.mark.parametrize(
    'make', [chainer.UpdateRule, SGDRule, Hyperparameter, hookable])
def test_instances_have_the_declared_fields(make):
    # In the same order: as long as it is kept, they are found without a look-up.
    instance = make()
    assert tuple(vars(instance)) == type(instance)._fields


def test_new_field_of_rules_is_refused():
    class Rule:
        _fields = (*chainer.UpdateRule._fields, 'other')

    with pytest.raises(ValueError, match="expected 7 names in Rule._fields"):
        update.bind(
            parameter=chainer.Parameter, rule=Rule, hyperparameter=Hyperparameter,
            hookable=type(hookable()), unscaled=None, scale=recipes.scale,
            unscale=recipes.unscale)


def test_served_methods_are_known():
    # Only these may be passed over.
    class Rule(SGDRule):
        _served_methods = ('update', 'unknown')

    class Hook(Lasso):
        _served_methods = ('unknown',)

    with pytest.raises(AttributeError, match='unknown'):
        update.register(Rule, type(SGDRule._recipe)())
    with pytest.raises(AttributeError, match='unknown'):
        update.register_hook(Hook, type(Lasso._recipe)())
