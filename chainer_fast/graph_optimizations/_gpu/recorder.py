"""Recorded CUDA graphs: what a function launches, to be launched again as a whole."""
import contextlib
import gc
import weakref

from chainer_fast.backends import _captures, _cublas, _draws
from chainer_fast.backends._cupy import cupy
from chainer_fast.backends.kernels.matmul.compiled import use_workspace
from chainer_fast.graph_optimizations._gpu import memory
from chainer_fast.graph_optimizations._replay import Turns


class Recorder:
    """Records functions whose arrays share memory of their own.

    A graph has the addresses of its arrays built in, so that their memory must not be
    used for anything else while the graph may be launched. It comes from a pool that
    belongs to the recorder, and goes with it.
    """

    def __init__(self):
        memory.give_back()
        self._pool = memory.new_pool()
        # Freed memory can be used again only on the stream where it was in use.
        self._stream = cupy.cuda.Stream(non_blocking=True)
        self._workspace = []
        #: The turns of work on this memory: a program may call a chain on different
        #: streams.
        self.turns = Turns(
            cupy.cuda.Event(disable_timing=True), cupy.cuda.Stream.null,
            cupy.cuda.get_current_stream)
        end = weakref.finalize(
            self, memory.end, cupy.cuda.runtime.getDevice(), self._pool,
            self._workspace)
        end.atexit = False

    def copy(self, array):
        """Return a copy of an array, in the memory of the recorder, in C order."""
        with cupy.cuda.using_allocator(self._pool.malloc):
            return array.copy('C')

    @contextlib.contextmanager
    def _with_workspace(self):
        """Let products of matrices work in memory that stays the recorder's."""
        size = _cublas.workspace_size()
        if not self._workspace:
            self._workspace.append(cupy.cuda.alloc(size))
        use_workspace(self._workspace[0].ptr, size)
        try:
            yield
        finally:
            use_workspace(0, 0)

    def record(self, function):
        """Call a function, and record its launches instead of carrying them out.

        Parameters
        ----------
        function : callable
            It must not wait for the GPU, nor copy from or to host memory.

        Returns
        -------
        tuple of (Recorded, object)
            The recorded function, and what it returned. Arrays made by it have their
            values after a launch.

        Raises
        ------
        Exception
            Whatever the function raises, CuPy for what cannot be recorded, or CUDA.
        """
        draws, kept = _draws.Draws(), []
        with _no_collection(), cupy.cuda.using_allocator(self._pool.malloc), (
                self._stream) as stream, self._with_workspace(), (
                    _draws.taken_from(draws)), _captures.keeping(kept):
            stream.begin_capture()
            try:
                returned = function()
            except BaseException:
                # The stream must not remain in this state.
                try:
                    stream.end_capture()
                except Exception:   # the failure may have ended it already
                    pass
                raise
            return Recorded(stream.end_capture(), draws, kept), returned


@contextlib.contextmanager
def _no_collection():
    """Collect garbage before a capture, and none during it.

    The ends of some objects wait for the card, which no capture survives.
    """
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class Recorded:
    """A recorded function.

    Parameters
    ----------
    graph : cupy.cuda.Graph
    draws : Draws
        The random numbers that it takes.
    kept : list
        What it uses and must not outlive.

    Attributes
    ----------
    launch : callable
        Does not keep what the graph uses.
    draws : Draws
    """

    def __init__(self, graph, draws, kept):
        self._graph, self.draws, self._kept = graph, draws, kept

    @property
    def launch(self):
        return self._draw_and_launch if self.draws else self._graph.launch

    def _draw_and_launch(self):
        self.draws.repeat()
        self._graph.launch()
