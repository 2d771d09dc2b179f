import numpy
import pytest

import chainer_fast as chainer
from chainer_fast import iterators
from chainer_fast.mn.extensions import (
    GenericMultiNodeEvaluator,
    create_multi_node_evaluator,
)
from chainer_fast.training.extensions import Evaluator

pytestmark = pytest.mark.mpi


def serial(dataset, batch_size=2):
    return iterators.SerialIterator(dataset, batch_size, repeat=False, shuffle=False)


class Model(chainer.Chain):
    def forward(self, x):
        chainer.report({'mean': chainer.functions.mean(x), 'length': len(x)}, self)


class Fixed(Evaluator):
    """Evaluator with a given result."""

    result: dict

    def evaluate(self):
        return self.result


def fixed(comm, **result):
    evaluator = Fixed(serial([]), Model())
    evaluator.result = result
    return create_multi_node_evaluator(evaluator, comm)


def test_means_of_all_processes(comm):
    data = numpy.arange(6, dtype='f').reshape(-1, 1) + comm.rank
    original = Evaluator(serial(data, 3), Model())
    evaluator = create_multi_node_evaluator(original, comm)
    assert evaluator is original
    for _ in range(2):
        assert evaluator() == {
            'main/mean': 2.5 + (comm.size - 1) / 2, 'main/length': 3}


def test_values(comm):
    rank, mean = comm.rank, (comm.size - 1) / 2
    pairs = {'x': float(rank), 'i': rank, 'a': numpy.arange(2.) + rank,
             's': numpy.float32(rank)}
    # The order in which a process lists its values does not matter.
    order = pairs if rank % 2 else reversed(pairs)
    result = fixed(comm, **{key: pairs[key] for key in order}).evaluate()
    assert list(result) == ['a', 'i', 's', 'x']
    numpy.testing.assert_allclose(result.pop('a'), numpy.arange(2) + mean)
    assert result == {'i': mean, 's': mean, 'x': mean}


def test_different_keys(comm):
    first = comm.rank == 0
    evaluator = fixed(comm, **({'x': 1., 'y': 2.} if first else {'x': 1.}))
    if comm.size == 1:
        assert evaluator.evaluate() == {'x': 1., 'y': 2.}
    else:
        with pytest.raises(ValueError, match=r"\['x', 'y'\] and \['x'\]"):
            evaluator.evaluate()


def test_process_without_data(comm):
    evaluator = fixed(comm, **({'x': 1.} if comm.rank == 0 else {}))
    if comm.size > 1:
        with pytest.raises(ValueError, match=r"\['x'\] and \[\]"):
            evaluator.evaluate()
    assert fixed(comm).evaluate() == {}


def test_wrapped_twice(comm):
    evaluator = create_multi_node_evaluator(fixed(comm, x=1. + comm.rank), comm)
    assert evaluator.evaluate() == {'x': 1 + (comm.size - 1) / 2}


class Square(chainer.Chain):
    def forward(self, x):
        return (x ** 2).tolist()


@pytest.mark.parametrize('last', [False, True])
@pytest.mark.parametrize('length', [0, 1, 7, 8, 9, 17])
def test_results_of_all_processes_in_order(comm, length, last):
    root = comm.size - 1 if last else 0
    data = [100. * comm.rank + i for i in range(length + comm.rank)]
    evaluator = GenericMultiNodeEvaluator(comm, serial(data, 1), Square(), root=root)
    for _ in range(2):
        results = evaluator(None)
        if comm.rank != root:
            assert results is None
            continue
        assert results == [
            [(100. * rank + i) ** 2] for i in range(length + comm.size)
            for rank in range(comm.size) if i < length + rank]


def test_arguments_of_the_model(comm):
    class Arguments(GenericMultiNodeEvaluator):
        def calc_local(self, *args, **kwargs):
            return len(args), sorted(kwargs)

    for data, expected in [
            ([(1, 2), (3, 4)], (2, [])), ([1, 2], (1, [])),
            ([{'a': 1, 'b': 2}] * 2, (0, ['a', 'b']))]:
        results = Arguments(comm, serial(data), Square())(None)
        assert results in (None, [expected] * comm.size)


def test_no_graph_and_configuration(comm):
    class Configured(GenericMultiNodeEvaluator):
        def calc_local(self, x):
            return chainer.config.enable_backprop, chainer.config.train

    results = Configured(comm, serial([1.]), Square())(None)
    assert results in (None, [(False, True)] * comm.size)


def test_none_is_left_out(comm):
    class Some(GenericMultiNodeEvaluator):
        def calc_local(self, x):
            return None if x[0] % 2 else int(x[0])

        def aggregate(self, results):
            return sum(results)

    evaluator = Some(comm, serial(list(range(20)), 1), Square())
    assert evaluator(None) == (90 * comm.size if comm.rank == 0 else None)


def test_iterator_without_reset(comm):
    class Twice:
        count = 0

        def __iter__(self):
            return self

        def __next__(self):
            self.count += 1
            if self.count > 2:
                raise StopIteration
            return [float(self.count)]

    evaluator = GenericMultiNodeEvaluator(comm, Twice(), Square())
    for _ in range(2):
        results = evaluator(None)
        if comm.rank == 0:
            assert results == [[1.]] * comm.size + [[4.]] * comm.size


def test_progress_hook(comm):
    seen = []
    GenericMultiNodeEvaluator(
        comm, serial([1., 2., 3.]), Square(), progress_hook=seen.append)(None)
    assert seen == ([[1., 2.], [3.]] if comm.rank == 0 else [])


def test_unknown_argument(comm):
    with pytest.raises(TypeError, match='nonsense'):
        GenericMultiNodeEvaluator(comm, serial([]), Square(), nonsense=1)
