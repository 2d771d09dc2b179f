"""Progress bars on terminals, and their replacement in logs."""
from __future__ import annotations

import collections
import datetime
import re
import sys
import time
from typing import IO, Any

ERASE_BELOW = '\033[J'

# The default output of extensions.
_STDOUT = sys.stdout

_SECONDS_BETWEEN_LINES = 10


def is_log(out: IO[Any] | None) -> bool:
    """Return whether ``out`` is the default, and is a log rather than a terminal.

    Escape codes would be noise in a log. A file that the program has chosen gets the
    same output as from Chainer.
    """
    if out is not None and out is not _STDOUT:
        return False
    return not getattr(out or sys.stdout, 'isatty', lambda: False)()


class ProgressBar:
    """Base class of progress bars.

    A bar consists of lines below the cursor, which the next output replaces if it
    erases them first. If standard output is not a terminal, a line is printed every
    ten seconds instead.

    Parameters
    ----------
    bar_length : int, optional
        Number of characters of a bar, 50 by default.
    out : file, optional
        File to print to, ``sys.stdout`` by default.
    """

    def __init__(
            self, bar_length: int | None = None,
            out: IO[Any] | None = None) -> None:
        self._recent_timing = collections.deque(maxlen=100)
        self._out = out or sys.stdout
        self._bar_length = bar_length or 50
        self._is_log = is_log(out)
        self._line_due = time.monotonic() + _SECONDS_BETWEEN_LINES

    def update_speed(
            self, iteration: float, epoch_detail: float) -> tuple[float, float]:
        """Record the progress, and return the speed over the last 100 calls.

        Parameters
        ----------
        iteration, epoch_detail : number
            The progress.

        Returns
        -------
        tuple of two float
            Iterations and epochs per second, infinite at the first call.
        """
        now = time.time()
        self._recent_timing.append((iteration, epoch_detail, now))
        first_iteration, first_epoch, begin = self._recent_timing[0]
        span = now - begin
        return (_per(iteration - first_iteration, span),
                _per(epoch_detail - first_epoch, span))

    def get_lines(self) -> list[str]:
        """Return the lines to print, with line breaks; subclasses implement this."""
        raise NotImplementedError('%s has to define get_lines()' % type(self).__name__)

    def _bar(self, title, rate):
        # The last batch of an epoch may contain examples of the next one.
        rate = min(rate, 1.)
        marks = int(rate * self._bar_length)
        return '%10s [%s%s] %s\n' % (
            title, '#' * marks, '.' * (self._bar_length - marks),
            f'{rate:6.2%}')

    def _speed(self, speed, rest):
        """Return the line for a speed and the remaining seconds."""
        # At zero speed, the remaining time exceeds the range of timedelta.
        left = datetime.timedelta(seconds=min(rest, 86400 * 999999))
        return f'{speed:10.5g} iters/sec. Estimated time to finish: {left}.\n'

    def move_cursor_up(self, n: int) -> None:
        """Move the cursor up by ``n`` lines."""
        if not self._is_log:
            self._out.write('\033[%dA' % n)

    def erase_console(self) -> None:
        """Erase everything after the cursor."""
        if not self._is_log:
            self._out.write(ERASE_BELOW)

    def close(self) -> None:
        """Remove the bar."""
        self.erase_console()
        self.flush()

    def update(self) -> None:
        """Print the bar over the previous one."""
        lines = list(self.get_lines())
        if self._is_log:
            self._log(lines)
            return
        self.erase_console()
        self._out.write(''.join(lines))
        self.move_cursor_up(len(lines))
        self.flush()

    def _log(self, lines):
        """Print a line without bars, if one is due."""
        now = time.monotonic()
        if now < self._line_due:
            return
        self._line_due = now + _SECONDS_BETWEEN_LINES
        parts = [re.sub(r' *\[[#.]*\] *', ' ', line).strip() for line in lines]
        # The first call has no speed.
        self._out.write(', '.join(
            [part for part in parts if not part.startswith('inf ')]) + '\n')
        self.flush()

    def flush(self) -> None:
        """Flush the output, if possible."""
        flush(self._out)


def flush(out: IO[str]) -> None:
    """Flush a file, if it has the method."""
    getattr(out, 'flush', lambda: None)()


def _per(amount, seconds):
    return amount / seconds if seconds else float('inf')


def seconds_left(rest: float, speed: float) -> float:
    """Return the seconds that ``rest`` takes at a speed; infinite at zero speed."""
    return rest / speed if speed > 0 else float('inf')
