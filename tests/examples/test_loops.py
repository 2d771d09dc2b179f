"""Examples with loops of their own: the gradient penalty, and a pole on a cart."""
import pytest

from tests.examples import runs

pytest.importorskip('matplotlib')


def test_wgan_gp(tmp_path):
    text = runs.run('wgan_gp/train_wgan_gp.py', '--out', tmp_path, '--iteration', '800',
                    '--unit', '32')
    line = [line for line in text.splitlines() if line.startswith('iteration 800')][0]
    # Points spread evenly over the square would put 11 % near a centre.
    assert runs.number(r'(\d+)% of the points', line) > 20
    counts = list(map(int, line.rpartition(':')[2].split()))
    assert len(counts) == 8
    assert min(counts) > 10
    assert runs.is_png(tmp_path / 'points.png')


def test_dqn(tmp_path):
    arguments = '--out', tmp_path, '--unit', '48', '--batchsize', '32'
    text = runs.run('dqn/train_dqn.py', '--steps', '4000', *arguments)
    # By chance the pole falls after some 20 steps.
    length = runs.number(r'episodes last (\S+) of', text)
    assert length > 60
    assert runs.is_png(tmp_path / 'return.png')
    again = runs.run('dqn/train_dqn.py', '--steps', '0', '--resume',
                     tmp_path / 'model.npz', *arguments)
    length_again = runs.number(r'episodes last (\S+) of', again)
    assert length_again == pytest.approx(length, rel=.2)
