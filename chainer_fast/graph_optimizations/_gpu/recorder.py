"""Recorded CUDA graphs: what a function launches, to be launched again as a whole."""
import contextlib

from chainer_fast.backends import _draws
from chainer_fast.backends._cupy import cupy
from chainer_fast.backends.kernels.matmul.compiled import use_workspace
from chainer_fast.graph_optimizations._replay import Turns

# Bytes: what cuBLAS itself takes on most cards.
_WORKSPACE = 4 << 20


class Recorder:
    """Records functions whose arrays share memory of their own.

    A graph has the addresses of its arrays built in, so that their memory must not be
    used for anything else while the graph may be launched. It comes from a pool that
    belongs to the recorder, and goes with it.
    """

    def __init__(self):
        self._pool = cupy.cuda.MemoryPool()
        # Freed memory can be used again only on the stream where it was in use.
        self._stream = cupy.cuda.Stream(non_blocking=True)
        self._workspace = None
        #: The turns of work on this memory: a program may call a chain on different
        #: streams.
        self.turns = Turns(
            cupy.cuda.Event(disable_timing=True), cupy.cuda.Stream.null,
            cupy.cuda.get_current_stream)

    def copy(self, array):
        """Return a copy of an array, in the memory of the recorder, in C order."""
        with cupy.cuda.using_allocator(self._pool.malloc):
            return array.copy('C')

    @contextlib.contextmanager
    def _with_workspace(self):
        """Let products of matrices work in memory that stays the recorder's."""
        if self._workspace is None:
            self._workspace = cupy.cuda.alloc(_WORKSPACE)
        use_workspace(self._workspace.ptr, _WORKSPACE)
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
        draws = _draws.Draws()
        with cupy.cuda.using_allocator(self._pool.malloc), self._stream as stream, (
                self._with_workspace()), _draws.taken_from(draws):
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
            return Recorded(stream.end_capture(), draws), returned


class Recorded:
    """A recorded function.

    Parameters
    ----------
    graph : cupy.cuda.Graph
    draws : Draws
        The random numbers that it takes.

    Attributes
    ----------
    launch : callable
    draws : Draws
    """

    def __init__(self, graph, draws):
        self._graph, self.draws = graph, draws
        self.launch = self._draw_and_launch if draws else graph.launch

    def _draw_and_launch(self):
        self.draws.repeat()
        self._graph.launch()
