import numpy
import pytest

import chainer_fast as chainer
from chainer_fast.mn.extensions import AllreducePersistent

pytestmark = pytest.mark.mpi


def test_batch_normalization(comm):
    model = chainer.Sequential(
        chainer.links.BatchNormalization(3), chainer.links.BatchNormalization(2))
    statistics = model[0].avg_mean
    for number, link in enumerate(model):
        link.avg_mean[:] = comm.rank + number
        link.avg_var[:] = 10 * (comm.rank + number)
        link.N = 5 + comm.rank
    AllreducePersistent(model, comm)()
    mean = (comm.size - 1) / 2
    for number, link in enumerate(model):
        numpy.testing.assert_allclose(link.avg_mean, mean + number)
        numpy.testing.assert_allclose(link.avg_var, 10 * (mean + number))
        assert comm.rank + 5 == link.N
    assert model[0].avg_mean is statistics


@pytest.mark.parametrize('make', [
    lambda value: numpy.full((2, 3), value, 'f'),
    lambda value: numpy.full((2, 3), value, 'd'),
    lambda value: numpy.full((2, 3), value, 'e'),
    lambda value: numpy.full((3, 2), value, 'f').T,
    lambda value: numpy.full((2, 6), value, 'd')[:, ::2],
    lambda value: numpy.array(value, 'd'),
    lambda value: numpy.full((0, 3), value, 'f'),
], ids=['f', 'd', 'e', 'transposed', 'strided', 'single', 'empty'])
def test_arrays(comm, make):
    model = chainer.Link()
    model.add_persistent('x', None)
    model.x = make(float(comm.rank))
    before = model.x
    assert AllreducePersistent(model, comm)(None) is None
    assert model.x is before
    numpy.testing.assert_allclose(model.x, (comm.size - 1) / 2)


def test_arrays_of_chainerx(comm):
    model = chainer.Link()
    model.add_persistent('x', numpy.full((2, 3), comm.rank, 'f'))
    model.to_device('native:0')
    before = model.x
    AllreducePersistent(model, comm)()
    assert model.x is before
    numpy.testing.assert_allclose(
        chainer.backend.from_chx(model.x), numpy.full((2, 3), (comm.size - 1) / 2))


@pytest.mark.parametrize('value', [
    3, 2.5, 'text', None, numpy.float64(2.5), numpy.arange(3), numpy.array([True])])
def test_others_stay(comm, value):
    model = chainer.Link()
    model.add_persistent('x', value)
    AllreducePersistent(model, comm)()
    numpy.testing.assert_array_equal(model.x, value)


def test_order_does_not_depend_on_the_process(comm):
    model = chainer.Link()
    names = ['a%d' % number for number in range(9)]
    for name in names if comm.rank % 2 else reversed(names):
        model.add_persistent(name, numpy.full(3, float(name[1:]) + comm.rank))
    AllreducePersistent(model, comm)()
    for number, name in enumerate(names):
        numpy.testing.assert_allclose(
            getattr(model, name), number + (comm.size - 1) / 2)


def test_when_it_is_called(comm):
    extension = AllreducePersistent(chainer.Link(), comm)
    assert extension.trigger == (1, 'epoch') and extension.priority == 301
