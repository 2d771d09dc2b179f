"""parity.py with this package on both sides, and its table."""
import os
import sys

import numpy as np
import pytest

from compat import parity
from tests.compat import processes


def sides(ours, ours_exact, draw=.5):
    def made(losses, draw=.5):
        return {'losses_0': np.array([[9.], [losses]]), 'draw_0': draw,
                'parameters_0': np.array([losses, 1])}

    return {('ours', 'f'): made(ours), ('Chainer', 'f'): made(4.004),
            ('ours', 'd'): made(ours_exact, draw), ('Chainer', 'd'): made(4.)}


def test_table(capsys):
    row = parity.compare(sides(4.002, 4. + 1e-11), 1)
    assert row['float64'] == pytest.approx(2.5e-12, rel=1e-3)
    assert row['losses'] == pytest.approx([.0005, .001])
    assert parity.report({'x': row})
    assert capsys.readouterr().out.splitlines()[-1] == (
        '| x | 2.5e-12 | 5.0e-04 | 1.0e-03 | 0.50 | 5.0e-04 | 1.0e-03 | 0.50 | same |')


@pytest.mark.parametrize('found', [
    sides(4.02, 4.), sides(4.002, 4. + 1e-8), sides(4.002, 4., draw=.25),
    sides(4.002, np.nan)])
def test_what_is_not_equal(found, capsys):
    assert not parity.report({'x': parity.compare(found, 1)})


def test_all_trainings_run():
    text = processes.run(
        '-c', RUN, cwd=os.path.join(processes.COMPAT, 'trainings')).splitlines()
    assert [line.split()[0] for line in text] == list(parity.NAMES)
    for line in text:
        name, dtypes, first, last = line.split()
        assert dtypes == 'float64'
        assert np.isfinite([float(first), float(last)]).all(), name
        assert first != last, name


RUN = '''
import chainer_fast.alias
chainer_fast.alias.install()
import numpy as np, small_examples as examples, sys, tempfile
sys.path.insert(0, '..')
from parity import write_data
with tempfile.NamedTemporaryFile(suffix='.npz') as f:
    write_data(f.name)
    data = dict(np.load(f.name))
for name, make in examples.EXAMPLES.items():
    np.random.seed(0)
    with examples.chainer.using_config('dtype', np.dtype('d')):
        step, models = make(data, 'd')
        first = step()
        for _ in range(8):
            last = step()
    dtypes = {str(param.dtype) for model in models for param in model.params()}
    print(name, *dtypes, first[-1], last[-1])
'''


def test_command(tmp_path):
    # In place of an interpreter with the released Chainer.
    python = tmp_path / 'python'
    python.write_text('#!/bin/sh\nshift 2\nPYTHONPATH=%s exec %s -m chainer_fast "$@"\n'
                      % (processes.ROOT, sys.executable))
    python.chmod(0o755)
    text = processes.run(
        'compat/parity.py', python, '--only', 'ptb', '--steps', '2', '--seeds', '1',
        cwd=processes.ROOT)
    assert text.splitlines()[-1].startswith('| ptb | 0.0e+00 |')
