import pytest

from chainer_fast import testing
from chainer_fast.testing import training


@pytest.mark.parametrize('iter_per_epoch', [0.5, 1, 1.5, 5])
@pytest.mark.parametrize('unit', ['iteration', 'epoch'])
def test_counts(iter_per_epoch, unit):
    trainer = testing.get_trainer_with_mock_updater((3, unit), iter_per_epoch)
    seen = []

    def record(trainer):
        u = trainer.updater
        seen.append((u.iteration, u.epoch, u.epoch_detail, u.previous_epoch_detail,
                     u.is_new_epoch))

    trainer.extend(record, trigger=(1, 'iteration'))
    trainer.run()
    n = 3 if unit == 'iteration' else -(-3 * iter_per_epoch // 1)
    assert seen == [
        (i, i // iter_per_epoch, i / iter_per_epoch, (i - 1) / iter_per_epoch,
         i // iter_per_epoch > (i - 1) // iter_per_epoch)
        for i in range(1, int(n) + 1)]
    assert trainer.updater.finalize.called


def test_start():
    trainer = testing.get_trainer_with_mock_updater()
    u = trainer.updater
    assert (u.iteration, u.epoch, u.epoch_detail) == (0, 0, 0)
    assert u.previous_epoch_detail is None
    assert u.is_new_epoch
    assert u.get_all_optimizers() == {}


def test_extensions():
    calls = []

    def extension(trainer):
        calls.append(trainer.updater.iteration)

    extension.trigger = 1, 'iteration'
    testing.get_trainer_with_mock_updater(
        (2, 'iteration'), extensions=[extension]).run()
    assert calls == [1, 2]


def test_epochs_need_iterations():
    with pytest.raises(AssertionError, match='iterations per epoch'):
        testing.get_trainer_with_mock_updater(iter_per_epoch=0)


def test_available():
    training.check_available()
    assert training.is_available()
    assert training.get_error() is None
