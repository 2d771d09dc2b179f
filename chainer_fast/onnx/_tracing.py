"""Records of a forward computation that an export needs besides its graph."""
import os
import sys

from chainer_fast import function_hook, link_hook
from chainer_fast import variable as _variable

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class _Recorder(function_hook.FunctionHook):
    """Forwards function calls to a :class:`RetainInputHook`."""

    name = '_ONNXRecorder'

    def __init__(self, record):
        self._record = record

    def forward_postprocess(self, function, in_data):
        self._record(function, in_data)


class RetainInputHook(link_hook.LinkHook):
    """Keeps inputs of functions, and records where the functions were called.

    The graph does not retain arrays that no gradient needs, such as an added constant.
    While the hook is in use, functions run their own methods instead of compiled
    shortcuts.
    """

    name = 'RetainInputHook'

    def __init__(self):
        self._recorder = _Recorder(self._record)
        self._calls = {}
        self._link_inputs = set()
        self._links = []

    def added(self, link):
        self._recorder.__enter__()

    def deleted(self, link):
        self._recorder.__exit__()

    def forward_preprocess(self, args):
        self._links.append(args.link)
        _collect_nodes([args.args, args.kwargs], self._link_inputs)

    def forward_postprocess(self, args):
        self._links.pop()

    def _forward_failed(self, args):
        self._links.pop()

    def _record(self, function, in_data):
        self._calls[function] = in_data, _user_code(), tuple(self._links)

    @property
    def retain_inputs(self):
        """List of used variables from outside the graph and the links' arguments."""
        found = {}
        for function, (in_data, _, _) in self._calls.items():
            for node, array in zip(function.inputs or (), in_data, strict=False):
                if node.creator_node is None and node not in self._link_inputs:
                    found.setdefault(node, array)
        return [_variable.as_variable(_first_given(node.get_variable_or_none(), array))
                for node, array in found.items()]

    def input_arrays(self, function):
        """Return the input arrays of a function.

        Parameters
        ----------
        function : FunctionNode
            The function.

        Returns
        -------
        tuple of array or None
            None if the function was applied while the hook was not in use.
        """
        return self._calls[function][0] if function in self._calls else None

    def computed_arrays(self):
        """Return the ids of arrays that functions got as results of others."""
        return {
            id(array) for function, (arrays, _, _) in self._calls.items()
            for node, array in zip(function.inputs or (), arrays, strict=False)
            if node.creator_node in self._calls}

    def describe(self, function, model):
        """Describe where a function was applied.

        Parameters
        ----------
        function : FunctionNode
            The function.
        model : chainer_fast.Link
            The model, at which the path of the link starts.

        Returns
        -------
        str
            Such as ``"at model.py:12, in forward; link /conv1"``; empty if the function
            was applied while the hook was not in use.
        """
        if function not in self._calls:
            return ''
        _, place, links = self._calls[function]
        paths = {id(link): path for path, link in model.namedlinks()}
        path, link = [('/', model), *[
            (paths[id(link)], link) for link in links if id(link) in paths]][-1]
        return '%s; link %s (%s)' % (place, path, type(link).__name__)


def _first_given(variable, array):
    return array if variable is None else variable


def _collect_nodes(value, nodes):
    """Add the nodes of all variables in a structure of arguments to a set."""
    if isinstance(value, _variable.Variable):
        nodes.add(value.node)
    elif isinstance(value, dict):
        _collect_nodes(list(value.values()), nodes)
    elif isinstance(value, (tuple, list)):
        for element in value:
            _collect_nodes(element, nodes)


def _user_code():
    """Return the line of the innermost call from outside of this package, as text."""
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(_PACKAGE):
            return 'at %s:%d, in %s' % (
                code.co_filename, frame.f_lineno, code.co_name)
        frame = frame.f_back
    return 'at an unknown place'
