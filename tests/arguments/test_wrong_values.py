"""Values that are wrong, whose errors say what was expected; and small integers."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import (
    _numbers,
    dataset,
    datasets,
    iterators,
    serializers,
    training,
    utils,
)
from chainer_fast import distributions as Dist
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast.training import extensions, triggers
from chainer_fast.utils import type_check

IMAGE, FILTERS = np.ones((2, 4, 6, 6), 'f'), np.ones((4, 4, 3, 3), 'f')
ONE = np.ones((), 'f')
COL = np.ones((1, 2, 2, 2, 2, 2), 'f')
THETA = np.ones((1, 2, 3), 'f')
ROI = np.zeros((1, 4), 'f'), np.zeros(1, 'i'), (2, 2), 1.


class _Iterator(iterators.SerialIterator):
    def __init__(self):
        super().__init__([1, 2], 1, repeat=False)


def _chain():
    chain = chainer.Chain()
    chain.add_link('child', L.Linear(2, 2))
    return chain


def _updater(**given):
    it = iterators.SerialIterator([1, 2], 1)
    optimizer = chainer.optimizers.SGD().setup(L.Linear(2, 2))
    return training.StandardUpdater(**{'iterator': it, 'optimizer': optimizer, **given})


@pytest.mark.parametrize('call, error, message', [
    (lambda: F.convolution_2d(IMAGE, FILTERS, groups=[1]), type_check.InvalidType,
     r'groups must be an integer, but is \[1\]'),
    (lambda: F.convolution_2d(IMAGE, FILTERS, groups=None), TypeError, 'groups must'),
    (lambda: F.convolution_nd(IMAGE, FILTERS, groups=[1]), TypeError, 'groups must'),
    (lambda: F.deconvolution_2d(IMAGE, FILTERS, groups=[1]), TypeError, 'groups must'),
    (lambda: F.deconvolution_nd(IMAGE, FILTERS, groups=[1]), TypeError, 'groups must'),
    (lambda: F.convolution_2d(IMAGE, FILTERS, stride=(1, 1, 1)), ValueError,
     r'stride must have two numbers.*has 3: \(1, 1, 1\)'),
    (lambda: F.deconvolution_2d(IMAGE, FILTERS, pad=(1,)), ValueError, 'pad .*has 1'),
    (lambda: F.im2col(IMAGE, (3, 3, 3)), ValueError, 'ksize .*has 3'),
    (lambda: F.unpooling_2d(IMAGE, (3, 3, 3)), ValueError, 'ksize .*has 3'),
    (lambda: F.roi_average_align_2d(IMAGE, *ROI, (2, 2, 2)), ValueError,
     'sampling_ratio .*has 3'),
    (lambda: F.spatial_transformer_grid(THETA, (2, 2, 2)), ValueError,
     'output_shape .*has 3'),
    (lambda: F.spatial_transformer_grid(THETA, None), TypeError, 'output_shape .*None'),
    (lambda: F.local_convolution_2d(
        IMAGE, np.ones((4, 4, 4, 4, 3, 3), 'f'), stride=(1, 1, 1)), ValueError,
     'stride .*has 3'),
    (lambda: L.BatchNormalization(axis=(0, 2, 3))(np.ones((2, 3, 4), 'f')), IndexError,
     r'axis must name axes of x, and is \(0, 2, 3\)'),
    (lambda: dataset.concat_examples(None), ValueError, 'batch is empty: it is None'),
    (lambda: dataset.concat_examples(3), TypeError, 'list of examples, but is 3'),
    (lambda: datasets.SubDataset([1, 2], 0, 2).get_example(None), TypeError,
     'index of an example must be an integer, but is None'),
    (lambda: datasets.SubDataset([1], None, 1), TypeError, 'integers, but one is None'),
    (lambda: datasets.SubDataset(None, 0, 1), TypeError, 'data set must.*is None'),
    (lambda: datasets.TupleDataset(None), TypeError, 'data set must.*is None'),
    (lambda: datasets.DictDataset(a=None), TypeError, 'data set must.*is None'),
    (lambda: datasets.split_dataset(None, 1), TypeError, 'data set must.*is None'),
    (lambda: datasets.split_dataset_n([1], None), TypeError, 'number of parts.*None'),
    (lambda: iterators.SerialIterator(None, 1), TypeError, 'data set must.*is None'),
    (lambda: iterators.MultithreadIterator(None, 1), TypeError, 'data set must'),
    (lambda: next(iterators.SerialIterator([1], None)), TypeError, 'batch_size.*None'),
    (lambda: _updater(iterator=None).update(), TypeError, 'iterator must.*is None'),
    (lambda: _updater(iterator=None).epoch, TypeError, 'iterator must.*is None'),
    (lambda: _updater(optimizer=None), TypeError, 'optimizer of an updater.*is None'),
    (lambda: _updater(converter=None).update(), TypeError, 'converter must.*is None'),
    (lambda: training.Trainer(None), TypeError, 'updater of a trainer.*is None'),
    (lambda: L.Convolution2D(4, 4, 3, groups=[1]), TypeError,
     r'groups must be an integer, but is \[1\]'),
    (lambda: L.Deconvolution2D(4, 4, 3, groups=None), TypeError, 'groups must'),
    (lambda: L.ConvolutionND(2, 4, 4, 3, groups=[1]), TypeError, 'groups must'),
    (lambda: L.DeconvolutionND(2, 4, 4, 3, groups=None), TypeError, 'groups must'),
    (lambda: L.Convolution2D('4', 4, 3), TypeError, "input channels must.*is '4'"),
    (lambda: L.DeconvolutionND(2, 4, '4', 3), TypeError, "output channels.*is '4'"),
    (lambda: L.Convolution2D('4', 5, 3, groups=2), ValueError, 'number of output'),
    (lambda: L.Linear.from_params(np.ones((2, 3), 'f'), np.ones((), 'f')), ValueError,
     'each of 2 outputs, got 1'),
    (lambda: L.Linear.from_params(np.ones((2, 3), 'f'), np.ones(1, 'f')), ValueError,
     'each of 2 outputs, got 1'),
    (lambda: L.Inception(4, 1, 1, 1, 1, 1, 1)(IMAGE[0]), type_check.InvalidType,
     'an axis less than a batch'),
    (lambda: datasets.TransformDataset(None, None)[0], TypeError, 'data set must'),
    (lambda: len(datasets.TransformDataset(None, None)), TypeError, 'data set must'),
    (lambda: datasets.ConcatenatedDataset(None)[0], TypeError, 'data set must.*None'),
    (lambda: len(datasets.ConcatenatedDataset([1], None)), TypeError, 'data set must'),
    (lambda: datasets.ZippedImageDataset(None), AttributeError, 'archive must.*None'),
    (lambda: datasets.MultiZippedImageDataset([3]), TypeError, 'archive must.*is 3'),
    (lambda: chainer.ChainList(None), AttributeError, 'must be a link, but is None'),
    (lambda: L.Linear(2, 2).copyparams(None), AttributeError, 'from a link, but is N'),
    (lambda: _chain().copyparams([]), AttributeError, r'from a link, but is \[\]'),
    (lambda: L.Linear(2, 2).addgrads(None), AttributeError, 'from a link, but is N'),
    (lambda: datasets.TextDataset(None), ValueError, 'needs a path.*got None'),
    (lambda: datasets.TextDataset(3), TypeError, 'needs a path.*got 3'),
    (lambda: datasets.PickleDataset(None), TypeError, 'binary file.*is None'),
    (lambda: dataset.concat_examples(chainer.Variable(IMAGE)), TypeError,
     'list of examples, but is a Variable'),
    (lambda: dataset.concat_examples([]), ValueError, 'batch is empty'),
    (lambda: dataset.concat_examples({}), ValueError, 'batch is empty'),
    (lambda: dataset.ConcatWithAsyncTransfer()(None), ValueError, 'empty: it is None'),
    (lambda: extensions.Evaluator(None, L.Linear(2, 2))(), AttributeError,
     'iterator must.*is None'),
    (lambda: extensions.Evaluator(_Iterator(), None)(), AttributeError,
     'target of an Evaluator.*is None'),
    (lambda: extensions.PrintReport(None), TypeError, 'entries.*list of keys.*is None'),
    (lambda: extensions.PrintReport(['epoch', 1]), TypeError, 'entries.*keys.*is 1'),
    (lambda: training.updaters.ParallelUpdater(
        _Iterator(), chainer.optimizers.SGD().setup(L.Linear(2, 2)), devices=3),
     AttributeError, 'devices must be a dict.*is 3'),
    (lambda: training.updaters.ParallelUpdater(
        None, chainer.optimizers.SGD().setup(L.Linear(2, 2)),
        devices={'main': -1}).update(), TypeError, 'iterator must.*is None'),
    (lambda: L.NStepGRU(1, 2, 2, 0.)([], [np.ones((2, 2), 'f')]), TypeError,
     'incompatible array types'),
    (lambda: L.NStepBiLSTM(1, 2, 2, 0.)(None, .5, [np.ones((2, 2), 'f')]), TypeError,
     'incompatible array types'),
    (lambda: _updater(iterator=None).finalize(), AttributeError, 'iterator must.*None'),
    (lambda: _updater(iterator=None).serialize(serializers.DictionarySerializer()),
     AttributeError, 'iterator must.*None'),
    (lambda: _updater().serialize(None), TypeError, 'needs a serializer.*got None'),
    (lambda: serializers.save_npz('no', [1]), AttributeError, r'serialize.*is \[1\]'),
    (lambda: serializers.save_npz('', L.Linear(2, 2)), FileNotFoundError, 'No such'),
    (lambda: serializers.NpzDeserializer({}).load(None), AttributeError, 'is None'),
    (lambda: serializers.NpzDeserializer(None)('a', None), TypeError, 'but is None'),
    (lambda: chainer.Sequential(len).__setitem__(np.inf, len), ValueError, 'index inf'),
    (lambda: chainer.Sequential(len).insert(np.inf, len), IndexError, 'position inf'),
    (lambda: chainer.Sequential(len).insert(np.nan, len), IndexError, 'position nan'),
    (lambda: _chain().add_link('child', None), AttributeError, 'attribute exists'),
    (lambda: _chain().add_link('other', None), TypeError, 'only a link'),
    (lambda: chainer.backward([], retain_grad=True, other=0), ValueError, 'retain_gr'),
    (lambda: utils.conv.im2col(chainer.Variable(IMAGE), 3, 3, 1, 1, 0, 0), TypeError,
     'made of arrays, but this is a Variable'),
    (lambda: utils.conv_nd.im2col_nd(
        chainer.Variable(IMAGE), (3, 3), (1, 1), (0, 0)), TypeError, 'of arrays'),
    (lambda: utils.conv.col2im(chainer.Variable(COL), 1, 1, 0, 0, 3, 3), TypeError,
     'made of arrays'),
    (lambda: utils.conv_nd.col2im_nd(
        chainer.Variable(COL), (1, 1), (0, 0), (3, 3)), TypeError, 'of arrays'),
    (lambda: utils.conv.im2col(IMAGE[0], 3, 3, 1, 1, 0, 0), ValueError, '4 axes'),
    (lambda: utils.conv.col2im(IMAGE, 1, 1, 0, 0, 3, 3), ValueError, '6 axes'),
    (lambda: utils.conv_nd.im2col_nd(IMAGE[0, 0, 0], (3,), (1,), (0,)), ValueError,
     '2 axes'),
    (lambda: utils.conv_nd.col2im_nd(IMAGE[0, 0, 0], (1,), (0,), (3,)), ValueError,
     '2 axes'),
    (lambda: utils.conv.im2col(IMAGE, 3, 3, 1, 1, 0, np.inf), AssertionError, 'nan'),
    (lambda: utils.conv.col2im(COL, 1, 1, 0, 0, 3, np.inf), TypeError, 'integer'),
    (lambda: utils.conv.col2im(COL, 1, 1, 0, np.nan, 3, 3), TypeError, 'integer'),
    (lambda: Dist.Categorical(ONE).log_prob(np.array(0)), IndexError, 'p must have at'),
    (lambda: Dist.Categorical(ONE).sample(), IndexError, 'p must have at least one'),
    (lambda: Dist.OneHotCategorical(ONE).sample(), IndexError, 'p must have at least'),
    (lambda: Dist.Dirichlet(ONE).sample(), IndexError, 'alpha must have at least one'),
    (lambda: Dist.Dirichlet(ONE).entropy, type_check.InvalidType, 'x.ndim'),
    (lambda: Dist.MultivariateNormal(np.ones(2, 'f'), scale_tril=ONE).entropy,
     type_check.InvalidType, 'x.ndim'),
    (lambda: utils.sum_to(chainer.Variable(IMAGE), (2, 1, 1, 1)), TypeError,
     'functions.sum_to takes variables'),
])
def test_errors_say_what_was_expected(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize('given', [{'n_prefetch': np.nan}, {'n_processes': {}}])
def test_numbers_of_processes_that_stand_for_the_default(given):
    with iterators.MultiprocessIterator(
            [1, 2, 3], 3, shuffle=False, shared_mem=1000, **given) as iterator:
        assert iterator.next() == [1, 2, 3]


@pytest.mark.parametrize('error', [TypeError, AttributeError])
def test_what_chainer_fails_with_is_caught(error):
    with pytest.raises(error):
        training.Trainer(None)


def test_no_error_of_numbers_that_are_not_finite():
    for value in np.inf, -np.inf, np.nan:
        assert np.array_equal(_numbers.whole(value), value, equal_nan=True)
        assert np.array_equal(
            _numbers.whole(np.float16(value)), value, equal_nan=True)


@pytest.mark.parametrize('dtype', ['i1', 'u1', 'i2'])
class TestSmallIntegers:

    def test_an_array_of_one_index(self, dtype):
        subset = datasets.SubDataset([1, 2, 3], 0, 2)
        assert subset.get_example(np.array([1], dtype)) == 2
        with pytest.raises(IndexError, match='out of range: 5, of 2 examples'):
            subset.get_example(np.array([5], dtype))

    def test_periods(self, dtype):
        trigger = triggers.IntervalTrigger(np.dtype(dtype).type(100), 'iteration')
        trainer = chainer.testing.get_trainer_with_mock_updater((400, 'iteration'))
        fired = []
        trainer.extend(lambda trainer: fired.append(trainer.updater.iteration),
                       name='note', trigger=trigger)
        trainer.run()
        assert fired == [100, 200, 300, 400]

    @pytest.mark.parametrize('make', [
        lambda K: extensions.StepShift('lr', .5, K(100)),
        lambda K: extensions.WarmupShift('lr', K(0), K(120), K(100)),
        lambda K: extensions.InverseShift('lr', .5, K(2)),
        lambda K: extensions.PolynomialShift('lr', K(2), K(120))])
    def test_shifts(self, dtype, make):
        class Trainer:
            pass

        values = []
        for number in int, np.dtype(dtype).type:
            optimizer = chainer.optimizers.SGD(1.).setup(L.Linear(2, 2))
            trainer = Trainer()
            trainer.updater = Trainer()
            trainer.updater.get_optimizer = lambda name, given=optimizer: given
            shift = make(number)
            shift.initialize(trainer)
            values.append([])
            for _ in range(300):
                shift(trainer)
                values[-1].append(optimizer.lr)
        assert values[0] == values[1]

    def test_bounds_of_renormalization(self, dtype):
        def normalize(number):
            return F.batch_renormalization(
                np.arange(12, dtype='f').reshape(4, 3), np.ones(3, 'f'),
                np.zeros(3, 'f'), rmax=number(3), dmax=number(2),
                running_mean=np.full(3, 5, 'f'), running_var=np.ones(3, 'f')).array
        np.testing.assert_array_equal(normalize(np.dtype(dtype).type), normalize(int))

    def test_counts_of_words(self, dtype):
        tree = L.BinaryHierarchicalSoftmax.create_huffman_tree
        count = np.dtype(dtype).type
        words = {0: 100, 1: 100, 2: 120}
        assert tree({k: count(n) for k, n in words.items()}) == tree(words)

    def test_numbers_for_both_axes(self, dtype):
        one = np.dtype(dtype).type
        given = dict(stride=one(1), pad=one(100), dilate=one(60))
        plain = {name: int(value) for name, value in given.items()}
        assert F.convolution_2d(IMAGE, FILTERS, **given).shape == (
            F.convolution_2d(IMAGE, FILTERS, **plain).shape)
        assert F.convolution_nd(IMAGE, FILTERS, **given).shape == (
            F.convolution_nd(IMAGE, FILTERS, **plain).shape)
        assert L.Convolution2D(one(4), one(100), one(3)).W.shape == (100, 4, 3, 3)
        assert F.im2col(IMAGE, one(3)).shape == F.im2col(IMAGE, 3).shape
