"""Steps of a training on a GPU, which the host does not wait for."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import (
    iterators,
    links,
    optimizer_hooks,
    optimizers,
    testing,
    training,
)
from chainer_fast.training import extensions
from tests.doubles.host_cupy import ledger

pytestmark = pytest.mark.gpu

HOOKS = {
    'none': [],
    'elementwise': [
        optimizer_hooks.WeightDecay(1e-3), optimizer_hooks.Lasso(1e-3),
        optimizer_hooks.GradientHardClipping(-1, 1)],
    'clipping': [
        optimizer_hooks.WeightDecay(1e-3), optimizer_hooks.GradientClipping(.1)],
    'noise': [optimizer_hooks.GradientNoise(.1)],
    'lars': [optimizer_hooks.GradientLARS(weight_decay=1e-3)],
}


class Net(chainer.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv = links.Convolution2D(1, 4, 3)
            self.bn = links.BatchNormalization(4)
            self.l1 = links.Linear(None, 10)
            self.l2 = links.Linear(10, 3)

    def forward(self, x):
        h = F.max_pooling_2d(F.relu(self.bn(self.conv(x))), 2)
        return self.l2(F.dropout(F.relu(self.l1(h))))


def make_updater(optimizer, hooks=(), loss_scale=None):
    rng = np.random.RandomState(0)
    dtype = chainer.get_dtype(map_mixed16=np.float16)
    data = [(rng.rand(1, 8, 8).astype(dtype), np.int32(i % 3)) for i in range(24)]
    optimizer.setup(links.Classifier(Net()))
    for hook in hooks:
        optimizer.add_hook(hook)
    return training.StandardUpdater(
        iterators.SerialIterator(data, 4), optimizer, device='@cupy:0',
        loss_scale=loss_scale)


@pytest.mark.parametrize('dtype', ['float32', 'mixed16'])
@pytest.mark.parametrize('hooks', HOOKS)
@pytest.mark.parametrize('name', ['SGD', 'MomentumSGD', 'Adam', 'MSVAG'])
def test_step_does_not_synchronise(name, hooks, dtype):
    mixed = dtype == 'mixed16'
    with chainer.using_config('dtype', chainer.mixed16 if mixed else np.float32):
        optimizer = getattr(optimizers, name)()
        if mixed:
            optimizer.use_fp32_update()
        updater = make_updater(optimizer, HOOKS[hooks], 16. if mixed else None)
        for _ in range(2):
            updater.update()    # makes parameters, states and kernels
        reporter = chainer.Reporter()
        reporter.add_observer('main', optimizer.target)
        summary = chainer.DictSummary()
        with ledger.record() as counts, reporter:
            updater.update()
            summary.add(reporter.observation)
    assert not counts.synchronisations
    assert not counts.to_host
    # The images and the labels of the batch.
    assert len(counts.to_device) <= 2
    assert sorted(summary.compute_mean()) == ['main/accuracy', 'main/loss']


def test_report_synchronises_when_it_is_written(tmp_path):
    updater = make_updater(optimizers.Adam(), HOOKS['clipping'])
    trainer = training.Trainer(updater, (12, 'iteration'), out=tmp_path)
    trainer.extend(extensions.LogReport(trigger=(6, 'iteration')))
    trainer.extend(extensions.ExponentialShift('alpha', .9))
    waits = []

    @training.make_extension(trigger=(1, 'iteration'), priority=-1)
    def note(trainer):
        waits.append(len(counts.synchronisations))

    trainer.extend(note)
    with ledger.record() as counts:
        trainer.run()
    assert waits[:5] == [waits[0]] * 5
    assert waits[6:11] == [waits[6]] * 5


def test_dynamic_loss_scaling_synchronises_once():
    optimizer = optimizers.SGD()
    optimizer.loss_scaling()
    updater = make_updater(optimizer)
    updater.update()
    with ledger.record() as counts:
        updater.update()
    assert len(counts.synchronisations) <= 1


@pytest.mark.parametrize('name', ['cleargrads', 'copyparams', 'addgrads'])
def test_links(name):
    optimizer = optimizers.SGD()
    updater = make_updater(optimizer)
    updater.update()
    link, other = optimizer.target, optimizer.target.copy('copy')
    arguments = () if name == 'cleargrads' else (other,)
    with ledger.record() as counts:
        getattr(link, name)(*arguments)
    n_arrays = len(list(link.params())) + 3     # those of the batch normalization
    assert len(counts.launches) <= (0 if name == 'cleargrads' else n_arrays)
    assert not counts.synchronisations


def test_failure_on_numbers_that_are_none():
    updater = make_updater(optimizers.SGD())
    updater.update()
    trainer = training.Trainer(updater, (1, 'iteration'))
    extension = extensions.FailOnNonNumber()
    with ledger.record() as counts:
        extension(trainer)
    assert len(counts.synchronisations) <= 1
    updater.get_optimizer('main').target.predictor.l2.b.array[1] = np.nan
    with pytest.raises(RuntimeError, match='/predictor/l2/b'):
        extension(trainer)


def test_noise_is_that_of_the_generator():
    link = links.Linear(3, 2).to_device('@cupy:0')
    xp = link.xp
    optimizer = optimizers.SGD(0).setup(link)
    optimizer.add_hook(optimizer_hooks.GradientNoise(.25))
    for param in link.params():
        param.grad = xp.zeros_like(param.array)
    xp.random.seed(0)
    optimizer.update()
    xp.random.seed(0)
    for param in link.params():
        noise = xp.random.normal(0, .5, param.shape).astype(param.dtype)
        testing.assert_allclose(param.grad, noise)
