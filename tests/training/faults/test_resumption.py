"""A training that goes on from any of its snapshots ends as if it had never stopped."""
import shutil

import pytest

from chainer_fast import serializers
from tests.training.faults import program

pytestmark = pytest.mark.filterwarnings('ignore:.*fork.*:DeprecationWarning')


class Memory:
    """Writer that keeps snapshots."""

    def __init__(self):
        self.snapshots = {}

    def __call__(self, name, folder, contents):
        self.snapshots[name] = {key: array.copy() for key, array in contents.items()}


def run(out, iterator, start=None):
    """Run the program, from a snapshot; return snapshots and the end."""
    trainer, memory = program.make_trainer(str(out), iterator), Memory()
    program.add_snapshots(trainer, memory, interval=1)
    if start is not None:
        serializers.NpzDeserializer(start).load(trainer)
    trainer.run()
    return {'end': program.state_of(trainer), **memory.snapshots}


@pytest.mark.parametrize('iterator', program.ITERATORS)
def test_every_snapshot_leads_to_the_same_end(tmp_path, iterator):
    expected = run(tmp_path, iterator)
    for name, start in expected.items():
        if name in ('best', 'end'):
            continue
        for later, state in run(tmp_path, iterator, start).items():
            assert not program.differences(state, expected[later]), (name, later)
    assert len(expected) == 26


def test_files_of_hdf5(tmp_path):
    def end(out):
        trainer = program.make_trainer(str(out))
        program.add_snapshots(trainer, interval=7, savefun=serializers.save_hdf5)
        trainer.run()
        return program.state_of(trainer)

    expected = end(tmp_path)
    other = tmp_path / 'other'
    other.mkdir()
    shutil.copy(tmp_path / 'snapshot_iter_14', other)
    assert not program.differences(end(other), expected)
