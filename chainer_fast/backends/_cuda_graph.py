"""Recorded CUDA graphs: what a function launches, to be launched again as a whole."""
import contextlib

from chainer_fast.backends._cupy import available, cupy
from chainer_fast.backends.kernels.matmul.on_device import use_workspace

# Bytes: what cuBLAS itself takes on most cards.
_WORKSPACE = 4 << 20


def supported():
    """Return whether graphs can be recorded: on GPUs of NVIDIA."""
    return available and not cupy.cuda.runtime.is_hip


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
        self._used = cupy.cuda.Event(disable_timing=True)
        self._workspace = None

    @contextlib.contextmanager
    def in_turn(self):
        """Let work on the recorder's memory follow earlier such work.

        A program may call a chain on different streams.
        """
        stream = cupy.cuda.get_current_stream()
        stream.wait_event(self._used)
        yield
        self._used.record(stream)

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
        tuple of (cupy.cuda.Graph, object)
            The graph, and what the function returned. Arrays made by it have their
            values after ``graph.launch()``.

        Raises
        ------
        Exception
            Whatever the function raises, CuPy for what cannot be recorded, or CUDA.
        """
        with cupy.cuda.using_allocator(self._pool.malloc), self._stream as stream, (
                self._with_workspace()):
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
            return stream.end_capture(), returned
