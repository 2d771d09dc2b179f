"""Examples of networks that read or draw digits."""
import json

import pytest

from tests.examples import runs

pytest.importorskip('sklearn')
pytest.importorskip('matplotlib')


def read_log(folder):
    return json.loads((folder / 'log').read_text())


def resumes(script, out, epoch, *arguments):
    """Go on for one epoch after the snapshot in a folder, and return the log."""
    before = read_log(out)
    runs.run(script, '--out', out, '--resume', out / ('snapshot_epoch_%d' % epoch),
             '--epoch', epoch + 1, *arguments)
    after = read_log(out)
    assert after[:-1] == before
    assert after[-1]['epoch'] == epoch + 1
    return after


def test_cnn(tmp_path):
    arguments = '--batchsize', '32'
    text = runs.run('cnn/train_cnn.py', '--out', tmp_path, '--epoch', '4', *arguments)
    assert runs.number(r'read correctly: (\S+)', text) > .95
    assert runs.is_png(tmp_path / 'hardest.png')
    assert runs.is_png(tmp_path / 'accuracy.png')
    log = resumes('cnn/train_cnn.py', tmp_path, 4, *arguments)
    assert log[-1]['main/loss'] < log[0]['main/loss'] / 3


def test_vae(tmp_path):
    arguments = '--unit', '64'
    text = runs.run('vae/train_vae.py', '--out', tmp_path, '--epoch', '15', *arguments)
    loss = runs.number(r'test pictures: (\S+) nats', text)
    log = read_log(tmp_path)
    assert loss == pytest.approx(log[-1]['validation/main/loss'], abs=.01)
    # The mean of each pixel alone achieves 26.6; the code tells more.
    assert loss < 26.5 < log[0]['validation/main/loss'] - 1
    assert log[-1]['validation/main/divergence'] > .3
    for name in 'again.png', 'drawn.png', 'codes.png', 'loss.png':
        assert runs.is_png(tmp_path / name)
    log = resumes('vae/train_vae.py', tmp_path, 15, *arguments)
    assert log[-1]['main/loss'] < log[1]['main/loss']


def test_dcgan(tmp_path):
    arguments = '--interval', '2', '--batchsize', '128'
    text = runs.run(
        'dcgan/train_dcgan.py', '--out', tmp_path, '--epoch', '4', *arguments)
    # With random weights it is 6.5.
    assert runs.number(r'nearest real one: (\S+) on', text) < 5.5
    for epoch in 2, 4:
        assert runs.is_png(tmp_path / ('drawn_epoch_%d.png' % epoch))
    log = resumes('dcgan/train_dcgan.py', tmp_path, 4, *arguments)
    # Neither network has won.
    assert .3 < log[-1]['discriminator/right'] < .9
