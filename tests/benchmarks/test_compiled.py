"""Steps beside compilers: they train, agree, and tell what was refused."""
import numpy as np
import pytest

from benchmarks import compare
from tests.compat import processes

STEPS = '''
import sys
sys.path.insert(0, 'benchmarks')
import chainer_fast
from compiled import cases
for key in cases.TITLES:
    for kind in 'chainer', 'static':
        step = getattr(cases, kind + '_step')(chainer_fast, key, tiny=True)
        found = [loss.mean() for loss in step.check()]
        print(key, kind, getattr(step, 'refused', str)() or '-', *found, sep='|')
'''


@pytest.fixture(scope='module')
def losses():
    """Losses by workload and kind.

    In a process of its own, as the steps import ``chainer``.
    """
    lines = processes.run('-c', STEPS, cwd=processes.ROOT).splitlines()
    return {(key, kind): (refused, np.array(found, float))
            for key, kind, refused, *found in [line.split('|') for line in lines]}


def test_steps_train_and_static_ones_compute_the_same(losses):
    assert {key for key, _ in losses} == set(compare.GROUPS['compiled'].TITLES)
    for (key, kind), (refused, found) in losses.items():
        np.testing.assert_allclose(found, losses[key, 'chainer'][1], rtol=1e-4)
        if key not in ('C.small', 'C.residual'):
            assert found[0] > found[1] > found[2], key
        if kind == 'chainer':
            assert refused == '-'


@pytest.mark.parametrize('name', ['torch', 'jax'])
def test_others_compute_the_same(name, losses):
    library = pytest.importorskip(name)
    group = compare.GROUPS['compiled']
    for key in group.TITLES:
        found = getattr(group, name + '_step')(library, key, tiny=True).check()
        expected = losses[key, 'chainer'][1]
        np.testing.assert_allclose(
            [loss.mean() for loss in found], expected, rtol=1e-3, err_msg=key)


def test_losses_that_differ_are_refused():
    assert compare.agree([[1., 2.]], [[1., 2.0001]])
    assert not compare.agree([[1., 2.]], [[1., 2.01]])
    assert not compare.agree([[1., np.nan]], [[1., 2.]])


def test_rows_of_compilers(capsys):
    kinds = {'chainer_fast': .2, 'static': .1, 'torch': .3, 'jax': .15}
    times = {compare.Side(name, 'python', 1): [taken] * 3
             for name, taken in kinds.items()}
    starts = {compare.Side('static', 'python', 1): {'seconds': 2., 'refused': 'no way'},
              compare.Side('jax', 'python', 1): {'seconds': 1.25, 'refused': ''}}
    rows = compare.rows_of('C.lstm_cells', times, {}, starts)
    plain, = rows['chainer_fast']
    assert (plain['ours'], plain['PyTorch'], plain['jax.jit'], plain['met']) == (
        '200.0 ms', '1.50 (1.2)', '0.75 (1.3)', 'no')
    assert plain['compiling'] == 'jax.jit 1.2 s'
    static, = rows['static']
    heads = 'ours', 'chainer_fast', 'jax.jit', 'met'
    assert [static[head] for head in heads] == [
        '100.0 ms', '2.00 (0.98)', '1.50 (1.3)', 'yes']
    assert static['compiling'] == 'static_graph refused: no way, jax.jit 1.2 s'
    compare.table.show(rows['static'], 'static')
    heads = [head.strip() for head in capsys.readouterr().out.split('|')[1:9]]
    assert heads == ['workload', 'threads', 'static_graph', 'chainer_fast', 'PyTorch',
                     'jax.jit', 'met', 'compiling']


@pytest.mark.parametrize('key', ['C.perceptron', 'B.transformer'])
def test_what_takes_long_runs_only_if_it_is_asked_for(key, monkeypatch):
    monkeypatch.setattr('sys.argv', ['compare.py'])
    assert key not in compare.parse_args().workloads
    monkeypatch.setattr('sys.argv', ['compare.py', key])
    assert compare.parse_args().workloads == [key]


def test_sides_have_the_threads_they_are_told():
    jax = compare.Side('jax', 'python', 1).environment
    assert 'intra_op_parallelism_threads=1' in jax['XLA_FLAGS']
    assert not compare.Side('jax', 'python', 2).environment['XLA_FLAGS']
    assert jax['OMP_NUM_THREADS'] == '1'


LARGE = '''
import sys
sys.path.insert(0, 'benchmarks')
import chainer_fast
from large import cases
for key in 'B.transformer', 'B.transformer:forget':
    losses, = cases.chainer_step(chainer_fast, key, tiny=True).check()
    print(*losses)
'''


def test_what_is_forgotten_is_computed_again():
    plain, forgotten = [
        np.array(line.split(), float)
        for line in processes.run('-c', LARGE, cwd=processes.ROOT).splitlines()]
    np.testing.assert_allclose(plain, forgotten, rtol=1e-5)
    assert plain[0] > plain[1] > plain[2]
