"""Function hook that measures times."""
from chainer_fast import backend
from chainer_fast.function_hooks import _span, _timing


class TimerHook(_timing.Timings, _span.SpanHook):
    """Function hook that measures the times of functions.

    >>> hook = chainer.function_hooks.TimerHook()
    >>> with hook:
    ...     y = F.relu(np.ones(3, np.float32))
    >>> [name for name, seconds in hook.call_history]
    ['ReLU']

    On a GPU, times are measured by events in the stream. The host waits for them only
    when times are read.

    Attributes
    ----------
    call_history : list of (str, float)
        Names and times in seconds of functions, in the order in which they ended. The
        time of a backward computation includes the times of the functions that it
        applies, which are also listed.

    See Also
    --------
    chainer_fast.link_hooks.TimerHook
    """

    name = 'TimerHook'
    _title = 'FunctionName'

    def _begin(self, function, arrays, direction):
        self._start(backend.get_array_module(*arrays))

    def _end(self, function, arrays):
        self._stop(function._impl_name)
