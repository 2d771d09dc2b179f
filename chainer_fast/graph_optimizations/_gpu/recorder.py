"""Recording of CUDA graphs: the launches of a function, to be repeated as a whole."""
import contextlib
import gc
import weakref

from chainer_fast.backends import _captures, _cublas, _draws
from chainer_fast.backends._cupy import cupy
from chainer_fast.backends.kernels.matmul.compiled import use_workspace
from chainer_fast.graph_optimizations._gpu import memory
from chainer_fast.graph_optimizations._replay import Turns


class Recorder:
    """Records functions whose arrays share separate memory.

    A graph contains the addresses of its arrays, so that their memory must not be
    used for anything else while the graph may be launched. The memory is from a pool
    that belongs to the recorder, and is released with it.
    """

    def __init__(self):
        memory.give_back()
        self._pool = memory.new_pool()
        # Freed memory can only be reused on the stream on which it was used.
        self._stream = cupy.cuda.Stream(non_blocking=True)
        self._workspace = []
        #: Orders work on this memory: a program may call a chain on different streams.
        self.turns = Turns(
            cupy.cuda.Event(disable_timing=True), cupy.cuda.Stream.null,
            cupy.cuda.get_current_stream)
        end = weakref.finalize(
            self, memory.end, cupy.cuda.runtime.getDevice(), self._pool,
            self._workspace)
        end.atexit = False

    def copy(self, array):
        """Return a copy of an array in the memory of the recorder, in C order."""
        with cupy.cuda.using_allocator(self._pool.malloc):
            return array.copy('C')

    @contextlib.contextmanager
    def _with_workspace(self):
        """Let matrix products use a workspace that belongs to the recorder."""
        size = _cublas.workspace_size()
        if not self._workspace:
            self._workspace.append(cupy.cuda.alloc(size))
        use_workspace(self._workspace[0].ptr, size)
        try:
            yield
        finally:
            use_workspace(0, 0)

    def record(self, function):
        """Call a function, and record its launches instead of executing them.

        Parameters
        ----------
        function : callable
            It must neither wait for the GPU nor copy from or to host memory.

        Returns
        -------
        tuple of (Recorded, object)
            The recorded function, and its result. Its arrays have their values after
            a launch.

        Raises
        ------
        Exception
            Any exception of the function, of CuPy for operations that cannot be
            recorded, or of CUDA.
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
                except Exception:   # the failure may already have ended it
                    pass
                raise
            return Recorded(stream.end_capture(), draws, kept), returned


@contextlib.contextmanager
def _no_collection():
    """Collect garbage before a capture, and none during it.

    Deleting some objects waits for the card, which invalidates a capture.
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
        The random numbers that it uses.
    kept : list
        Objects that must exist as long as the graph.

    Attributes
    ----------
    launch : callable
        Does not keep alive what the graph uses.
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
