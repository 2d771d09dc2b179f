import numpy
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast import testing
from chainer_fast.mn.links import MultiNodeBatchNormalization, create_mnbn_model

pytestmark = pytest.mark.filterwarnings('ignore:.* is experimental:FutureWarning')


class Net(chainer_fast.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(3, 2, 1)
            self.bn = L.BatchNormalization(2, decay=.5, eps=1e-3, dtype='d')
            self.rest = chainer_fast.ChainList(
                L.BatchNormalization(2, use_gamma=False),
                chainer_fast.Sequential(
                    L.BatchNormalization(2, use_beta=False), F.relu,
                    chainer_fast.Sequential(L.BatchNormalization(2))))
        self.same = self.bn
        self.settings = [1]

    def forward(self, x):
        h = self.bn(self.conv(x))
        for link in self.rest:
            h = link(h)
        return h


@pytest.mark.mpi
def test_all_batch_normalizations_are_replaced_in_a_copy(comm):
    numpy.random.seed(0)  # the same model on every process
    net = Net()
    net.bn.gamma.array[:] = 3
    net.bn.avg_mean[:] = 7
    net.bn.N = 4
    new = create_mnbn_model(net, comm)
    assert type(new) is Net
    replaced = [(name, type(link)) for name, link in new.namedlinks()
                if 'BatchNorm' in type(link).__name__]
    assert replaced == [
        (name, MultiNodeBatchNormalization)
        for name in ('/bn', '/rest/0', '/rest/1/0', '/rest/1/1/0')]
    assert [name for name, _ in new.namedparams()] == [
        name for name, _ in net.namedparams()]
    assert new.bn.name == 'bn' and new.same is new.bn
    assert (new.bn.decay, new.bn.eps, new.bn.N, new.bn.comm) == (.5, 1e-3, 4, comm)
    assert new.bn.gamma.dtype == new.bn.avg_mean.dtype == numpy.float64
    assert new.bn.gamma.array.tolist() == [3, 3]
    assert new.bn.avg_mean.tolist() == [7, 7]
    assert new.settings == [1] and new.settings is not net.settings
    for (_, a), (_, b) in zip(net.namedparams(), new.namedparams(), strict=True):
        assert a is not b and not numpy.shares_memory(a.array, b.array)
    assert type(net.bn) is L.BatchNormalization
    assert type(net.rest[1][0]) is L.BatchNormalization

    x = numpy.random.RandomState(0).normal(size=(4, 3, 5, 5)).astype('f')
    testing.assert_allclose(new(x).array, net(x).array, atol=1e-5)


@pytest.mark.mpi
def test_links_alone(comm):
    assert isinstance(
        create_mnbn_model(L.BatchNormalization(2), comm, 'mpi'),
        MultiNodeBatchNormalization)
    assert isinstance(
        create_mnbn_model(L.BatchRenormalization(2), comm),
        MultiNodeBatchNormalization)
    linear = L.Linear(2, 2)
    assert create_mnbn_model(linear, comm).W is not linear.W
    again = create_mnbn_model(create_mnbn_model(L.BatchNormalization(2), comm), comm)
    assert type(again) is MultiNodeBatchNormalization and again.comm is comm
    assert create_mnbn_model(None, comm) is None


@pytest.mark.mpi
def test_shared_links_and_parameters_remain_shared(comm):
    shared = L.BatchNormalization(2)
    net = chainer_fast.Chain(a=shared, c=L.BatchNormalization(2))
    with net.init_scope():
        net.b = shared
    net.c.gamma = shared.gamma
    new = create_mnbn_model(net, comm)
    assert new.a is new.b and new.c is not new.a
    assert new.c.gamma is new.a.gamma


@pytest.mark.mpi
@pytest.mark.parametrize('axis', [(0, 2, 3), (0, 1, 2), 0])
def test_axes_are_kept(comm, axis):
    x = numpy.random.RandomState(0).normal(size=(4, 2, 3, 2)).astype('f')
    size = tuple([n for i, n in enumerate(x.shape)
                  if i not in (axis if isinstance(axis, tuple) else (axis,))])
    link = L.BatchNormalization(size, axis=axis)
    new = create_mnbn_model(link, comm)
    for train in (True, False):
        with chainer_fast.using_config('train', train):
            testing.assert_allclose(new(x).array, link(x).array, atol=1e-5)


@pytest.mark.mpi
def test_sizes_have_to_be_known(comm):
    net = chainer_fast.Chain(bn=L.BatchNormalization(axis=0))
    with pytest.raises(ValueError, match='size of the batch normalization /bn is not '
                                         'known'):
        create_mnbn_model(net, comm)


@pytest.mark.mpi
def test_bad_backend(comm):
    with pytest.raises(ValueError, match="'x'"):
        create_mnbn_model(Net(), comm, communication_backend='x')
