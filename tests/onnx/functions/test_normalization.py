import numpy
import onnx
import pytest

import chainer_fast.functions as F
from chainer_fast import links as L
from chainer_fast.onnx.export import export
from chainer_fast.onnx.onnx_chain import load
from tests.onnx.exported import OPSETS, Model, check, run

RANDOM = numpy.random.RandomState(0)


def floats(*shape, low=-1, high=1, dtype=numpy.float32):
    return RANDOM.uniform(low, high, shape).astype(dtype)


def of(link):
    return Model(lambda self, x: self.link(x), link=link)


def batch_normalization(*args, **kwargs):
    """A link with statistics and parameters that are not those of the beginning."""
    link = L.BatchNormalization(*args, **kwargs)
    link.avg_mean[...] = floats(*link.avg_mean.shape)
    link.avg_var[...] = floats(*link.avg_var.shape, low=0.5, high=2)
    for param in link.params():
        param.array[...] = floats(*param.shape, low=0.5, high=2)
    return link


BATCHES = {
    'rows': (lambda: batch_normalization(3), (4, 3)),
    'images': (lambda: batch_normalization(3), (2, 3, 4, 2)),
    'no gamma': (lambda: batch_normalization(3, use_gamma=False), (2, 3, 4, 2)),
    'no beta': (lambda: batch_normalization(3, use_beta=False), (2, 3, 4, 2)),
    'neither': (lambda: batch_normalization(
        3, use_gamma=False, use_beta=False), (2, 3, 4)),
    'all but the first': (lambda: batch_normalization((3, 4)), (4, 3, 4)),
    'last axis': (lambda: batch_normalization(4, axis=(0, 1)), (4, 3, 4)),
    'two axes': (lambda: batch_normalization((3, 2), axis=(0, 2)), (4, 3, 5, 2)),
}


@pytest.mark.parametrize('train', [False, True])
@pytest.mark.parametrize('name', BATCHES)
def test_batch_normalization(name, train):
    make, shape = BATCHES[name]
    check(of(make()), [floats(*shape)], train=train, tolerance=1e-4)


@pytest.mark.parametrize('name', ['rows', 'last axis'])
def test_batch_normalization_in_training_of_another_batch(name):
    # From version 14 on, the operator computes the statistics of its batch.
    make, shape = BATCHES[name]
    check(of(make()), [floats(*shape)], train=True, tolerance=1e-4,
          opsets=range(14, OPSETS[-1] + 1), inputs=[floats(*shape) + 1])


def test_batch_normalization_of_half_precision():
    link = batch_normalization(3, dtype=numpy.float32)
    check(of(link), [floats(2, 3, 4, dtype=numpy.float16)], tolerance=3e-3,
          opsets=[9, 13, 15, 22])


def test_a_link_called_twice():
    model = Model(lambda self, x: self.link(self.link(x) * 2),
                  link=batch_normalization(3))
    made = check(model, [floats(2, 3, 4)])[7]
    assert sorted(each.name for each in made.graph.initializer) == [
        'param_link_' + name for name in ('avg_mean', 'avg_var', 'beta', 'gamma')]


def test_a_link_called_twice_in_training():
    # The two batches differ in their statistics.
    model = Model(lambda self, x: self.link(self.link(x) * 2 + 1),
                  link=batch_normalization(3))
    made = check(model, [floats(2, 3, 4)], train=True, tolerance=1e-4)[7]
    assert sorted(each.name for each in made.graph.initializer) == [
        'BatchNormalization_1_param_avg_mean', 'BatchNormalization_1_param_avg_var',
        'param_link_avg_mean', 'param_link_avg_var', 'param_link_beta',
        'param_link_gamma']


def test_statistics_as_inputs():
    xs = [floats(4, 3), *floats(3, 3), floats(3, low=0.5)]
    check(lambda *xs: F.fixed_batch_normalization(*xs), xs)
    check(lambda x, mean, var: F.fixed_batch_normalization(
        x, *xs[1:3], mean, var), [xs[0], *xs[3:]])


def test_names_of_statistics():
    # As Chainer names them, link or none.
    x, gamma, beta = floats(2, 3), floats(3), floats(3)
    made = export(Model(lambda self, x: F.batch_normalization(x, gamma, beta)), [x])
    names = {each.name for each in made.graph.initializer}
    assert {'BatchNormalization_0_param_avg_mean',
            'BatchNormalization_0_param_avg_var'} < names
    made = export(of(batch_normalization(3)), [x], train=True, opset_version=9)
    arrays = {each.name: onnx.numpy_helper.to_array(each)
              for each in made.graph.initializer}
    numpy.testing.assert_allclose(arrays['param_link_avg_mean'], x.mean(0), rtol=1e-5)
    numpy.testing.assert_allclose(arrays['param_link_avg_var'], x.var(0), rtol=1e-5)


@pytest.mark.parametrize('shape', [(2, 4), (2, 4, 3), (2, 4, 3, 5)])
@pytest.mark.parametrize('groups', [1, 2, 4])
def test_group_normalization(groups, shape):
    gamma, beta = floats(4), floats(4)
    check(lambda x: F.group_normalization(x, groups, gamma, beta), [floats(*shape)],
          tolerance=1e-4)


def test_layer_normalization():
    gamma, beta = floats(4), floats(4)
    check(lambda x: F.layer_normalization(x, gamma, beta, eps=1e-3), [floats(2, 4)],
          tolerance=1e-4)


def test_link_of_layer_normalization():
    link = L.LayerNormalization(4)
    check(of(link), [floats(2, 4)], tolerance=1e-4)


@pytest.mark.parametrize('n', [1, 3, 4, 5])
def test_local_response_normalization(n):
    check(lambda x: F.local_response_normalization(x, n, 1.5, 0.1, 0.75),
          [floats(2, 6, 3, 3)])


@pytest.mark.parametrize('axis', [1, -1, (1,), (1, 2)])
def test_normalize(axis):
    check(lambda x: F.normalize(x, axis=axis), [floats(2, 4, 3)], tolerance=1e-4)


def test_normalize_of_short_vectors():
    # Up to version 11 the graph is Chainer's, which leaves out the number that is
    # added to the length.
    x = floats(2, 4) * numpy.float32(1e-5)
    check(lambda x: F.normalize(x, eps=1e-4), [x], opsets=range(12, OPSETS[-1] + 1))


@pytest.mark.parametrize('function', [
    lambda x, p: F.layer_normalization(x, p, p),
    lambda x, p: F.group_normalization(x, 2, p, p),
    lambda x, p: F.fixed_batch_normalization(x, p, p, p, p),
    lambda x, p: F.normalize(x)])
def test_double_precision(function):
    p = floats(4, low=0.5, dtype=numpy.float64)
    check(lambda x: function(x, p), [floats(2, 4, dtype=numpy.float64)],
          opsets=[9, 13, 22], tolerance=1e-4)


@pytest.mark.filterwarnings('ignore::UserWarning')
def test_running_statistics_in_training():
    # Who loads the file has them for the test mode; older operators cannot have both.
    link = batch_normalization(3)
    x = floats(4, 3)
    model = of(link)
    mean, var = link.avg_mean.copy(), link.avg_var.copy()
    for opset in (14, 15):
        made = export(model, [x], train=True, opset_version=opset)
        loaded = load(made)
        numpy.testing.assert_array_equal(loaded.link_avg_mean, mean)
        numpy.testing.assert_array_equal(loaded.link_avg_var, var)

    def given(self, x):
        return F.batch_normalization(
            x, numpy.ones(3, 'f'), numpy.zeros(3, 'f'), running_mean=mean,
            running_var=var, decay=1.)

    made = export(Model(given), [x], train=True, opset_version=15)
    arrays = [onnx.numpy_helper.to_array(each) for each in made.graph.initializer]
    assert any(numpy.array_equal(each, mean) for each in arrays)


def test_what_cannot_be_exported():
    for link in (L.BatchRenormalization(4), L.DecorrelatedBatchNormalization(4, 2)):
        with pytest.raises(ValueError, match='cannot be exported'):
            export(of(link), [floats(4, 4)], train=True)


def test_training_mode():
    x = floats(4, 3)
    for opset in (13, 14, 15):
        made = export(of(batch_normalization(3)), [x], train=True, opset_version=opset)
        node, = made.graph.node
        names = {each.name for each in node.attribute}
        assert ('training_mode' in names) == (opset >= 14)
        y, = run(made, [x])
        assert y.shape == x.shape
