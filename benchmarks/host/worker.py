"""One side, in a process that takes commands in JSON.

python -m benchmarks.host.worker SIDE
"""
import cProfile
import importlib
import io
import pstats
import sys
import time

from benchmarks.host import ledger, rows
from benchmarks.process import serve

WARM_UP = 4


class Worker:
    """Makes steps, and measures them.

    Parameters
    ----------
    name : {'null', 'processor', 'torch'}
    """

    def __init__(self, name):
        self.name = name
        if name == 'null':
            null_cupy = importlib.import_module('benchmarks.host.null_cupy')
            self._libraries = null_cupy.install()
            self._allocations = null_cupy.allocations
        folder = 'gpu' if name == 'torch' else 'host'
        module = importlib.import_module('benchmarks.%s.sides.%s_side' % (
            folder, 'torch' if name == 'torch' else 'chainer'))
        self.side = module.Side('float32', {
            'null': '@cupy:0', 'processor': '@numpy', 'torch': 'cpu'}[name])
        self.side.use()

    def make(self, row, size='full'):
        """Make a step and warm it up; return the shape of its loss, or why not.

        A static chain that was not recorded gives the reason.
        """
        chosen = rows.ROWS[row]
        self.step = None
        if self.name == 'torch':
            row = row.removesuffix('_static')
        self.step = self.side.make(
            row, chosen.tiny if size == 'tiny' else chosen.arguments)
        for _ in range(WARM_UP):
            loss = self.step()
        if self.name == 'null' and row.endswith('_static') and self.side.refusal():
            return self.side.refusal()
        return list(loss.shape)

    def time(self, count):
        """Return the seconds of the processor that a step takes."""
        ledger.clear()
        begin = time.process_time()
        for _ in range(count):
            self.step()
        return (time.process_time() - begin) / count

    def counts(self):
        """Return launches and calls of CuPy by name, and launches without it."""
        ledger.clear()
        self._by_libraries()
        self._allocations()
        self.step()
        launches, calls = ledger.counts()
        return launches, {**calls, 'alloc': self._allocations()}, self._by_libraries()

    def frames(self):
        """Return how many functions of Python a step calls."""
        seen = []

        def note(frame, event, argument):
            if event == 'call':
                seen.append(event)
        sys.setprofile(note)
        try:
            self.step()
        finally:
            sys.setprofile(None)
        return len(seen)

    def _by_libraries(self):
        return sum([library.null_launches() for library in self._libraries])

    def profile(self, count=20, lines=25):
        """Return where the time goes, in words."""
        profile, text = cProfile.Profile(), io.StringIO()
        profile.enable()
        for _ in range(count):
            self.step()
        profile.disable()
        pstats.Stats(profile, stream=text).strip_dirs().sort_stats(
            'tottime').print_stats(lines)
        return text.getvalue()


if __name__ == '__main__':
    serve(Worker(sys.argv[1]))
