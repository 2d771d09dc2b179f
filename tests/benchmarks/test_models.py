"""The benchmark of models trains, and its tables say what was measured."""
import numpy as np
import pytest

from benchmarks import compare
from tests.compat import processes

STEPS = '''
import sys
sys.path.insert(0, 'benchmarks')
import chainer_fast
from models import cases
for key in cases.TITLES:
    losses, = cases.chainer_step(chainer_fast, key, tiny=True).check()
    print(key, *losses)
'''


def test_steps_train():
    # In a process of its own, as the steps import ``chainer``.
    lines = processes.run('-c', STEPS, cwd=processes.ROOT).splitlines()
    found = {key: [float(loss) for loss in losses]
             for key, *losses in map(str.split, lines)}
    assert list(found) == list(compare.GROUPS['models'].TITLES)
    first, *others = found.pop('M.resnet50_predict')
    assert others == [first, first]
    assert first > 0
    for key, losses in found.items():
        assert np.isfinite(losses).all()
        assert losses[0] > losses[1] > losses[2], key


def test_words_are_sampled_as_often_as_they_should_be():
    """The alias table, which PyTorch's side uses, has the probabilities asked for."""
    from models import data
    weights = np.array([1., 5., 2., 0.5, 1.5])
    threshold, values = data.alias_table(weights)
    found = threshold.astype('d')
    for i, value in enumerate(values):
        found[value] += 1 - threshold[i]
    np.testing.assert_allclose(found / 5, weights / 10, rtol=1e-6)



@pytest.mark.parametrize('theirs, cells', [
    ([.03, .04, .03], ('1.50 (1)', 'yes')), ([.01, .04, .02], ('0.67 (1)', 'no'))])
def test_a_row_has_the_median_of_ratios_within_rounds(theirs, cells):
    found = compare.table.row(
        'a', {'chainer_fast': [.02, .02, .03], 'torch': theirs}, {'torch': 1}, '%.2f s')
    assert (found['PyTorch'], found['met']) == cells
    assert found['ours'] == '0.02 s'


def test_rows_by_threads_and_by_side(capsys):
    times = {
        compare.Side(name, 'python', threads): [seconds / threads] * 3
        for name, seconds in (('chainer_fast', .2), ('torch', .3), ('onednn', .15))
        for threads in (1, 2)}
    peaks = {side: int(2 ** 20 * 10 * side.threads) for side in times}
    rows = compare.rows_of('M.cnn', times, peaks, {})
    assert [(cells['threads'], cells['ours'], cells['PyTorch'], cells['MiB'])
            for own in ('chainer_fast', 'onednn') for cells in rows[own]] == [
        ('1', '200.0 ms', '1.50 (1)', '10 / 10'),
        ('2', '100.0 ms', '1.50 (1)', '20 / 20'),
        ('1', '150.0 ms', '2.00 (1.2)', '10 / 10'),
        ('2', '75.0 ms', '2.00 (1.2)', '20 / 20')]
    compare.table.show(rows['onednn'])
    lines = capsys.readouterr().out.splitlines()
    assert [len(line) for line in lines] == [len(lines[0])] * 4
    assert lines[0].split()[1:-1:2] == [
        'workload', 'threads', 'chainer_fast', 'PyTorch', 'met', 'MiB']


def test_environment_of_a_side(monkeypatch):
    monkeypatch.setenv('CHAINER_USE_IDEEP', 'always')
    plain, library = [
        compare.Side(name, 'python', 2).environment for name in ('torch', 'onednn')]
    assert 'CHAINER_USE_IDEEP' not in plain
    assert library['CHAINER_USE_IDEEP'] == 'auto'
    assert plain['OMP_NUM_THREADS'] == library['OPENBLAS_NUM_THREADS'] == '2'
