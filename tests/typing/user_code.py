"""A program as users write them, which type checkers read and nobody runs.

pyright and mypy, both at their strictest, accept it; `assert_type` says what they make
of the calls that programs consist of.
"""
import typing as tp

import numpy as np
from typing_extensions import assert_type

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import training
from chainer_fast.training import extensions

Array = np.ndarray[tp.Any, tp.Any]


class Perceptron(chainer.Chain):
    """Two layers."""

    def __init__(self, n_units: int) -> None:
        super().__init__()
        with self.init_scope():
            self.l1 = L.Linear(None, n_units)
            self.l2 = L.Linear(n_units, 10)

    def forward(self, x: chainer.Variable) -> chainer.Variable:
        h = F.relu(self.l1(x))
        return F.dropout(self.l2(h), ratio=0.2)


class Square(chainer.FunctionNode):
    """The square, as a function of one's own."""

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        self.retain_inputs((0,))
        x, = inputs
        return x * x,

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: tuple[chainer.Variable, ...],
    ) -> tuple[chainer.Variable | None, ...]:
        x, = self.get_retained_inputs()
        gy, = grad_outputs
        return 2. * x * gy,


def variables() -> None:
    x = chainer.Variable(np.zeros((3, 2), np.float32))
    assert_type(x.array, Array)
    assert_type(x.grad, Array | None)
    assert_type(x.grad_var, chainer.Variable | None)
    assert_type(x.shape, tuple[int, ...])
    assert_type(x + 1, chainer.Variable)
    assert_type(2 * x - x / 3, chainer.Variable)
    assert_type(x @ x.T, chainer.Variable)
    assert_type(-x ** 2, chainer.Variable)
    assert_type(x.reshape(6), chainer.Variable)
    assert_type(x.creator, chainer.FunctionNode | chainer.Function | None)
    assert_type(x.layout, str | None)
    assert_type(F.sum(x).item(), int | float)
    x.grad = np.ones_like(x.array)
    x.cleargrad()
    x.backward(retain_grad=True)


def functions() -> None:
    x = chainer.Variable(np.zeros((3, 2), np.float32))
    t = np.zeros(3, np.int32)
    assert_type(F.relu(x), chainer.Variable)
    assert_type(F.relu(x.array), chainer.Variable)
    assert_type(F.sum(x, axis=(0, 1), keepdims=True), chainer.Variable)
    assert_type(F.softmax_cross_entropy(x, t), chainer.Variable)
    assert_type(F.concat([x, x.array], axis=0), chainer.Variable)
    assert_type(F.broadcast(x, t), tuple[chainer.Variable, ...])
    assert_type(F.split_axis(x, 3, axis=0), tuple[chainer.Variable, ...])
    assert_type(F.max_pooling_nd(x, 2), chainer.Variable)
    assert_type(F.gaussian(x, x), chainer.Variable)
    assert_type(F.identity(x), chainer.Variable)
    assert_type(Square().apply((x,)), tuple[chainer.Variable, ...])
    gradients = chainer.grad([F.sum(x)], [x], enable_double_backprop=True)
    assert_type(gradients, list[chainer.Variable | None])


def links() -> None:
    model = Perceptron(5)
    assert_type(model.l1, L.Linear)
    assert_type(model.l1.W, chainer.Parameter)
    assert_type(model.copy(), Perceptron)
    assert_type(model.to_device('@numpy'), Perceptron)
    assert_type(L.Linear.from_params(model.l2.W, model.l2.b), L.Linear)
    assert_type(chainer.ChainList(model)[0], chainer.Link)
    assert_type(chainer.ChainList(model)[:1], list[chainer.Link])
    for name, parameter in model.namedparams():
        assert_type(name, str)
        assert_type(parameter, chainer.Parameter)
    chainer.serializers.save_npz('model.npz', model)


class Squares(chainer.dataset.DatasetMixin):
    """Names of one's own for the parameters of a method that is overridden."""

    def __len__(self) -> int:
        return 10

    def get_example(self, index: int) -> tuple[float, float]:
        return float(index), float(index * index)


def misspelt_arguments(x: chainer.Variable) -> None:
    L.Linear(3, 4, nobiass=True)  # type: ignore[arg-type]
    L.DilatedConvolution2D(3, 4, 3, nobiass=True)  # type: ignore[arg-type]
    L.NStepLSTM(1, 3, 4, 0., nobias=True)  # type: ignore[arg-type]
    L.Convolution2D(3, 4, 3, padding=1)  # type: ignore[call-arg]
    L.Convolution2D(3, 4, 3, dilate=2, groups=1)
    L.Deconvolution2D(3, 4, 3, padding=1)  # type: ignore[call-arg]
    F.convolution_2d(x, x, padding=1)  # type: ignore[call-arg]
    F.dropout(x, p=.5)  # type: ignore[call-overload]
    F.batch_normalization(x, x, x, momentum=.1)  # type: ignore[arg-type]
    chainer.optimizers.Adam(lr=.1)  # type: ignore[arg-type]


def training_loop(dataset: tp.Sequence[tuple[Array, int]]) -> None:
    model = L.Classifier(Perceptron(5))
    optimizer = chainer.optimizers.Adam(alpha=1e-3)
    assert_type(optimizer.setup(model), chainer.optimizers.Adam)
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-4))
    iterator = chainer.iterators.SerialIterator(dataset, 32, shuffle=False)
    assert_type(iterator.epoch, int)
    updater = training.updaters.StandardUpdater(iterator, optimizer, device=-1)
    updater.get_optimizer('main').update()
    trainer = training.Trainer(updater, (20, 'epoch'), out='result')
    evaluator = extensions.Evaluator(iterator, model)
    assert_type(evaluator(), dict[str, tp.Any])
    trainer.extend(evaluator)
    trainer.extend(extensions.LogReport(), trigger=(1, 'epoch'))
    trainer.extend(extensions.snapshot(), trigger=(10, 'epoch'))
    trainer.extend(extensions.PrintReport(['epoch', 'main/loss']))
    trainer.run()
    assert_type(trainer.elapsed_time, float)


def arrays_and_data(x: Array) -> None:
    assert_type(chainer.backends.cuda.to_cpu(x), Array)
    assert_type(chainer.get_device('@numpy').send([x, x]), list[Array])
    assert_type(chainer.dataset.to_device(-1, (x, x)), tuple[Array, Array])
    train, test = chainer.datasets.get_mnist()
    chainer.iterators.SerialIterator(train, 32)
    chainer.iterators.SerialIterator(test, 32, repeat=False)
    data = chainer.datasets.TupleDataset(x, x)
    assert_type(data[0], tuple[tp.Any, ...])
    assert_type(data[:2], list[tuple[tp.Any, ...]])


def settings(model: chainer.Link, x: Array) -> None:
    chainer.config.cudnn_deterministic = True
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        model(x)
    assert_type(chainer.get_device('@numpy'), chainer.backend.Device)
