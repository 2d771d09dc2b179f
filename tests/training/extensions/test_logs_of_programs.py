import io

import pytest

from chainer_fast.testing.training import get_trainer_with_mock_updater
from chainer_fast.training import extensions


class Log:
    """As much of a list as Chainer asks of a log."""

    def __init__(self):
        self._rows = []

    def append(self, row):
        self._rows.append(row)

    def __len__(self):
        return len(self._rows)

    def __getitem__(self, i):
        assert type(i) is int
        return self._rows[i]


class Report(extensions.LogReport):
    """Report of an own log."""

    def __init__(self):
        super().__init__(trigger=(1, 'iteration'), log_name=None)
        self._own = Log()

    def __call__(self, trainer):
        count = len(self._log)
        super().__call__(trainer)
        for row in self._log[count:]:
            self._own.append(row)

    @property
    def log(self):
        return self._own


def _run(report, reader, **options):
    trainer = get_trainer_with_mock_updater(stop_trigger=(3, 'iteration'))
    trainer.extend(report, name='LogReport')
    trainer.extend(reader, trigger=(1, 'iteration'), **options)
    trainer.run()
    return trainer


@pytest.mark.parametrize('inside', [False, True])
def test_print_report(inside):
    out = io.StringIO()
    report = Report()
    entries = ['iteration', 'elapsed_time']
    reader = extensions.PrintReport(entries, report if inside else 'LogReport', out)
    if inside:
        trainer = get_trainer_with_mock_updater(stop_trigger=(3, 'iteration'))
        trainer.extend(reader, trigger=(1, 'iteration'))
        trainer.run()
    else:
        _run(report, reader)
    rows = out.getvalue().replace('\x1b[J', '').splitlines()[1:]
    assert [row.split()[0] for row in rows] == ['1', '2', '3']


def test_rich_print_report():
    pytest.importorskip('rich')
    out = io.StringIO()
    _run(Report(), extensions.RichPrintReport(['iteration'], out=out))
    assert out.getvalue().split()[-1] == '3'


def test_notebook():
    reader = extensions.PrintReportNotebook(['iteration'])
    _run(Report(), reader)
    assert reader._log_len == 3


def test_tracker():
    from chainer_fast.training.extensions import _tracker

    written = []

    class Tracker(_tracker.Tracker):
        def _open(self, trainer):
            pass

        def _write(self, values, step):
            written.append(step)

        def _close(self, has_failed):
            pass

    _run(Report(), Tracker())
    assert written == [1, 2, 3]
