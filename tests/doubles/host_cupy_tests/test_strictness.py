"""The stand-in refuses what CuPy refuses."""
import copy
import pickle
import types

import numpy as np
import pytest

from tests.doubles import host_cupy
from tests.doubles.host_cupy import registry, surface

HOST = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture
def x(cupy):
    return cupy.asarray(HOST)


# Names and parameters
#

def test_names_of_no_version(cupy):
    for name in ('float', 'util', 'core', 'asmatrix', 'no_such_function'):
        with pytest.raises(AttributeError):
            getattr(cupy, name)
    assert not hasattr(cupy.cuda, 'cudnn')
    with pytest.raises(AttributeError):
        cupy.ones(3).no_such_method()


@pytest.mark.parametrize('version, there', [('13.6', False), ('14.2', True)])
def test_names_of_one_version(version, there):
    cupy = host_cupy.make(version)['cupy']
    assert hasattr(cupy, 'concat') is there
    assert hasattr(cupy.ndarray, 'mT') is there
    assert hasattr(cupy.linalg, 'matrix_transpose') is there


@pytest.mark.parametrize('call', [
    lambda cp, x: cp.sum(x, where=x > 0),
    lambda cp, x: cp.sum(x, 0, None, None, False, 1),
    lambda cp, x: x.sum(initial=1),
    lambda cp, x: cp.concatenate([x], axis=0, where=None),
    lambda cp, x: cp.zeros(3, like=x),
    lambda cp, x: cp.zeros(),
    lambda cp, x: x.astype('d', casting='safe'),
    lambda cp, x: cp.add(x, x, where=x > 0),
    lambda cp, x: cp.add(x),
    lambda cp, x: cp.add(x, x, x, x),
    lambda cp, x: cp.random.uniform(0, 1, 3, 'f', 1),
    lambda cp, x: cp.einsum('ij->i', x, order='C'),
])
def test_arguments_that_do_not_exist(cupy, x, call):
    with pytest.raises(TypeError):
        call(cupy, x)


def test_a_parameter_of_one_version():
    x = host_cupy.make('13.6')['cupy'].zeros((2, 3))
    with pytest.raises(TypeError, match='copy'):
        x.reshape(6, copy=True)
    x = host_cupy.make('14.2')['cupy'].zeros((2, 3))
    assert x.reshape(6, copy=True).shape == (6,)


def test_what_the_stand_in_lacks_is_named(cupy):
    with pytest.raises(NotImplementedError, match=r'cupy\.unwrap'):
        cupy.unwrap(1)


@pytest.mark.parametrize('version', host_cupy.VERSIONS)
def test_parameters_have_been_read(version):
    sections = surface.read(version)
    functions = sections['cupy']
    assert functions['concatenate'] == 'tup, axis=, out=, *, dtype=, casting='
    assert functions['where'] == 'condition, x=, y='
    assert 'ff->f' in functions['add']
    assert sections['cupy.ndarray']['scatter_add'] == 'slices, value'
    assert '...' not in [
        functions.get(name) for name, own in registry.exports['cupy'].items()
        if isinstance(own, types.FunctionType)]


# Operands
#

@pytest.mark.parametrize('other', [
    HOST, HOST[0, 0:1], np.array(1.), [1, 2, 3], (1, 2, 3), None, '1', b'1', object()])
def test_operands_that_are_no_arrays(cupy, x, other):
    for call in (
            lambda: cupy.add(x, other), lambda: cupy.maximum(other, x),
            lambda: x + other, lambda: other - x, lambda: cupy.where(x > 0, x, other),
            lambda: cupy.concatenate([x, other]), lambda: cupy.dot(x, other),
            lambda: cupy.exp(other), lambda: cupy.matmul(x, other),
            lambda: cupy.stack([x[0], other])):
        with pytest.raises((TypeError, ValueError)):
            call()


def test_in_place_operations_with_arrays_of_numpy(x):
    with pytest.raises(TypeError, match='Unsupported type'):
        x += HOST
    with pytest.raises(TypeError):
        x @= HOST
    with pytest.raises(ValueError, match='non-scalar'):
        x[...] = HOST
    with pytest.raises(ValueError, match='non-scalar'):
        x.fill(HOST)


def test_reductions_of_arrays_of_numpy(cupy):
    for name in ('sum', 'mean', 'amax', 'argmax', 'cumsum', 'any', 'var'):
        with pytest.raises(TypeError):
            getattr(cupy, name)(HOST)


@pytest.mark.parametrize('scalar', [2, 2., True, np.float32(2), np.int8(2)])
def test_scalars_are_operands(cupy, x, scalar):
    y = x * scalar
    assert isinstance(y, cupy.ndarray)
    np.testing.assert_array_equal(y.get(), HOST * scalar)
    assert isinstance(np.float32(2) * x, cupy.ndarray)


def test_no_implicit_conversion(cupy, x):
    for convert in (
            np.asarray, np.array, lambda x: np.add(HOST, x), lambda x: HOST + x,
            lambda x: np.concatenate([HOST, x]), lambda x: HOST.__setitem__(0, x)):
        with pytest.raises((TypeError, ValueError)):
            convert(x)
    with pytest.raises(TypeError, match=r'Please use `\.get\(\)`'):
        np.asarray(x)
    # Functions of NumPy are CuPy's for arrays of CuPy.
    assert isinstance(np.sum(x), cupy.ndarray)
    assert isinstance(np.exp(x), cupy.ndarray)


@pytest.mark.parametrize('dtype', [object, 'U3', 'S3', 'M8[s]', 'm8[s]', 'g'])
def test_dtypes(cupy, x, dtype):
    for call in (lambda: cupy.empty(3, dtype), lambda: cupy.zeros_like(x, dtype),
                 lambda: x.astype(dtype), lambda: cupy.array(np.zeros(3, dtype))):
        with pytest.raises(ValueError, match='Unsupported dtype'):
            call()


def test_results_stay_on_the_device(cupy, x):
    for result in (x.sum(), x[0, 0], x.max(), x.argmax(), x.dot(x.T)[0, 0], x.mean()):
        assert isinstance(result, cupy.ndarray)
        assert result.shape == ()


def test_outputs(cupy, x):
    with pytest.raises(ValueError, match='Out shape'):
        cupy.add(x, x, out=cupy.zeros(3, 'f'))
    with pytest.raises(TypeError, match='coerced'):
        cupy.add(x, x, out=cupy.zeros((2, 3), 'i'))
    with pytest.raises(TypeError):
        cupy.add(x, x, out=HOST.copy())
    with pytest.raises(ValueError):
        x.dot(x.T, out=cupy.zeros((2, 2), 'd'))


# Types
#

@pytest.mark.parametrize('version, expected', [('13.6', 'f'), ('14.2', 'd')])
def test_scalars_of_numpy_decide_types_since_14(version, expected):
    x = host_cupy.make(version)['cupy'].zeros(3, 'f')
    assert (x + np.float64(1)).dtype.char == expected
    assert (x + 1.).dtype.char == 'f'


def test_integers_that_do_not_fit():
    x = host_cupy.make('14.2')['cupy'].zeros(3, 'B')
    with pytest.raises(OverflowError):
        x + 300
    x = host_cupy.make('13.6')['cupy'].zeros(3, 'B')
    assert (x + 300).dtype.char == 'h'


def test_types_are_those_of_cupy(cupy):
    assert cupy.sqrt(cupy.zeros(3, 'b')).dtype.char == 'e'
    assert cupy.true_divide(cupy.ones(3, 'i'), 2).dtype.char == 'd'
    assert cupy.zeros(3, 'i').sum().dtype == np.int64
    with pytest.raises(TypeError, match='Wrong type'):
        cupy.bitwise_and(cupy.zeros(3, 'f'), 1)


# Devices
#

def test_operands_of_another_device(cupy, x):
    with cupy.cuda.Device(1):
        y = cupy.ones((2, 3), 'f')
        for call in (
                lambda: x + y, lambda: x + 1, lambda: x.sum(), lambda: cupy.exp(x),
                lambda: y.__setitem__(0, x[0]), lambda: cupy.concatenate([x, y]),
                lambda: x[[0, 1]], lambda: x.dot(y.T), lambda: x.astype('d'),
                lambda: x.fill(1), lambda: cupy.add(y, y, out=x),
                lambda: cupy.where(x > 0, y, 0)):
            with pytest.raises(ValueError, match='different from the current'):
                call()
        # Copies and views are possible.
        assert x.copy().device == cupy.cuda.Device(1)
        assert x.reshape(6).device == x.T.device == cupy.cuda.Device(0)
        assert cupy.zeros_like(x).device == cupy.cuda.Device(1)
        np.testing.assert_array_equal(x.get(), HOST)


def test_devices_that_do_not_exist(cupy):
    with pytest.raises(RuntimeError, match='cudaErrorInvalidDevice'):
        cupy.cuda.Device(9).use()
    assert cupy.cuda.get_device_id() == 0


# Memory and indices
#

def test_new_memory_holds_no_zeros(cupy):
    assert np.isnan(cupy.empty((2, 3), 'f').get()).all()
    assert np.isnan(cupy.empty_like(cupy.zeros(3, 'e')).get()).all()
    assert (cupy.ndarray(3, 'i').get() == -1).all()


def test_indices_beyond_the_end_are_taken_modulo(cupy, x):
    np.testing.assert_array_equal(x[cupy.array([2, -3])].get(), HOST[[0, 1]])
    np.testing.assert_array_equal(x.take(cupy.array([7])).get(), [1])


@pytest.mark.parametrize('index', [1., [0.5], 'x', (slice(None), 1.5)])
def test_what_is_no_index(x, index):
    with pytest.raises((IndexError, TypeError, ValueError)):
        x[index]


def test_at(cupy):
    x = cupy.zeros(3, 'h')
    with pytest.raises(TypeError, match='does not support'):
        cupy.add.at(x, cupy.array([0]), 1)
    with pytest.raises(NotImplementedError):
        cupy.multiply.at(cupy.zeros(3, 'f'), cupy.array([0]), 1)
    with pytest.raises(NotImplementedError):
        cupy.maximum.reduce(cupy.zeros(3, 'f'))


def test_truth_of_several_elements(x):
    with pytest.raises(ValueError, match='ambiguous'):
        bool(x)
    with pytest.raises((TypeError, ValueError)):
        float(x)


def test_shapes_are_numbers(cupy, x):
    with pytest.raises(TypeError):
        cupy.broadcast_to(x, cupy.array([2, 2, 3]))
    with pytest.raises(TypeError):
        cupy.arange(cupy.array(3))


def test_fusion_refuses_what_it_cannot_trace(cupy, x):
    @cupy.fuse()
    def looks(x):
        return x if float(x.sum()) > 0 else -x

    @cupy.fuse
    def indexes(x):
        return x[cupy.array([0])]

    @cupy.fuse()
    def reduces_twice(x):
        return x.sum() + x.max()

    for f in (looks, indexes, reduces_twice):
        with pytest.raises((TypeError, NotImplementedError)):
            f(x)
    with pytest.raises(TypeError, match='Unsupported type'):
        cupy.fuse(lambda x, y: x + y)(x, HOST)


def test_copies_of_arrays(cupy, x):
    for y in (copy.deepcopy(x), copy.copy(x), pickle.loads(pickle.dumps(x))):
        assert y is not x
        np.testing.assert_array_equal(y.get(), HOST)


def test_set(cupy, x):
    x.set(HOST + 1)
    np.testing.assert_array_equal(x.get(), HOST + 1)
    for wrong in (HOST.tolist(), HOST.astype('d'), HOST[0], x):
        with pytest.raises((TypeError, ValueError)):
            x.set(wrong)
    with pytest.raises(RuntimeError, match='non-contiguous'):
        cupy.zeros((4, 4), 'f')[::2, ::2].set(np.zeros((2, 2), 'f'))


def test_errors_of_linear_algebra(cupy):
    singular = cupy.zeros((2, 2), 'f')
    assert cupy.isnan(cupy.linalg.inv(singular)).all()
    import cupyx
    with cupyx.errstate(linalg='raise'), pytest.raises(np.linalg.LinAlgError):
        cupy.linalg.inv(singular)
    assert cupy.isnan(cupy.linalg.inv(singular)).all()
