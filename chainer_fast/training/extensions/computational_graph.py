"""Extension that writes the graph of the loss to a file."""
from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from typing import Any

from chainer_fast import computational_graph, configuration, variable
from chainer_fast._help import mistakes
from chainer_fast.serializer import AbstractSerializer
from chainer_fast.training import extension
from chainer_fast.training.trainer import Trainer

_var_style = dict(shape='octagon', fillcolor='#E0E0E0', style='filled')
_func_style = dict(_var_style, shape='record', fillcolor='#6495ED')


class DumpGraph(extension.Extension):
    """Extension that writes a computational graph in the DOT language.

    The graph is that of the first iteration. If the program ``dot`` of Graphviz is
    installed, a PNG image is made, too.

    Parameters
    ----------
    root_name : str
        Key of the variable at the end of the graph, e.g. ``'main/loss'``.
    filename : str, optional
        Name of the file in the folder of the trainer; ``cg.dot`` by default.
    variable_style, function_style : dict, optional
        Attributes of the two kinds of nodes in DOT.
    out_name : str, optional
        Former name of ``filename``.

    Raises
    ------
    TypeError
        In the training loop, if the reported value is not a variable.

    Examples
    --------
    ::

        trainer.extend(extensions.DumpGraph('main/loss'))
    """

    default_name = 'dump_graph'

    def __init__(
            self, root_name: str, filename: str | None = None,
            variable_style: dict[Any, Any] | None = None,
            function_style: dict[Any, Any] | None = None, *,
            out_name: str = 'cg.dot') -> None:
        self._filename = out_name if filename is None else filename
        self._variable_style = _var_style if variable_style is None else variable_style
        self._function_style = (
            _func_style if function_style is None else function_style)
        self._root_name = root_name
        self._flag_called, self._original_flag = False, None

    def trigger(self, trainer: Trainer) -> bool:
        called, self._flag_called = self._flag_called, True
        return not called

    def initialize(self, trainer: Trainer) -> None:
        if self._flag_called:
            return
        # By default a reported variable is detached from its graph.
        config = configuration.config
        self._original_flag = config.keep_graph_on_report
        config.keep_graph_on_report = True

    def __call__(self, trainer: Trainer) -> None:
        configuration.config.keep_graph_on_report = self._original_flag
        observation = trainer.observation
        if self._root_name not in observation:
            raise KeyError('nothing is reported as %r; the observation has %s' % (
                self._root_name, ', '.join(map(repr, observation)) or 'no values'))
        root = observation[self._root_name]
        if not isinstance(root, variable.Variable):
            raise TypeError('root value is not a Variable: %r was reported as %s'
                            % (self._root_name, type(root)))
        dot = computational_graph.build_computational_graph(
            [root], variable_style=self._variable_style,
            function_style=self._function_style).dump()
        path = os.path.join(trainer.out, self._filename)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(dot)
        if is_graphviz_available():
            image = os.path.splitext(path)[0] + '.png'
            subprocess.check_call(['dot', '-Tpng', path, '-o', image])

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        for flag in ('_original_flag', '_flag_called'):
            setattr(self, flag, serializer(flag, getattr(self, flag)))


def is_return_code_zero(args: Sequence[str]) -> bool:
    """Return whether a command exists and succeeds.

    Parameters
    ----------
    args : list of str
        The command; its output is discarded.

    Returns
    -------
    bool
        Whether the program could be run and returned zero.
    """
    try:
        return subprocess.call(
            args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def is_graphviz_available() -> bool:
    """Return whether the program ``dot`` can be run."""
    return is_return_code_zero(['dot', '-V'])
