"""Devices of updaters, evaluators and converters as numbers, as up to version 5."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import legacy, training
from chainer_fast import links as L
from chainer_fast.backends import cuda
from chainer_fast.dataset import convert
from chainer_fast.training import extensions

DATA = [(np.ones(3, np.float32), np.int32(0))] * 4
#: What programs asked of a device of the processor, and what they got.
QUESTIONS = {
    'device < 0': True, 'device <= -1': True, 'device > 0': False, 'device >= 0': False,
    'device == -1': True, 'device != 0': True, '-1 == device': True,
    '0 <= device': False, 'device is None': False, 'int(device)': -1,
    "'%d' % device": '-1', "'{:3d}'.format(device)": ' -1', 'device + 1': 0,
    '2 - device': 3, "{-1: 'cpu', 0: 'gpu'}[device]": 'cpu', '[3, 4][device]': 4,
    'np.array([3, 4])[device]': 4, 'device == np.int64(-1)': True,
    'min(device, 0)': -1, 'hash(device) == hash(-1)': True}


def iterator(repeat=True):
    return chainer.iterators.SerialIterator(DATA, 2, repeat=repeat, shuffle=False)


def updater(device, cls=training.StandardUpdater, **options):
    model = L.Classifier(L.Linear(3, 2))
    return cls(iterator(), chainer.optimizers.SGD().setup(model), device=device,
               **options)


def evaluator(device, **options):
    return extensions.Evaluator(
        iterator(False), L.Classifier(L.Linear(3, 2)), device=device, **options)


@pytest.mark.parametrize('parts', [(), ('v1',), ('v5',), ('v3', 'numpy')])
@pytest.mark.parametrize('make', [updater, evaluator])
@pytest.mark.parametrize('question', QUESTIONS)
def test_devices_answer_as_numbers(enable, parts, make, question):
    enable(*parts)
    device = make(-1).device
    answer = eval(question, {'device': device, 'np': np})
    assert answer == QUESTIONS[question]
    assert type(answer) in (type(QUESTIONS[question]), np.bool_, np.int64) or (
        question == 'min(device, 0)')


@pytest.mark.parametrize('make', [updater, evaluator])
def test_devices_are_numbers_if_the_version_is_named(enable, make):
    enable('v5')
    assert type(make(-1).device) is int
    assert make(None).device is None
    legacy.disable()
    enable()
    assert make(-1).device == chainer.get_device('@numpy')
    assert make(-1).device.xp is np


@pytest.mark.parametrize('parts', [(), ('v2',)])
@pytest.mark.parametrize('device', [-1, None])
def test_converters_that_compare(enable, parts, device):
    enable(*parts)
    seen = []

    def converter(batch, device):
        seen.append(device is None or device < 0)
        return chainer.dataset.concat_examples(batch, device)

    class Updater(training.StandardUpdater):

        def update_core(self):
            self.converter(self.get_iterator('main').next(), self.device)
            super().update_core()

    made = updater(device, Updater, converter=converter)
    made.update()
    evaluator(device, converter=converter)()
    assert seen == [True] * 4


@pytest.mark.parametrize('parts', [(), ('v4',)])
def test_classes_that_call_no_constructor(enable, parts):
    enable(*parts)

    class Updater(training.StandardUpdater):

        def __init__(self, iterator, optimizer, device):
            self._iterators, self._optimizers = (
                {'main': iterator}, {'main': optimizer})
            self.converter, self.device = convert.concat_examples, device
            self.loss_func, self.iteration = None, 0

    class Evaluator(extensions.Evaluator):

        def __init__(self, iterator, target, device):
            self._iterators, self._targets = {'main': iterator}, {'main': target}
            self.converter, self.device = convert.concat_examples, device
            self.eval_hook = self.eval_func = None

    made = updater(-1, Updater)
    made.update()
    made.update()
    assert (made.epoch, made.iteration, int(made.device)) == (1, 2, -1)
    evaluated = Evaluator(iterator(False), made.get_optimizer('main').target, -1)
    assert evaluated().keys() == {'main/loss', 'main/accuracy'}


def test_numbers_that_are_set_later(enable):
    enable()
    made = evaluator(None)
    made.device = -1
    assert made() and made.device == -1


def test_the_dummy_device(enable):
    enable()
    dummy = cuda.DummyDevice
    assert dummy < 0 and not dummy >= 0 and int(dummy) == -1
    assert dummy != -1      # it was equal to no number
    assert {dummy: 1}[dummy] == 1


def test_devices_without_legacy_mode():
    device = chainer.get_device('@numpy')
    assert device != -1
    with pytest.raises(TypeError):
        assert device < 0
    with pytest.raises(TypeError):
        int(device)
    with pytest.raises(TypeError):
        hash(cuda.DummyDevice)


def test_devices_compare_with_nothing_else(enable):
    enable()
    device = chainer.get_device('@numpy')
    assert device != '@numpy' and device != True and device != -1.5     # noqa: E712
    with pytest.raises(TypeError):
        assert device < 'gpu'
    assert str(device) == f'{device}' == '@numpy'


@pytest.mark.parametrize('parts', [('cpu',), ('v1', 'cpu')])
@pytest.mark.host
def test_a_gpu_that_is_not_there(enable, parts):
    enable(*parts)
    made = updater(1, converter=lambda batch, device: cuda.to_gpu(
        chainer.dataset.concat_examples(batch), device) if device >= 0 else None)
    assert made.device == 1 and made.device >= 0
    made.update()
    with cuda.get_device_from_id(made.device):
        assert chainer.get_device(1) == chainer.get_device('@numpy')


@pytest.mark.gpu
@pytest.mark.filterwarnings('ignore::DeprecationWarning')
def test_numbers_of_gpus(enable):
    enable()
    device = updater(0).device
    assert device == 0 and device >= 0 and int(device) == 0 and {0: 1}[device]
    assert cuda.get_device(device) == cuda.Device(0)
    assert cuda.get_device_from_id(device) == cuda.Device(0)
    assert cuda.to_gpu(np.ones(2), device).device == cuda.Device(0)
    assert L.Linear(2, 1).to_gpu(device).device == chainer.get_device('@cupy:0')
    legacy.disable()
    enable('v1')
    assert updater(0).device == 0 and type(updater(0).device) is int
