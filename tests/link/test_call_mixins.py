import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import links as L


class NoCall:
    __call__ = None


class OwnCall:
    def __call__(self, x):
        return 'own'


@pytest.mark.parametrize('base', [chainer.Link, chainer.Chain, chainer.ChainList])
def test_none_behind_the_base_stands_for_no_method(base):
    class Model(base, NoCall):
        def forward(self, x):
            return 'forward'

    class First(base, NoCall, OwnCall):
        def forward(self, x):
            return 'forward'

    assert Model()(1) == First()(1) == 'forward'
    assert base.__call__(Model(), 1) == 'forward'


def test_links_of_the_package_and_sequences():
    class Linear(L.Linear, NoCall):
        pass

    class Sequence(chainer.Sequential, NoCall):
        pass

    assert Linear(2, 3)(np.ones((1, 2), np.float32)).shape == (1, 3)
    assert Sequence(lambda x: x + 1)(1) == 2


def test_none_before_the_base_is_not_callable():
    class Model(NoCall, chainer.Chain):
        def forward(self, x):
            return 'forward'

    with pytest.raises(TypeError):
        Model()(1)


def test_property_behind_the_base_may_have_none():
    class Lazy:
        __call__ = property(lambda self: None)

    class Model(chainer.Link, Lazy):
        def forward(self, x):
            return 'forward'

    assert Model()(1) == 'forward'


def test_method_behind_the_base_is_called():
    class Model(chainer.Chain, OwnCall):
        def forward(self, x):
            return 'forward'

    assert Model()(1) == 'own'
