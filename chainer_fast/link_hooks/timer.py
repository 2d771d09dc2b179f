"""Link hook that measures times."""
from __future__ import annotations

from typing import Any

from chainer_fast import link_hook
from chainer_fast.function_hooks import _timing


class TimerHook(_timing.Timings, link_hook.LinkHook):
    """Link hook that measures the times of the forward computations of links.

    >>> hook = chainer.link_hooks.TimerHook()
    >>> with hook:
    ...     y = L.Linear(3, 2)(np.ones((1, 3), np.float32))
    >>> [name for name, seconds in hook.call_history]
    ['Linear']

    Links have no backward computations; see
    :class:`chainer_fast.function_hooks.TimerHook`.

    Attributes
    ----------
    call_history : list of (str, float)
        Class names and times in seconds of calls of links, in the order in which the
        calls ended. The time of a chain includes the times of the links that it calls,
        which are also listed.

    See Also
    --------
    chainer_fast.function_hooks.TimerHook
    """

    name = 'TimerHook'
    _title = 'LinkName'

    def forward_preprocess(self, args: Any) -> None:
        self._start(args.link.xp)

    def forward_postprocess(self, args: Any) -> None:
        self._stop(type(args.link).__name__)

    def _forward_failed(self, args):
        self._running_stack.pop()
