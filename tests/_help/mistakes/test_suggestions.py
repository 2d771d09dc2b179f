import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast import testing
from chainer_fast._help import mistakes

IMAGE = np.zeros((1, 2, 4, 4), np.float32)


@pytest.mark.parametrize('call, message', [
    # An argument that the signature hides.
    (lambda: L.Convolution2D(2, 2, 3, dilated=2),
     "Convolution2D.__init__() got unexpected keyword argument(s) 'dilated'; "
     "did you mean 'dilate'?"),
    (lambda: L.Convolution2D(2, 2, kernel_size=3),
     "Convolution2D.__init__() got unexpected keyword argument(s) 'kernel_size'; "
     "did you mean 'ksize'?"),
    (lambda: L.Linear(3, 2, qqq=1),
     "Linear.__init__() got unexpected keyword argument(s) 'qqq'"),
    (lambda: F.dropout(IMAGE, p=.5),
     "dropout() got unexpected keyword argument(s) 'p'; did you mean 'ratio'?"),
    (lambda: chainer.Variable(IMAGE, require_grad=False),
     "Variable.__init__() got unexpected keyword argument(s) 'require_grad'; "
     "did you mean 'requires_grad'?"),
    (lambda: chainer.backward([chainer.Variable(IMAGE)], retain_grads=True),
     "backward() got unexpected keyword argument(s) 'retain_grads'; "
     "did you mean 'retain_grad'?")])
def test_arguments(call, message):
    with pytest.raises(TypeError) as info:
        call()
    assert str(info.value) == message


def test_class_that_has_the_argument_is_named():
    class Own(L.Linear):
        def __init__(self, **kwargs):
            super().__init__(3, 2, **kwargs)

    with pytest.raises(TypeError, match=r'^Linear\.__init__\(\) .* .nobias.\?$'):
        Own(nobais=True)


@pytest.mark.parametrize('name, expected', [
    ('main/los', 'main/loss'), ('mian/loss', 'main/loss'), ('main/loss', None),
    ('main/losses', None), ('val/main/loss', None), ('epoch', None)])
def test_nearest(name, expected):
    assert mistakes.nearest(name, ['main/loss', 'main/accuracy']) == expected


class TestShapes:
    @pytest.mark.parametrize('groups, x, words', [
        (1, np.zeros((1, 4, 4, 2), 'f'), 'x.transpose(0, 3, 1, 2)'),
        (2, np.zeros((1, 6, 6, 4), 'f'), 'x.transpose(0, 3, 1, 2)'),
        (1, IMAGE[0], 'x[None]'),
        (1, IMAGE[:, :1], 'The images have 1 channels and the filters take 2')])
    def test_images(self, groups, x, words):
        with pytest.raises(chainer.utils.type_check.InvalidType) as info:
            F.convolution_2d(x, np.zeros((4, 2, 3, 3), 'f'), groups=groups)
        assert words in str(info.value)

    def test_volume(self):
        with pytest.raises(chainer.utils.type_check.InvalidType, match=r'x\[:, None\]'):
            F.convolution_nd(
                np.zeros((1, 4, 4, 4), 'f'), np.zeros((1, 1, 3, 3, 3), 'f'))

    @pytest.mark.parametrize('batch, words', [
        ([{'a': np.zeros(2)}, {'a': np.zeros(3)}],
         "element 'a' of example 1 has the shape (3,)"),
        ([np.zeros(2), 1.], 'example 1 has the shape (), but example 0 has (2,)')])
    def test_examples(self, batch, words):
        with pytest.raises(ValueError) as info:
            chainer.dataset.concat_examples(batch)
        assert words in str(info.value)

    def test_other_failures_stay_as_they_are(self):
        with pytest.raises(KeyError) as info:
            chainer.dataset.concat_examples([{'a': 1}, {'b': 1}])
        assert info.value.args == ('a',)
        assert info.value.__context__ is None

    def test_examples_of_other_kinds(self):
        with pytest.raises(TypeError) as info:
            chainer.dataset.concat_examples([(1, 2), 3])
        assert 'subscriptable' in str(info.value)


class TestTraining:

    @pytest.mark.parametrize('get, words', [
        (lambda updater: updater.get_optimizer('main'),
         "there is no optimizer 'main'; there are 'gen'"),
        (lambda updater: updater.get_iterator('test'),
         "there is no iterator 'test'; there are 'main'")])
    def test_names_of_an_updater(self, get, words):
        updater = chainer.training.updaters.StandardUpdater(
            chainer.iterators.SerialIterator([1], 1),
            {'gen': chainer.optimizers.SGD().setup(L.Linear(1, 1))})
        with pytest.raises(KeyError) as info:
            get(updater)
        assert words in said_by(info.value)

    def test_values_of_a_trigger(self):
        trainer = testing.get_trainer_with_mock_updater((1, 'epoch'))
        trainer.observation = {'validation/main/loss': 1}
        trainer.updater.update()
        trigger = chainer.training.triggers.MinValueTrigger('val/loss', lambda _: True)
        with pytest.raises(KeyError) as info:
            trigger(trainer)
        assert ("MinValueTrigger: nothing was reported as 'val/loss' since the last "
                'check; the observation has '
                'validation/main/loss') in said_by(info.value)


def said_by(error):
    return '\n'.join([str(error), *getattr(error, '__notes__', ())]).replace('\\', '')
