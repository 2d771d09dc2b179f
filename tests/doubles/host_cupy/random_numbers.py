"""Random numbers. They come from NumPy, so that the values are not CuPy's."""
import functools

import numpy

from tests.doubles.host_cupy import ledger
from tests.doubles.host_cupy.array import (
    array_operand,
    ledger_launch,
    ndarray,
    operand,
    wrap,
)
from tests.doubles.host_cupy.registry import exports, routine

in_module = functools.partial(routine, module='cupy.random')


def _parameter(x):
    """Arrays of CuPy and numbers are parameters; in some cases CuPy takes NumPy's."""
    return operand(x) if isinstance(x, ndarray) else x


def _draw(name, result, dtype=None, launches=1):
    result = numpy.asarray(result)
    if dtype is not None:
        result = result.astype(dtype)
    for _ in range(launches):
        ledger_launch(name, result.size)
    return wrap(result)


def _float(dtype):
    dtype = numpy.dtype(dtype)
    if dtype.char not in 'fd':
        raise TypeError('cupy.random only supports float32 and float64')
    return dtype


@in_module
class RandomState:
    """A stream of random numbers, by methods that CuPy has."""

    def __init__(self, seed=None, method=100):
        self._state = numpy.random.RandomState(
            None if seed is None else int(seed) % (1 << 32))

    def seed(self, seed=None):
        self._state.seed(None if seed is None else int(seed) % (1 << 32))

    def set_stream(self, stream=None):
        pass

    def _random_sample_raw(self, size, dtype):
        # A private method of CuPy 13 and 14. cuRAND leaves out 0, but not 1.
        drawn = numpy.asarray(self._state.random_sample(size)).astype(_float(dtype))
        drawn[drawn == 0] = 1
        return _draw('random_sample', drawn)

    def random_sample(self, size=None, dtype=float):
        drawn = self._random_sample_raw(size, dtype)._host
        return _draw('random_x_mod_1', numpy.where(drawn == 1, 0, drawn), drawn.dtype)

    def rand(self, *size, dtype=float):
        return self.random_sample(size, dtype)

    def uniform(self, low=0.0, high=1.0, size=None, dtype=float):
        low, high = _parameter(low), _parameter(high)
        return _draw('uniform', self._state.uniform(low, high, size), _float(dtype), 4)

    def normal(self, loc=0.0, scale=1.0, size=None, dtype=float):
        loc, scale = _parameter(loc), _parameter(scale)
        plain = not isinstance(loc, numpy.ndarray) and not isinstance(
            scale, numpy.ndarray)
        return _draw('normal', self._state.normal(loc, scale, size), _float(dtype),
                     1 if plain else 3)

    def lognormal(self, mean=0.0, sigma=1.0, size=None, dtype=float):
        return _draw('lognormal', self._state.lognormal(
            _parameter(mean), _parameter(sigma), size), _float(dtype))

    def standard_normal(self, size=None, dtype=float):
        return self.normal(size=size, dtype=dtype)

    def randn(self, *size, dtype=float):
        return self.normal(size=size, dtype=dtype)

    def randint(self, low, high=None, size=None, dtype=int):
        if any(isinstance(x, ndarray) for x in (low, high)):
            raise TypeError('randint() takes numbers')
        return _draw('randint', self._state.randint(low, high, size), dtype, 2)

    def permutation(self, a):
        return _permutation(self._state, a)

    def shuffle(self, a):
        _shuffle(self._state, a)

    def choice(self, a, size=None, replace=True, p=None):
        return _choice(self._state, a, size, replace, p)


def _distribution(name, *parameters):
    """Register a distribution that takes its parameters, a size and a dtype."""
    def on_state(self, *args, **kwargs):
        dtype = kwargs.pop('dtype', None)
        if len(args) == len(parameters) + 2:
            *args, dtype = args
        args = [_parameter(x) for x in args]
        kwargs = {k: _parameter(x) for k, x in kwargs.items()}
        result = getattr(self._state, name)(*args, **kwargs)
        return _draw(name, result, dtype)
    on_state.__name__ = name
    if not hasattr(RandomState, name):
        setattr(RandomState, name, on_state)


for _name, *_parameters in (
        ('beta', 'a', 'b'), ('binomial', 'n', 'p'), ('chisquare', 'df'),
        ('dirichlet', 'alpha'), ('exponential', 'scale'), ('f', 'dfnum', 'dfden'),
        ('gamma', 'shape', 'scale'), ('geometric', 'p'), ('gumbel', 'loc', 'scale'),
        ('hypergeometric', 'ngood', 'nbad', 'nsample'), ('laplace', 'loc', 'scale'),
        ('logistic', 'loc', 'scale'), ('logseries', 'p'),
        ('multivariate_normal', 'mean', 'cov'), ('negative_binomial', 'n', 'p'),
        ('noncentral_chisquare', 'df', 'nonc'), ('noncentral_f', 'n', 'd', 'nonc'),
        ('pareto', 'a'), ('poisson', 'lam'), ('power', 'a'), ('rayleigh', 'scale'),
        ('standard_cauchy',), ('standard_exponential',), ('standard_gamma', 'shape'),
        ('standard_t', 'df'), ('triangular', 'left', 'mode', 'right'),
        ('vonmises', 'mu', 'kappa'), ('wald', 'mean', 'scale'), ('weibull', 'a'),
        ('zipf', 'a')):
    _distribution(_name, *_parameters)


states = {}


@in_module
def get_random_state():
    from tests.doubles.host_cupy import device
    if device.current() not in states:
        states[device.current()] = RandomState()
    return states[device.current()]


@in_module
def set_random_state(rs):
    from tests.doubles.host_cupy import device
    if not isinstance(rs, RandomState):
        raise TypeError('Random state must be an instance of RandomState. '
                        f'Actual: {type(rs)}')
    states[device.current()] = rs


@in_module
def reset_states():
    states.clear()


@in_module
def seed(seed=None):
    get_random_state().seed(seed)


@in_module(names=['random', 'random_sample', 'ranf', 'sample'])
def random_sample(size=None, dtype=float):
    return get_random_state().random_sample(size, dtype)


@in_module
def rand(*size, **kwarg):
    dtype = kwarg.pop('dtype', float)
    if kwarg:
        raise TypeError('rand() got unexpected keyword arguments %s' % list(kwarg))
    return random_sample(size, dtype)


@in_module
def randn(*size, **kwarg):
    dtype = kwarg.pop('dtype', float)
    if kwarg:
        raise TypeError('randn() got unexpected keyword arguments %s' % list(kwarg))
    return get_random_state().normal(size=size, dtype=dtype)


@in_module
def randint(low, high=None, size=None, dtype='l'):
    return get_random_state().randint(low, high, size, dtype)


@in_module
def random_integers(low, high=None, size=None):
    if high is None:
        low, high = 1, low
    return randint(low, high + 1, size)


@in_module
def permutation(a):
    return get_random_state().permutation(a)


@in_module
def shuffle(a):
    get_random_state().shuffle(a)


@in_module
def choice(a, size=None, replace=True, p=None):
    return get_random_state().choice(a, size, replace, p)


@in_module
def bytes(length):
    return numpy.random.bytes(length)


def _permutation(state, a):
    ledger.launch('random_sample')
    ledger.launch('argsort')
    if isinstance(a, int):
        return wrap(state.permutation(a))
    ledger_launch('take', a.size)
    return wrap(state.permutation(array_operand(a)))


def _shuffle(state, a):
    for name in ('random_sample', 'argsort', 'take', 'copy'):
        ledger.launch(name)
    state.shuffle(array_operand(a))


def _choice(state, a, size, replace, p):
    for name in ('random_sample', 'choice'):
        ledger.launch(name)
    if p is not None:
        if not isinstance(p, ndarray):
            raise TypeError('p is an array of CuPy')
        ledger.synchronise('random.choice(p=...)')
    a = array_operand(a) if isinstance(a, ndarray) else a
    return wrap(numpy.asarray(state.choice(
        a, size, replace, None if p is None else array_operand(p))))


def _module_level(name):
    def g(*args, **kwargs):
        return getattr(get_random_state(), name)(*args, **kwargs)
    g.__name__ = name
    in_module(g)


for _name in vars(RandomState):
    if not _name.startswith('_') and _name not in exports['cupy.random'] and (
            _name != 'set_stream'):
        _module_level(_name)
