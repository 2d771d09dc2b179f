"""PyTorch's steps as CUDA graphs: when they are eager, recorded and launched."""
import contextlib

import pytest

torch = pytest.importorskip('torch')


class Stream:

    def __init__(self, log):
        self._log = log

    def wait_stream(self, other):
        self._log.append('wait')


@pytest.fixture
def log(monkeypatch):
    """Return what is done on a device that is not there."""
    log = []

    class Graph:

        def replay(self):
            log.append('replay')

    @contextlib.contextmanager
    def record(graph):
        log.append('record')
        yield

    for name, value in {
            'CUDAGraph': Graph, 'graph': record, 'Stream': lambda: Stream(log),
            'stream': lambda stream: contextlib.nullcontext(),
            'current_stream': lambda: Stream(log)}.items():
        monkeypatch.setattr(torch.cuda, name, value)
    return log


def test_steps(log):
    from benchmarks.gpu.sides import torch_side

    def step():
        log.append('step')
        return len(log)

    recorded = torch_side.Recorded(step)
    losses = [recorded() for _ in range(6)]
    assert log == ['wait', 'step', 'wait'] * 3 + ['record', 'step', *['replay'] * 3]
    # The loss of a launch is in the place of the recorded one.
    assert losses[3:] == [11] * 3


def test_side(log):
    from benchmarks.gpu import rows
    from benchmarks.gpu.sides import torch_side
    losses = []
    for side in torch_side.Side, torch_side.GraphSide:
        step = side('float32', 'cpu').make('resnet50', rows.ROWS['resnet50'].tiny)
        losses.append([float(step()) for _ in range(4)])
    assert log.count('replay') == 1
    # The recording itself takes the step here.
    assert losses[0] == losses[1]
