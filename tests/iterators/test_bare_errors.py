"""Errors of iterators without data, and of data sets that end the loop."""
import pytest

import chainer_fast as chainer
from chainer_fast import iterators, training
from chainer_fast.training import extensions
from tests.iterators.processes import forked_workers

ITERATORS = {
    'serial': iterators.SerialIterator,
    'threads': iterators.MultithreadIterator,
    'processes': lambda *args, **kwargs: iterators.MultiprocessIterator(
        *args, n_processes=1, **kwargs),
    'processes alone': lambda *args, **kwargs: iterators.MultiprocessIterator(
        *args, n_processes=1, shared_mem=100, **kwargs),
}
every_iterator = pytest.mark.parametrize('make', ITERATORS.values(), ids=ITERATORS)


class Words(chainer.dataset.Iterator):
    """An iterator as examples of language models have it."""

    epoch = current_position = 0
    is_new_epoch = False
    epoch_detail = property(lambda self: 0 / 0)

    def reset(self):
        pass

    def __next__(self):
        raise StopIteration


def both():
    # Chainer divides by zero; a wrong value is a ValueError.
    return [pytest.raises(error, match='no examples')
            for error in (ZeroDivisionError, ValueError)]


@every_iterator
@pytest.mark.parametrize('repeat', [True, False])
@pytest.mark.parametrize('shuffle', [True, False])
def test_no_examples(make, repeat, shuffle):
    for raises in both():
        with make([], 2, repeat, shuffle) as iterator, raises:
            iterator.next()
    with make([], 2, repeat, shuffle) as iterator, pytest.raises(
            ZeroDivisionError, match=r'Iterator has no examples: its data set \(a l'):
        _ = iterator.epoch_detail


@every_iterator
@pytest.mark.parametrize('progress_bar', [True, False])
def test_evaluator_without_examples(make, progress_bar):
    model = chainer.links.Classifier(chainer.links.Linear(3, 2))
    for raises in both():
        evaluator = extensions.Evaluator(
            make([], 2, repeat=False, shuffle=False), model, progress_bar=progress_bar)
        evaluator.name = 'test_set'
        with raises as caught:
            evaluator()
        assert "'test_set'" in str(caught.value)
        evaluator.finalize()


def test_evaluator_of_an_iterator_that_ends_at_once():
    assert extensions.Evaluator(Words(), chainer.Chain())() == {}
    assert extensions.Evaluator(Words(), chainer.Chain(), progress_bar=True)() == {}


@pytest.mark.parametrize('make', [
    *ITERATORS.values(), lambda *args: Words()], ids=[*ITERATORS, 'own'])
@pytest.mark.parametrize('unit', ['epoch', 'iteration'])
def test_trainer_without_examples(make, unit, tmp_path, capsys):
    model = chainer.links.Classifier(chainer.links.Linear(3, 2))
    trainer = training.Trainer(
        training.updaters.StandardUpdater(
            make([], 2), chainer.optimizers.SGD().setup(model)),
        (1, unit), out=str(tmp_path))
    trainer.extend(extensions.ProgressBar())
    with pytest.raises(ZeroDivisionError, match='has no examples'):
        trainer.run()


class Ends:
    """A data set that takes its third example from something that is over."""

    def __len__(self):
        return 6

    def __getitem__(self, i):
        return next(iter([])) if i == 2 else i


@every_iterator
@pytest.mark.parametrize('size', [1, 2, 4])
def test_a_data_set_cannot_end_the_loop(make, size):
    with forked_workers(), make(Ends(), size, repeat=False, shuffle=False) as iterator:
        found = []
        with pytest.raises(RuntimeError, match='Ends raised StopIteration'):
            for batch in iterator:
                found += batch
        assert found == [0, 1][:2 // size * size]


@every_iterator
def test_part_of_a_data_set_cannot_end_the_loop(make):
    data = chainer.datasets.TupleDataset(range(6), Ends())
    with make(data, 4, repeat=False, shuffle=False) as iterator, pytest.raises(
            RuntimeError, match='raised StopIteration'):
        iterator.next()


@every_iterator
def test_an_order_sampler_cannot_end_the_loop(make):
    orders = iter([[0, 1]])
    iterator = make([0, 1], 2, order_sampler=lambda order, position: next(orders))
    with iterator, pytest.raises(RuntimeError, match='sampler raised StopIteration'):
        while True:
            iterator.next()
