"""The small functions of ``chainer_fast.utils``."""
import copy
import os
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import chainer_fast
from chainer_fast import utils
from chainer_fast.utils import argument, array, cache, imgproc, precision

# force_array, force_type
#

@pytest.mark.parametrize('x', [1, 2.5, True, np.float32(1), np.int8(3), np.array(2.5)])
@pytest.mark.parametrize('dtype', [None, np.float16, np.dtype('f'), 'd'])
def test_force_array_of_scalars(x, dtype):
    y = utils.force_array(x, dtype)
    assert type(y) is np.ndarray
    assert y.shape == ()
    assert y == x
    assert y.dtype == (np.asarray(x).dtype if dtype is None else dtype)


def test_force_array_passes_arrays():
    x = np.zeros(3, 'f')
    assert utils.force_array(x) is x
    assert utils.force_array(x, np.float32) is x
    assert utils.force_array(x, np.float64).dtype == np.float64


def test_force_type():
    single, byte = np.dtype('f'), np.dtype('B')
    for x in (3, 3.7, np.float64(3.5), True):
        y = utils.force_type(single, x)
        assert type(y) is np.float32
        assert y == np.float32(x)
    x = np.array([1.5])
    assert utils.force_type(x.dtype, x) is x
    assert utils.force_type(single, x).dtype == single
    # Does not fit: wraps around, as arrays do.
    assert utils.force_type(byte, -1) == 255
    assert utils.force_type(byte, np.array([-1])) == 255


# Directories, messages
#

def test_tempdir():
    with utils.tempdir(prefix='abc') as path:
        assert os.path.isdir(path)
        assert os.path.basename(path).startswith('abc')
        open(os.path.join(path, 'file'), 'w').close()
    assert not os.path.exists(path)


def test_tempdir_goes_after_an_error():
    with pytest.raises(ZeroDivisionError), utils.tempdir() as path:
        raise ZeroDivisionError
    assert not os.path.exists(path)


def test_tempdir_that_has_gone():
    with pytest.raises(FileNotFoundError), utils.tempdir() as path:
        os.rmdir(path)
    with utils.tempdir(ignore_errors=True) as path:
        os.rmdir(path)


def test_compatible_arrays():
    x = np.zeros(2)
    for arrays in ((), (None,), (x, None), [x, x]):
        utils._check_arrays_forward_compatible(arrays)
    with pytest.raises(TypeError) as e:
        utils._check_arrays_forward_compatible((x, None, 3), 'f')
    assert str(e.value) == (
        "incompatible array types are mixed in the forward input (f).\n"
        "Actual: <class 'numpy.ndarray'>, <class 'NoneType'>, <class 'int'>")


def test_texts():
    assert utils._format_array_props((np.zeros((2, 3), 'i'), None, np.float32(1))) == (
        '(2, 3):int32, None, ():float32')
    with pytest.raises(AssertionError):
        utils._format_array_props(np.zeros(2))
    assert utils._repr_with_named_data(3, a=1, b='x') == '<builtins.int a=1 b=x>'


def test_raise_from():
    with pytest.raises(TypeError) as e:
        try:
            raise KeyError('k')
        except KeyError as cause:
            utils._raise_from(TypeError, 'what happened', cause)
    assert str(e.value) == "what happened\n\n(caused by)\nKeyError: 'k'\n"


def test_experimental(monkeypatch):
    with pytest.warns(FutureWarning, match=r'^x\.y is experimental\.'):
        utils.experimental('x.y')
    monkeypatch.setattr(chainer_fast, 'disable_experimental_feature_warning', True)
    utils.experimental('x.y')


@pytest.mark.parametrize('name', ['chainer', 'chainer_fast'])
def test_filters_of_experimental_features(monkeypatch, name):
    # Another test may have left the other name.
    monkeypatch.delitem(sys.modules, 'chainer', raising=False)
    monkeypatch.setitem(sys.modules, name, chainer_fast)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        warnings.filterwarnings('ignore', module=r'%s\.utils\.experimental' % name)
        utils.experimental('x.y')


def test_nondeterministic():
    utils.nondeterministic('f')
    with chainer_fast.using_config('warn_nondeterministic', True), \
            pytest.warns(UserWarning, match='warn_nondeterministic set. Source: f$'):
        utils.nondeterministic('f')


# Arguments
#

def takes_foo_and_bar(**kwargs):
    return argument.parse_kwargs(kwargs, ('foo', 1), ('bar', 2), old='old is no more')


def test_parse_kwargs():
    assert takes_foo_and_bar() == (1, 2)
    assert takes_foo_and_bar(bar=3) == (1, 3)
    with pytest.raises(ValueError, match='^old is no more$'):
        takes_foo_and_bar(old=1, other=2)
    with pytest.raises(TypeError, match=(
            r"^takes_foo_and_bar\(\) got unexpected keyword argument\(s\) 'x', 'y'$")):
        takes_foo_and_bar(y=1, x=2, foo=3)


def test_parse_kwargs_takes_arguments_out():
    kwargs = {'foo': 3}
    assert argument.parse_kwargs(kwargs, ('foo', 1)) == (3,)
    assert kwargs == {}


def test_assert_kwargs_empty():
    def takes_none(**kwargs):
        argument.assert_kwargs_empty(kwargs)

    takes_none()
    with pytest.raises(TypeError, match=r"^takes_none\(\) .* 'x'$"):
        takes_none(x=1)


# Arrays
#

@given(st.lists(st.integers(0, 4), max_size=4))
def test_size_of_shape(shape):
    size = array.size_of_shape(tuple(map(np.int64, shape)))
    assert type(size) is int
    assert size == np.zeros(shape, 'b').size


@given(hnp.mutually_broadcastable_shapes(
    num_shapes=1, base_shape=(2, 3, 4), max_dims=3, min_side=1))
def test_sum_to_undoes_broadcasting(shapes):
    shape, = shapes.input_shapes
    a = np.random.RandomState(0).randint(-9, 9, shape)
    x = np.random.RandomState(1).randint(-9, 9, (2, 3, 4))
    y = utils.sum_to(x, shape)
    assert y.shape == shape
    # The adjoint: <broadcast(a), x> = <a, sum_to(x)>.
    assert (np.broadcast_to(a, x.shape) * x).sum() == (a * y).sum()


@pytest.mark.parametrize('shape, size', [
    ((np.int8(100), np.int8(100)), 10000), ((.5, 12), 6), (('2', 2), 22),
    (iter([np.int8(2), 3]), 6), (iter([2, 3]), 6)])
def test_size_of_other_numbers(shape, size):
    with np.errstate(over='ignore'):
        found = utils.size_of_shape(shape)
    assert type(found) is int
    assert found == size


def test_sum_to_its_own_shape():
    x = np.zeros((2, 3), 'f')
    assert utils.sum_to(x, (2, 3)) is x
    assert utils.sum_to(x, ()).dtype == np.float32


def test_deprecated_functions():
    x = np.zeros((2, 3, 4))
    for function, shape in ((array.as_vec, (24,)), (array.as_mat, (2, 12)),
                            (array.empty_like, x.shape)):
        with pytest.warns(
                DeprecationWarning,
                match='%s is deprecated. Please refer to numpy' % function.__name__):
            y = function(x)
        assert y.shape == shape


# cached_property
#

class Doubled:

    def __init__(self, x):
        self.x = x
        self.calls = 0

    @cache.cached_property
    def twice(self):
        """Twice as much."""
        self.calls += 1
        return self.x * 2


def test_cached_property():
    a, b = Doubled(1), Doubled(2)
    assert (a.twice, a.twice, b.twice) == (2, 2, 4)
    assert a.calls == b.calls == 1
    assert copy.copy(a).twice == 2
    assert Doubled.twice.__doc__ == 'Twice as much.'
    with pytest.raises(AttributeError, match='Doubled.twice'):
        a.twice = 3


def test_cached_property_with_and_without_graph():
    a = Doubled(chainer_fast.Variable(np.ones(1)))
    with chainer_fast.no_backprop_mode():
        without = a.twice
        assert a.twice is without
    assert without.creator is None
    assert a.twice.creator is not None
    assert a.twice is a.twice
    with chainer_fast.no_backprop_mode():
        assert a.twice is without
    assert a.calls == 2


# Final methods
#

class Base(utils.enable_final()):

    @utils.final
    def fixed(self):
        return 'fixed'

    @utils.final(action=DeprecationWarning)
    def frowned_upon(self):
        return 'base'

    def free(self):
        return 'base'


def test_final():
    assert Base.__mro__ == (Base, object)

    class Child(Base):
        def free(self):
            return 'child'

    assert (Child().fixed(), Child().free()) == ('fixed', 'child')
    with pytest.raises(TypeError, match="'fixed' is final"):
        class Wrong(Child):
            def fixed(self):
                return 'wrong'
    with pytest.warns(DeprecationWarning, match="'frowned_upon'"):
        class Frowned(Child):
            def frowned_upon(self):
                return 'frowned'
    assert Frowned().frowned_upon() == 'frowned'


def test_enable_final_with_other_bases():
    class Meta(type):
        pass

    class Mine(utils.enable_final(base=(dict,), meta_base=(Meta,))):
        pass

    assert Mine.__mro__ == (Mine, dict, object)
    assert isinstance(Mine, Meta)


def test_final_arguments():
    with pytest.raises(AssertionError):
        utils.final(3)
    with pytest.raises(TypeError, match='foo'):
        utils.final(foo=1)


# Precision
#

@pytest.mark.parametrize('inputs, inside, outputs', [
    ('e', 'f', 'ed'), ('ee', 'ff', 'ed'), ('ei', 'fi', 'ed'), ('f', 'f', 'fd'),
    ('d', 'd', 'fd'), ('ef', 'ff', 'fd'), ('de', 'df', 'fd'), ('i', 'i', 'ed'),
])
def test_mixed_precision(inputs, inside, outputs):
    class Function:
        @precision._fp16_mixed_precision_helper
        def forward(self, arrays):
            self.inside = ''.join([x.dtype.char for x in arrays])
            return np.ones(2, 'f'), np.ones(2, 'd'), None

    function = Function()
    single, double, missing = function.forward(
        tuple([np.ones(2, code) for code in inputs]))
    assert function.inside == inside
    assert single.dtype.char + double.dtype.char == outputs
    assert missing is None


def test_precision_is_left_alone_without_need():
    x = np.ones(2, 'f')
    forward = precision._fp16_mixed_precision_helper(lambda self, inputs: inputs)
    assert forward(None, (x,))[0] is x


# Images
#

def test_oversample():
    images = np.arange(2 * 3 * 5 * 6).reshape(2, 3, 5, 6)
    patches = imgproc.oversample(list(images), (2, 3))
    assert patches.shape == (20, 3, 2, 3)
    assert patches.dtype == images.dtype
    corners = [(0, 0), (0, 3), (3, 0), (3, 3), (1, 1)]
    for i, image in enumerate(images):
        for j, (y, x) in enumerate(corners):
            patch = image[:, y:y + 2, x:x + 3]
            np.testing.assert_array_equal(patches[10 * i + j], patch)
            np.testing.assert_array_equal(patches[10 * i + j + 5], patch[..., ::-1])
    with pytest.raises(ValueError, match='6 x 3.*5 x 6'):
        imgproc.oversample(images, (6, 3))


# Names
#

def test_names_that_programs_use():
    assert issubclass(dict, utils.collections_abc.Mapping)
    assert utils.WalkerAlias is utils.walker_alias.WalkerAlias
    with pytest.raises(AttributeError, match='no_such_name'):
        utils.no_such_name  # noqa: B018


def test_performance_warning():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        warnings.warn('slow', chainer_fast.warnings.PerformanceWarning)
    assert issubclass(caught[0].category, RuntimeWarning)
