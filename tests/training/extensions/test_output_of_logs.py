"""What is printed where standard output is a file, or a terminal."""
import io
import os
import sys

import pytest

from chainer_fast.training import extensions
from chainer_fast.training.extensions import util
from tests.compat import processes
from tests.training import stubs

PROGRAM = '''
import sys
from chainer_fast.training import extensions
from chainer_fast.training.extensions import util
from tests.training import stubs

util._SECONDS_BETWEEN_LINES = 0
trainer = stubs.make_trainer((4, 'iteration'), out=sys.argv[1])
trainer.extend(extensions.LogReport(trigger=(2, 'iteration')))
trainer.extend(extensions.PrintReport(['iteration']))
trainer.extend(extensions.ProgressBar(update_interval=1))
trainer.run()
'''


def test_log_of_a_program(tmp_path):
    lines = processes.run('-c', PROGRAM, tmp_path).splitlines()
    assert '\033' not in ''.join(lines)
    bars = [line for line in lines if line.startswith('total')]
    assert [line.split(', ')[:3] for line in bars] == [
        ['total 25.00%', 'this epoch 50.00%', '1 iter'],
        ['total 50.00%', 'this epoch 0.00%', '2 iter'],
        ['total 75.00%', 'this epoch 50.00%', '3 iter'],
        ['total 100.00%', 'this epoch 0.00%', '4 iter']]
    assert ['iters/sec' in line for line in bars] == [False, True, True, True]
    assert [line.rstrip() for line in lines if not line.startswith('total')] == [
        'iteration', '2', '4']


@pytest.mark.skipif(not hasattr(os, 'openpty'), reason='no pseudo terminals')
def test_terminal(monkeypatch, tmp_path):
    ours, theirs = os.openpty()
    with open(theirs, 'w') as terminal, open(ours, 'rb'):
        monkeypatch.setattr(util, '_STDOUT', terminal)
        assert not util.is_log(terminal)
        trainer = stubs.make_trainer((2, 'iteration'), out=tmp_path)
        trainer.extend(extensions.ProgressBar(update_interval=1, out=terminal))
        trainer.run()
        terminal.write('END')
        terminal.flush()
        shown = ''
        while not shown.endswith('END'):  # one read may give a part of it
            shown += os.read(ours, 4096).decode()
    assert shown.count('\033[4A') == 2


def test_lines_are_seldom(monkeypatch):
    class Bar(util.ProgressBar):
        def get_lines(self):
            return [self._bar('done', 0.5), self._speed(2., 3)]

    now = [0.]
    out = io.StringIO()
    monkeypatch.setattr(util.time, 'monotonic', lambda: now[0])
    monkeypatch.setattr(util, '_STDOUT', out)
    bar = Bar(out=out)
    seen = []
    for now[0] in (5., 10., 19., 20.):
        bar.update()
        seen.append(out.getvalue().count('\n'))
    bar.move_cursor_up(2)
    bar.close()
    assert seen == [0, 1, 1, 2]
    line = 'done 50.00%, 2 iters/sec. Estimated time to finish: 0:00:03.\n'
    assert out.getvalue() == 2 * line


def test_a_file_of_the_program_is_no_log(monkeypatch):
    assert not util.is_log(io.StringIO())
    monkeypatch.setattr(sys, 'stdout', io.StringIO())
    assert util.is_log(None)
