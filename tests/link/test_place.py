import pickle

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast.utils.type_check import InvalidType

X = np.zeros((2, 3), np.float32)


class Failing(chainer.Link):

    def __init__(self, error=None):
        super().__init__()
        self.error = KeyError('deep') if error is None else error

    def forward(self, *args, **kwargs):
        raise self.error


class Outer(chainer.Chain):

    def __init__(self, inner):
        super().__init__()
        with self.init_scope():
            self.inner = inner

    def forward(self, x):
        return self.inner(x)


def said(error):
    return '\n'.join([str(error), *getattr(error, '__notes__', ())])


def place_of(link, error=Exception, args=(X,)):
    with pytest.raises(error) as info:
        link(*args)
    places = [line for line in said(info.value).splitlines()
              if line.startswith('In the link: ')]
    assert len(places) == 1, said(info.value)
    return places[0].removeprefix('In the link: ')


def failing():
    return Failing(ValueError('deep'))


class TestPlace:
    def test_alone(self):
        assert place_of(failing()) == 'Failing'

    def test_path(self):
        model = Outer(Outer(chainer.ChainList(failing(), failing())))
        model.inner.inner.forward = lambda x: model.inner.inner[1](x)
        assert place_of(model) == 'Outer.inner.inner[1] (Failing)'

    def test_sequential_counts_functions(self):
        model = chainer.Sequential(F.relu, F.relu, failing())
        assert place_of(model) == 'Sequential[2] (Failing)'

    def test_link_that_is_not_registered(self):
        model = Outer(L.Linear(3, 2))
        model.others = [failing()]
        model.forward = lambda x: model.others[0](x)
        assert place_of(model) == 'Outer.others[0] (Failing)'

    def test_link_that_the_model_does_not_hold(self):
        other = failing()
        model = Outer(L.Linear(3, 2))
        model.forward = lambda x: other(x)
        assert place_of(Outer(model)) == 'Failing'

    def test_cycle(self):
        model = Outer(failing())
        model.inner.parent = model
        assert place_of(model) == 'Outer.inner (Failing)'

    def test_link_that_calls_itself(self):
        class Recursive(chainer.Link):
            def forward(self, n):
                return 1 // n if n == 0 else self(n - 1)
        assert place_of(Recursive(), ZeroDivisionError, (3,)) == 'Recursive'

    def test_hooks(self):
        with chainer.link_hooks.TimerHook():
            assert place_of(Outer(failing())) == 'Outer.inner (Failing)'

    def test_exception_is_the_same_object(self):
        error = KeyError('deep', 1)
        with pytest.raises(KeyError) as info:
            Outer(Failing(error))(X)
        assert info.value is error
        assert error.args == ('deep', 1)

    def test_exceptions_that_are_no_errors_pass(self):
        error = KeyboardInterrupt()
        with pytest.raises(KeyboardInterrupt):
            Outer(Failing(error))(X)
        assert not hasattr(error, '__notes__')

    def test_invalid_type(self):
        with pytest.raises(InvalidType) as info:
            Outer(L.Linear(4, 2))(X)
        error = info.value
        assert (error.expect, error.actual) == ('x.shape[1] == W.shape[1]', '3 != 4')
        lines = str(error).splitlines()
        assert 'In the link: Outer.inner (Linear)' in lines
        assert lines[-3:] == ['', 'Expect: ' + error.expect, 'Actual: ' + error.actual]
        assert not hasattr(error, '__notes__')
        assert str(pickle.loads(pickle.dumps(error))) == str(error)

    def test_pickle(self):
        with pytest.raises(ValueError) as info:
            Outer(failing())(X)
        copy = pickle.loads(pickle.dumps(info.value))
        assert copy.args == info.value.args


@pytest.mark.parametrize('version', [(3, 10), (3, 11)])
def test_notes_of_earlier_versions_of_python(version, monkeypatch):
    monkeypatch.setattr('sys.version_info', version)
    text, number = ValueError('deep'), OSError(2, 'deep')
    for error in text, number:
        with pytest.raises(type(error)):
            Outer(Failing(error))(X)
    place = 'In the link: Outer.inner (Failing)'
    assert number.args == (2, 'deep')
    assert number.__notes__ == [place]
    if version < (3, 11):
        assert text.args == ('deep\n' + place,)
    else:
        assert text.args == ('deep',)
        assert text.__notes__ == [place]


class TestArguments:
    @pytest.mark.parametrize('x', [[1., 2., 3.], 1.])
    def test_no_array(self, x):
        with pytest.raises(AttributeError) as info:
            L.Linear(3, 2)(x)
        assert 'numpy.asarray' in said(info.value)

    def test_list_of_arrays_is_not_blamed(self):
        with pytest.raises(ValueError) as info:
            failing()([X, X])
        assert said(info.value) == 'deep\nIn the link: Failing'

    def test_list_is_not_blamed_for_other_errors(self):
        with pytest.raises(ValueError) as info:
            failing()([1, 2])
        assert said(info.value) == 'deep\nIn the link: Failing'
