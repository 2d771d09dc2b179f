"""Extension that frees computational graphs."""
from __future__ import annotations

from typing import Any

from chainer_fast import configuration, variable
from chainer_fast.training import extension
from chainer_fast.training.trainer import Trainer


class unchain_variables(extension.Extension):
    """Extension that cuts the graphs behind reported variables after an iteration.

    With ``config.keep_graph_on_report``, reported variables keep their graphs and all
    memory of these until the next iteration has built new ones. This extension is
    called after all others, if the flag was on during the iteration.

    See Also
    --------
    chainer_fast.training.extensions.DumpGraph

    Examples
    --------
    ::

        with chainer.using_config('keep_graph_on_report', True):
            trainer.extend(extensions.DumpGraph('main/loss'))
            trainer.extend(extensions.unchain_variables())
            trainer.run()
    """

    def __call__(self, trainer: Trainer) -> None:
        reported = trainer.observation.values()
        for root in [v for v in reported if isinstance(v, variable.Variable)]:
            root.unchain_backward()

    # The flag at the beginning of the current iteration; it may be off at the end.
    _prev_flag = None
    priority = 0

    def initialize(self, _: Trainer) -> None:
        self.trigger(_)

    def trigger(self, _: Any) -> bool | None:
        was_on, self._prev_flag = (
            self._prev_flag, configuration.config.keep_graph_on_report)
        return was_on
