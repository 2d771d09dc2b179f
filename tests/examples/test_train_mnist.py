"""The example, run as its users run it."""
import json
import os
import re
import shutil

import numpy
import pytest

from tests.examples import runs

pytest.importorskip('sklearn')
pytest.importorskip('matplotlib')


def run(out, *arguments):
    return runs.run('mnist/train_mnist.py', '--out', out, *arguments)


def read(path):
    with numpy.load(path) as archive:
        return {key: archive[key] for key in archive.files}


def is_time(key):
    return key == '_snapshot_elapsed_time' or key.endswith('_log')


def test_learns_and_leaves_its_results(tmp_path):
    text = run(tmp_path, '--unit', '200', '--epoch', '12')
    accuracy = float(re.search(r'validation set: (\S+)', text).group(1))
    assert accuracy >= .96
    assert 'Units: 200' in text
    assert not re.search(r'\[#*\.*\]', text)    # bars are for terminals
    assert len(re.findall(r'^\d+ +[\d.e-]+ ', text, re.MULTILINE)) == 12
    assert sorted(os.listdir(tmp_path)) == [
        'accuracy.png', 'cg.dot', 'log', 'loss.png', 'snapshot_epoch_12']
    with open(tmp_path / 'log') as f:
        log = json.load(f)
    assert log[-1]['validation/main/accuracy'] == pytest.approx(accuracy, abs=1e-4)
    assert log[0]['main/loss'] > 5 * log[-1]['main/loss']
    for name in 'accuracy.png', 'loss.png':
        assert runs.is_png(tmp_path / name)
    with open(tmp_path / 'cg.dot') as f:
        assert f.read().count('LinearFunction') == 3


SMALL = ['--unit', '30', '--noplot', '--batchsize', '64', '--frequency', '1']


@pytest.fixture(scope='module')
def whole(tmp_path_factory):
    """The folder of a training of three epochs, with a snapshot of each."""
    out = tmp_path_factory.mktemp('whole')
    run(out, '--epoch', '3', *SMALL)
    return out


@pytest.mark.parametrize('autoload', [False, True])
def test_resumed_training_ends_with_the_same_weights(whole, tmp_path, autoload):
    snapshot = str(whole / 'snapshot_epoch_1')
    if autoload:
        shutil.copy(snapshot, tmp_path)
    resume = ['--autoload'] if autoload else ['--resume', snapshot]
    # The random numbers are those of the snapshot, whatever the seed.
    run(tmp_path, '--epoch', '3', '--seed', '5', *SMALL, *resume)

    expected, actual = [read(out / 'snapshot_epoch_3') for out in (whole, tmp_path)]
    assert list(actual) == list(expected)
    for key in expected:
        if not is_time(key):
            assert actual[key].tobytes() == expected[key].tobytes(), key
    with open(tmp_path / 'log') as f:
        assert len(json.load(f)) == 3


def test_seed_decides(whole, tmp_path):
    weight = 'updater/model:main/predictor/output/W'
    for seed, same in ('0', True), ('1', False):
        run(tmp_path / seed, '--seed', seed, '--epoch', '1', *SMALL)
        expected, actual = [
            read(out / 'snapshot_epoch_1') for out in (whole, tmp_path / seed)]
        assert (actual[weight].tobytes() == expected[weight].tobytes()) == same
