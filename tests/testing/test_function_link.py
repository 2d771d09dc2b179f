import unittest

import numpy
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import gradient_check, initializers, testing
from chainer_fast.testing import _function_link_support, function_link

CPU = testing.BackendConfig({})


class Product(chainer_fast.FunctionNode):
    """Product and square sum of two arrays, wrong on demand."""

    def __init__(self, wrong=None, log=None):
        self.wrong = wrong
        self.log = log

    def forward(self, inputs):
        self.retain_inputs((0, 1))
        x, y = inputs
        if self.log is not None:
            self.log.append((x.dtype.char, x.flags.c_contiguous))
        error = 1 if self.wrong == 'forward' else 0
        outputs = x * y + x.dtype.type(error), x * x + y * y
        if self.wrong == 'modifies':
            x[...] += 1
        return outputs

    def backward(self, indexes, grad_outputs):
        x, y = self.get_retained_inputs()
        g1, g2 = grad_outputs
        gx, gy = g1 * y, g1 * x
        if g2 is not None:
            gx, gy = gx + 2 * g2 * x, gy + 2 * g2 * y
        if self.wrong == 'backward':
            gx = gx * 2
        if self.wrong == 'double_backward':
            gx = chainer_fast.Variable(gx.array)
        return gx, gy


class ProductTest(testing.FunctionTestCase):
    # As the other test cases here, it is run by the tests below only.
    __test__ = False

    shape = (3, 2)
    wrong = None

    def generate_inputs(self):
        return tuple(
            numpy.random.uniform(-1, 1, self.shape).astype('f') for _ in range(2))

    def forward(self, inputs, device):
        return Product(self.wrong).apply(inputs)

    def forward_expected(self, inputs):
        x, y = inputs
        return numpy.asarray(x * y), numpy.asarray(x * x + y * y)


def run(klass, name, **attributes):
    test = type('Test', (klass,), attributes)('test_' + name)
    test.setUp()
    numpy.random.seed(0)
    getattr(test, 'test_' + name)(CPU)
    return test


TESTS = ['forward', 'backward', 'double_backward']


@pytest.mark.parametrize('name', TESTS)
@pytest.mark.parametrize('shape', [(3, 2), (2,), (1,), (0, 2)])
@pytest.mark.parametrize('contiguous', [None, 'C'])
def test_function_right(name, shape, contiguous):
    test = run(ProductTest, name, shape=shape, contiguous=contiguous)
    assert test.backend_config is CPU


@pytest.mark.parametrize('name', TESTS)
def test_function_wrong(name):
    with pytest.raises(testing.FunctionTestError) as e:
        run(ProductTest, name, wrong=name)
    assert isinstance(e.value, AssertionError)


def test_function_modifies_inputs():
    with pytest.raises(testing.FunctionTestError, match='changed its inputs'):
        run(ProductTest, 'forward', wrong='modifies')


@pytest.mark.parametrize('name, attribute', [
    ('forward', 'check_forward_options'), ('backward', 'check_backward_options'),
    ('double_backward', 'check_double_backward_options')])
def test_function_options(name, attribute):
    run(ProductTest, name, wrong=name, setUp=lambda self: setattr(
        self, attribute, {'atol': 1e3, 'rtol': 1e3}))
    # They belong to the instance.
    assert getattr(ProductTest('test_forward'), attribute) == {}


@pytest.mark.parametrize('name', TESTS)
def test_function_skipped(name):
    with pytest.raises(unittest.SkipTest, match='skip_%s_test' % name):
        run(ProductTest, name, **{'skip_%s_test' % name: True})


def test_function_contiguousness():
    log = []

    def forward(self, inputs, device):
        return Product(log=log).apply(inputs)

    run(ProductTest, 'backward', forward=forward)
    # Finite differences are taken in double precision.
    assert log[0] == ('f', False)
    assert {dtype for dtype, _ in log[1:]} == {'d'}
    seen = []
    run(ProductTest, 'forward', forward_expected=lambda self, inputs: (
        seen.extend(x.flags.c_contiguous for x in inputs)
        or ProductTest.forward_expected(self, inputs)))
    assert seen == [False, False]
    log.clear()
    run(ProductTest, 'backward', forward=forward, contiguous='C',
        numerical_grad_dtype='f', setUp=lambda self: setattr(
            self, 'check_backward_options', {'atol': 1e-2, 'rtol': 1e-2}))
    assert set(log) == {('f', True)}
    with pytest.raises(AssertionError, match='contiguous'):
        run(ProductTest, 'forward', contiguous='F')


def test_function_hooks():
    calls = []

    def record(name, method):
        def recorded(self, *args):
            calls.append(name)
            return method(self, *args)
        return recorded

    names = ('before_test', 'generate_inputs', 'forward_expected',
             'generate_grad_outputs', 'generate_grad_grad_inputs', 'forward')
    run(ProductTest, 'double_backward', **{
        name: record(name, getattr(ProductTest, name)) for name in names})
    assert calls[:6] == list(names)
    calls.clear()
    run(ProductTest, 'forward', check_forward_outputs=lambda self, actual, expected:
        calls.extend(a.shape for a in (*actual, *expected)))
    assert calls == [(3, 2)] * 4


def test_function_test_name():
    names = []
    run(ProductTest, 'backward', before_test=lambda self, name: names.append(
        (name, self.test_name, self.backend_config)))
    assert names == [('test_backward', 'test_backward', CPU)]


def test_function_backend_is_in_use():
    before = chainer_fast.config.autotune
    seen = []

    def forward(self, inputs, device):
        seen.append(chainer_fast.config.autotune)
        assert device == config.device
        return Product().apply(inputs)

    config = testing.BackendConfig({'autotune': not before})
    test = type('Test', (ProductTest,), {'forward': forward})('test_forward')
    test.test_forward(config)
    assert seen == [not before]


@pytest.mark.parametrize('method', ['generate_inputs', 'forward_expected'])
@pytest.mark.parametrize('returned', [[numpy.ones(2, 'f')] * 2, numpy.ones(2), (1, 2)])
def test_function_wrong_types(method, returned):
    with pytest.raises(TypeError, match=method):
        run(ProductTest, 'forward', **{method: lambda self, *args: returned})


@pytest.mark.parametrize('convert', [
    list, lambda ys: ys[0], lambda ys: tuple(y.array for y in ys), lambda ys: ys[:1],
    lambda ys: (ys[1], ys[0]), lambda ys: (ys[0], F.cast(ys[1], 'd')),
    lambda ys: (ys[0], ys[1][0])])
def test_function_wrong_outputs(convert):
    with pytest.raises(testing.FunctionTestError):
        run(ProductTest, 'forward', forward=lambda self, inputs, device: convert(
            Product().apply(inputs)))


@pytest.mark.parametrize('args, method', [
    ((), 'generate_inputs'), ((None, None), 'forward'), ((None,), 'forward_expected')])
def test_function_abstract(args, method):
    with pytest.raises(NotImplementedError, match=method):
        getattr(testing.FunctionTestCase('test_forward'), method)(*args)


def test_function_integer_input():
    class Test(testing.FunctionTestCase):
        def generate_inputs(self):
            return numpy.random.rand(3, 2).astype('f'), numpy.array([0, 1, 1])

        def forward(self, inputs, device):
            x, t = inputs
            assert x.requires_grad
            assert not t.requires_grad
            return F.select_item(x, t) * F.select_item(x, t),

        def forward_expected(self, inputs):
            x, t = inputs
            return x[numpy.arange(3), t] ** 2,

    for name in TESTS:
        run(Test, name)


class AbsTest(testing.FunctionTestCase):
    __test__ = False
    dodge_nondifferentiable = True

    def generate_inputs(self):
        return numpy.random.uniform(-5e-3, 5e-3, (2,)).astype('f'),

    def forward(self, inputs, device):
        return abs(inputs[0]),

    def forward_expected(self, inputs):
        return abs(inputs[0]),


def test_function_dodges():
    n_draws = []
    for _ in range(20):
        n = []

        def generate_inputs(self, n=n):
            n.append(1)
            return AbsTest.generate_inputs(self)

        test = type('Test', (AbsTest,), {'generate_inputs': generate_inputs})(
            'test_backward')
        test.test_backward(CPU)
        n_draws.append(len(n))
    assert max(n_draws) > 1
    with pytest.raises(testing.FunctionTestError):
        run(AbsTest, 'backward', dodge_nondifferentiable=False,
            generate_inputs=lambda self: (numpy.full(2, 1e-4, 'f'),))


def test_function_detects_but_does_not_dodge():
    with pytest.raises(gradient_check.NondifferentiableError):
        run(AbsTest, 'backward', dodge_nondifferentiable=False,
            generate_inputs=lambda self: (numpy.full(2, 1e-4, 'f'),),
            setUp=lambda self: setattr(
                self, 'check_backward_options', {'detect_nondifferentiable': True}))


def test_function_cannot_dodge(monkeypatch):
    monkeypatch.setattr(_function_link_support, '_MAX_DODGES', 5)
    with pytest.raises(testing.FunctionTestError, match='none of 5 inputs'):
        run(AbsTest, 'backward',
            generate_inputs=lambda self: (numpy.zeros(2, 'f'),))


# Links
#

class Dot(chainer_fast.Link):
    def __init__(self, initial_p=None, wrong=None):
        super().__init__()
        self.wrong = wrong
        with self.init_scope():
            self.p = chainer_fast.Parameter(
                1 if initial_p is None else 5 if wrong == 'initializers' else initial_p,
                (2, 3))

    def forward(self, x):
        y = F.matmul(x, self.p)
        if self.wrong == 'forward':
            y = y + 1
        if self.wrong == 'backward':
            # Right, but there is no gradient of half of it.
            y = y / 2 + chainer_fast.Variable(y.array / 2)
        return y


class DotTestBase:
    param_names = ('p',)
    wrong = None

    def generate_params(self):
        return numpy.random.uniform(-1, 1, (2, 3)).astype('f'),

    def generate_inputs(self):
        return numpy.random.uniform(-1, 1, (4, 2)).astype('f'),

    def create_link(self, initializers):
        initial_p, = initializers
        return Dot(initial_p, self.wrong)

    def forward_expected(self, link, inputs):
        x, = inputs
        return x.dot(link.p.array),

    def get_initializers(self):
        return [initializers.Constant(0), 2, numpy.full((2, 3), 7, 'f'),
                testing.InitializerArgument(None, 1)],


class DotTest(DotTestBase, testing.LinkTestCase):
    __test__ = False


class DotInitializersTest(DotTestBase, testing.LinkInitializersTestCase):
    __test__ = False


LINK_TESTS = [(DotTest, 'forward'), (DotTest, 'backward'),
              (DotInitializersTest, 'initializers')]


@pytest.mark.parametrize('klass, name', LINK_TESTS)
@pytest.mark.parametrize('contiguous', [None, 'C'])
def test_link_right(klass, name, contiguous):
    test = run(klass, name, contiguous=contiguous)
    assert test.backend_config is CPU


@pytest.mark.parametrize('klass, name', LINK_TESTS)
def test_link_wrong(klass, name):
    with pytest.raises(testing.LinkTestError):
        run(klass, name, wrong=name)


@pytest.mark.parametrize('name', ['forward', 'backward'])
def test_link_skipped(name):
    with pytest.raises(unittest.SkipTest, match='skip_%s_test' % name):
        run(DotTest, name, **{'skip_%s_test' % name: True})


def test_link_gradient_of_parameter_only():
    def forward(self, link, inputs, device):
        return F.matmul(inputs[0], chainer_fast.Variable(link.p.array))

    with pytest.raises(testing.LinkTestError):
        run(DotTest, 'backward', forward=forward)
    # A parameter that is not named is not checked.
    run(DotTest, 'backward', forward=forward, param_names=())


def test_link_dodges():
    n_draws = []

    def generate_inputs(self):
        n_draws.append(1)
        # At first, a kink is near.
        return numpy.full((4, 2), 1e-4 if len(n_draws) < 3 else 1, 'f'),

    run(DotTest, 'backward', dodge_nondifferentiable=True,
        generate_inputs=generate_inputs,
        generate_params=lambda self: (numpy.ones((2, 3), 'f'),),
        forward=lambda self, link, inputs, device: abs(link(*inputs)))
    assert len(n_draws) == 4


def test_link_other_parameters_have_no_stale_gradients():
    grads = []

    def forward(self, link, inputs, device):
        grads.append(link.p.grad)
        return link(*inputs)

    run(DotTest, 'backward', forward=forward, param_names=())
    # The first two calls are to see the outputs, and to initialize the link.
    assert grads[2] is None


def test_link_is_given_initializers():
    given = []

    def create_link(self, initializers):
        given.extend(initializers)
        return DotTestBase.create_link(self, initializers)

    run(DotInitializersTest, 'initializers', create_link=create_link)
    assert isinstance(given[0], initializers.Constant)
    assert given[1] == 2
    assert isinstance(given[2], numpy.ndarray)
    assert given[3] is None


def test_link_several_outputs():
    def forward(self, link, inputs, device):
        y = link(*inputs)
        return y, y * 2

    def forward_expected(self, link, inputs):
        y, = DotTestBase.forward_expected(self, link, inputs)
        return y, y * 2

    for name in ('forward', 'backward'):
        run(DotTest, name, forward=forward, forward_expected=forward_expected)


@pytest.mark.parametrize('attributes, error', [
    ({'create_link': lambda self, inits: numpy.ones(2)}, TypeError),
    ({'generate_params': lambda self: 1}, TypeError),
    ({'generate_params': lambda self: (None,)}, ValueError),
    ({'generate_params': lambda self: (chainer_fast.Variable(numpy.ones((2, 3))),)},
     TypeError),
    ({'generate_inputs': lambda self: numpy.ones((4, 2), 'f')}, TypeError),
    ({'forward_expected': lambda self, link, inputs: numpy.ones((4, 3))}, TypeError),
    ({'forward': lambda self, link, inputs, device: numpy.ones((4, 3))},
     testing.LinkTestError),
])
def test_link_wrong_types(attributes, error):
    with pytest.raises(error):
        run(DotTest, 'forward', **attributes)


def test_link_missing_parameter():
    with pytest.raises(testing.LinkTestError, match='no parameter q'):
        run(DotTest, 'backward', param_names=('q',))


@pytest.mark.parametrize('returned, error', [
    (3, TypeError), ((1,), TypeError), ([[None]], ValueError),
    ([[chainer_fast.Parameter(numpy.ones((2, 3)))]], TypeError)])
def test_link_wrong_initializers(returned, error):
    with pytest.raises(error):
        run(DotInitializersTest, 'initializers', get_initializers=lambda self: returned)


@pytest.mark.parametrize('klass, args, method', [
    (testing.LinkTestCase, (), 'generate_params'),
    (testing.LinkTestCase, (), 'generate_inputs'),
    (testing.LinkTestCase, ((),), 'create_link'),
    (testing.LinkTestCase, (None, ()), 'forward_expected'),
    (testing.LinkInitializersTestCase, (), 'get_initializers')])
def test_link_abstract(klass, args, method):
    with pytest.raises(NotImplementedError, match=method):
        getattr(klass('run'), method)(*args)


def test_initializer_argument():
    argument = testing.InitializerArgument(None, 3)
    assert argument.argument_value is None
    assert argument.expected_initializer == 3
    with pytest.raises(ValueError):
        testing.InitializerArgument(3, None)


@pytest.mark.parametrize('error', [testing.FunctionTestError, testing.LinkTestError])
def test_errors(error):
    error.check(True, 'message')
    with pytest.raises(error, match='^message$'):
        error.check(False, 'message')
    with pytest.raises(error, match='caused by') as e:
        error.fail('message', KeyError('key'))
    assert "KeyError: 'key'" in str(e.value)
    with pytest.raises(error, match='caused by'), error.raise_if_fail('message'):
        raise AssertionError
    with pytest.raises(KeyError), error.raise_if_fail('message'):
        raise KeyError
    with pytest.raises(error), error.raise_if_fail('message', (KeyError,)):
        raise KeyError


def test_names():
    assert function_link.FunctionTestBase in testing.FunctionTestCase.__mro__
    assert not issubclass(function_link.FunctionTestBase, unittest.TestCase)
