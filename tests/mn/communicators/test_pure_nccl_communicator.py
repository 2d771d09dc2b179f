"""Gradients by NCCL, beside those that are computed in place."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast.backends import cuda
from chainer_fast.mn import nccl
from chainer_fast.mn.communicators import create_communicator
from tests.mn.communicators.on_gpus import (
    Model,
    check,
    current_device,  # noqa: F401
    gradients,
    params_of,
    prepare,
)


@pytest.fixture
def communicator(request):
    made = create_communicator(getattr(request, 'param', 'pure_nccl'))
    yield made
    made.mpi_comm.barrier()
    made.finalize()


both = pytest.mark.parametrize(
    'communicator', ['pure_nccl', 'non_cuda_aware'], indirect=True)
pytestmark = [pytest.mark.gpu, pytest.mark.mpi]


@both
@pytest.mark.parametrize('dtypes', ['f', 'd', 'e', 'efd'])
def test_mean_of_gradients(communicator, dtypes):
    model = prepare(communicator, dtypes)
    before = [param.grad for param in params_of(model)]
    for _ in range(2):      # the second time, communicators are there
        for param, grad in zip(
                params_of(model), gradients(communicator.rank, dtypes), strict=True):
            param.grad[...] = cuda.to_gpu(grad)
        communicator.multi_node_mean_grad(model)
        check(model, communicator.size, dtypes)
    assert all([param.grad is grad for param, grad
                in zip(params_of(model), before, strict=True)])


@pytest.mark.parametrize('name', [None, 'float16', 'float32', 'float64'])
@pytest.mark.parametrize('config', ['float32', 'float16', 'mixed16', 'float64'])
def test_dtype_on_the_way(communicator, name, config, monkeypatch):
    with chainer.using_config(
            'dtype', chainer.mixed16 if config == 'mixed16' else np.dtype(config)):
        model = prepare(communicator)
        communicator.set_config('allreduce_grad_dtype', name)
        assert communicator.get_config('allreduce_grad_dtype') == name
        assert communicator.allreduce_grad_dtype == name
        communicator._init_comms()
        seen = []

        class Spy:
            def allReduce(self, *args):
                seen.append(args[3])
                nccl_comm.allReduce(*args)

        nccl_comm = communicator.nccl_comm
        monkeypatch.setattr(communicator, 'nccl_comm', Spy())
        communicator.multi_node_mean_grad(model)
        monkeypatch.undo()
    expected = name or config.replace('mixed', 'float')
    assert seen == [getattr(nccl, 'NCCL_' + expected.upper())]
    check(model, communicator.size, rtol=2e-3 if expected == 'float16' else 1e-6)


@both
def test_parameters_without_gradient(communicator):
    model = prepare(communicator)
    model.p1.grad = None
    communicator.multi_node_mean_grad(model)
    assert model.p1.grad is None
    model.p1.grad = cuda.to_gpu(np.ones(7, 'f')) if communicator.rank == 0 else None
    model.p2.grad = None
    communicator.multi_node_mean_grad(model, zero_fill=True)
    np.testing.assert_allclose(cuda.to_cpu(model.p1.grad), 1 / communicator.size)
    np.testing.assert_array_equal(cuda.to_cpu(model.p2.grad), 0)


@both
def test_gradients_in_shared_memory(communicator):
    model = prepare(communicator)
    model.add_param('q', (3, 4), 'f')
    model.q.to_device(model.device)
    model.q.grad = model.p0.grad
    communicator.multi_node_mean_grad(model)
    np.testing.assert_array_equal(cuda.to_cpu(model.q.grad), cuda.to_cpu(model.p0.grad))
    assert model.q.grad is not model.p0.grad
    del model.q
    check(model, communicator.size)


@both
def test_a_model_that_has_no_gradients(communicator):
    model = prepare(communicator)
    model.cleargrads()
    communicator.multi_node_mean_grad(model)
    assert all([param.grad is None for param in params_of(model)])


@both
@pytest.mark.parametrize('dtypes', ['f', 'efd'])
def test_bcast_data(communicator, dtypes):
    model = prepare(communicator, dtypes)
    for param in params_of(model):
        param.array[...] = communicator.rank + 1
    model.p0.array = cuda.cupy.asfortranarray(model.p0.array)
    communicator.bcast_data(model)
    for param in params_of(model):
        np.testing.assert_array_equal(cuda.to_cpu(param.array), 1)


@both
def test_gradients_that_have_diverged(communicator):
    model = prepare(communicator)
    if communicator.rank == communicator.size - 1:
        model.p3.grad[0, 0, 0, 0] = np.nan
    with chainer.using_config('debug', True), pytest.raises(
            ValueError, match='diverged after allreduce: the gradients of /p3 are'):
        communicator.multi_node_mean_grad(model)


@both
def test_models_on_the_processor(communicator):
    model = Model()
    for call in communicator.bcast_data, communicator.multi_node_mean_grad:
        with pytest.raises(ValueError, match='p0 is a numpy.ndarray'):
            call(model)


@both
def test_a_model_of_one_process_on_the_processor(communicator):
    """The others do not wait for it."""
    if communicator.rank == 0:
        model, error, match = Model(), ValueError, 'p0 is a numpy.ndarray'
    else:
        model, error, match = prepare(communicator), RuntimeError, 'failed on rank 0'
    for call in communicator.bcast_data, communicator.multi_node_mean_grad:
        with pytest.raises(error, match=match):
            call(model)


@both
def test_models_that_differ(communicator):
    if communicator.size == 1:
        return
    model = prepare(communicator)
    if communicator.rank == 0:
        model.p3.grad = None
    with pytest.raises(ValueError, match='/p3: rank 0 has no gradient'):
        communicator.multi_node_mean_grad(model)
    if communicator.rank == 0:
        del model.p3
    with pytest.raises(ValueError, match='/p3: rank 0 has no such parameter'):
        communicator.bcast_data(model)


def test_settings(communicator):
    assert communicator.get_config() == {
        'batched_copy': True, 'allreduce_grad_dtype': None}
    communicator.set_config('batched_copy', False)
    assert communicator.get_config('batched_copy') is False
    for name in 'int32', 'bool', 'complex64':
        with pytest.raises(ValueError, match='must be float16, .* got ' + name):
            communicator.set_config('allreduce_grad_dtype', name)
    with pytest.raises(TypeError):
        communicator.set_config('allreduce_grad_dtype', 'bfloat')
    assert communicator.allreduce_grad_dtype is None
    with pytest.raises(ValueError, match='blah'):
        communicator.set_config('blah')


@pytest.mark.parametrize('name,attribute', [
    ('pure_nccl', 'nccl_comm'), ('non_cuda_aware', 'intra_nccl_comm')])
def test_finalize(name, attribute):
    communicator = create_communicator(name)
    cuda.get_device_from_id(communicator.intra_rank).use()
    assert getattr(communicator, attribute) is None
    communicator._init_comms()
    assert getattr(communicator, attribute).size() == communicator.size
    communicator.mpi_comm.barrier()
    communicator.finalize()
    assert getattr(communicator, attribute) is None
    communicator.finalize()


def test_ranks_with_the_same_gpu(communicator):
    if communicator.size == 1:
        communicator._init_comms()
        return
    cuda.get_device_from_id(0).use()
    with pytest.raises(RuntimeError, match='processes 0 and 1 both use GPU 0'):
        communicator._init_comms()


def test_parts_of_the_processes(communicator):
    cuda.get_device_from_id(communicator.intra_rank).use()
    part = communicator.split(communicator.rank % 2, communicator.rank)
    model = Model()
    model.to_device('@cupy:%d' % communicator.intra_rank)
    model.p1.array[...] = communicator.rank
    part.bcast_data(model)
    np.testing.assert_array_equal(
        cuda.to_cpu(model.p1.array), communicator.rank % 2)
    part.mpi_comm.barrier()
    part.finalize()
