"""One side in one type of numbers, in a process that takes commands in JSON.

python -m benchmarks.gpu.worker SIDE MODE
"""
import importlib
import sys
import time

from benchmarks.gpu import rows
from benchmarks.process import serve

WARM_UP = 5
SIDES = {'chainer_fast': ('chainer_side', 'Side'), 'torch': ('torch_side', 'Side'),
         'torch_graph': ('torch_side', 'GraphSide')}


class Worker:
    """Makes steps, and measures them."""

    def __init__(self, side):
        self.side = side
        self.step = None

    def make(self, row, size):
        """Make a step and warm it up: kernels are compiled, engines chosen."""
        self.step = None
        self.side.release()
        arguments = rows.ROWS[row].sizes.get(size, rows.ROWS[row].tiny)
        self.step = self.side.make(row, arguments)
        losses = [float(self.step()) for _ in range(WARM_UP)]
        self.side.synchronize()
        return losses

    def time(self, count):
        """Return the seconds of a step, from events around some of them."""
        start = self.side.event()
        for _ in range(count):
            self.step()
        return self.side.elapsed(start, self.side.event()) / count

    def host(self):
        """Return the seconds that the processor takes to queue a step."""
        self.side.synchronize()
        begin = time.perf_counter()
        self.step()
        return time.perf_counter() - begin

    def functions(self):
        return self.side.functions(self.step)

    def peak(self):
        return self.side.peak()

    def versions(self):
        return self.side.versions()


def main():
    name, mode = sys.argv[1:]
    module, side_class = SIDES[name]
    side = getattr(
        importlib.import_module('benchmarks.gpu.sides.' + module), side_class)(mode)
    side.use()
    serve(Worker(side))


if __name__ == '__main__':
    main()
