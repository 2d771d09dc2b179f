"""Names and constants of one export."""
from __future__ import annotations

from typing import Any

from chainer_fast import variable as _variable
from chainer_fast.backends import cuda
from chainer_fast.link import Link
from chainer_fast.onnx import onnx_helper
from chainer_fast.onnx._library import onnx
from chainer_fast.types import NdArray
from chainer_fast.variable import Parameter, VariableNode, VariableOrArray


class Context:
    """Shared state of the converters of one export: names of arrays, and constants.

    Parameters
    ----------
    model : chainer_fast.Link
        The model, whose parameters and persistent arrays get their names.

    Attributes
    ----------
    name_list : dict
        Pairs of a name and whether it is pinned, by the id of an array, a variable or
        a node of the graph.
    parameters : list of array
        Initializers that converters have added.
    constants : list of onnx.NodeProto
        Constants of the function that is being converted.
    implicit_inputs : dict of VariableNode
        Inputs of functions that no function in the graph computes, by name.
    param_names : set of str
        Names of the model's parameters.
    has_named_sizes : bool
        Whether some sizes of the inputs have names: inputs may have other sizes, so
        that converters keep sizes that functions keep, instead of writing constants.
    param_to_link : dict
        Pairs of a link's name and the link, by the id of its parameters.
    """

    def __init__(self, model: Link) -> None:
        self.name_list: dict[Any, Any] = {}
        self.parameters: list[Any] = []
        self.constants: list[Any] = []
        self.implicit_inputs: dict[str, VariableNode] = {}
        self.param_to_link: dict[Any, Any] = {}
        self.param_names: set[str] = set()
        self.has_named_sizes = False
        self._named = []    # keeps the objects alive, so that their ids are not reused
        for path, param in model.namedparams():
            name = onnx_helper.cleanse_param_name(path)
            self.set_name(param, name)
            self.param_names.add(name)
        for path, link in model.namedlinks(skipself=True):
            name = onnx_helper.cleanse_param_name(path)
            for param in link.params():
                # Inner links come later and take precedence.
                self.param_to_link[id(param)] = name, link

    def get_name(self, variable: VariableOrArray | VariableNode) -> str:
        """Return the name of an array, which is created if necessary.

        Parameters
        ----------
        variable : Variable, VariableNode or array
            The array, as a variable or not.

        Returns
        -------
        str
            Its name in the ONNX graph.
        """
        key = id(_identities(variable)[0])
        if key in self.name_list:
            return self.name_list[key][0]
        name = 'v%d' % len(self.name_list)
        self.set_name(variable, name)
        return name

    def set_name(
            self, variable: VariableOrArray | VariableNode, name: str,
            pinned: bool = False) -> None:
        """Set the name of an array.

        Parameters
        ----------
        variable : Variable, VariableNode or array
            The array. The array of a variable gets the name as well.
        name : str
            The name.
        pinned : bool
            Whether the name is fixed, like those of the network's inputs and
            outputs.
        """
        assert not self.is_pinned(variable), (
            'the name %s must not change' % self.get_name(variable))
        for key in _identities(variable):
            self.name_list[id(key)] = name, pinned
            self._named.append(key)

    def is_pinned(self, variable: VariableOrArray | VariableNode) -> bool:
        """Return whether the name of an array is fixed.

        Parameters
        ----------
        variable : Variable, VariableNode or array
            The array.

        Returns
        -------
        bool
            False also for an array without a name.
        """
        return self.name_list.get(id(_identities(variable)[0]), (None, False))[1]

    def get_link(self, param: Parameter) -> tuple[str, Link] | None:
        """Return the link of a parameter.

        Parameters
        ----------
        param : Parameter
            The parameter.

        Returns
        -------
        tuple of str and Link, or None
            Name of the link in the style of parameters, and the link; None if the
            parameter does not belong to the model.
        """
        return self.param_to_link.get(id(param))

    def add_param(
            self, array: NdArray, name: str, use_original_name: bool = False) -> str:
        """Add an initializer.

        Parameters
        ----------
        array : array
            Its values.
        name : str
            Its name, to which the name of the function is prepended.
        use_original_name : bool
            Whether to use the name unchanged.

        Returns
        -------
        str
            Name of the initializer.
        """
        if not use_original_name:
            name = '%s_param_%s' % (onnx_helper.get_func_name(), name)
        self.set_name(array, name)
        self.parameters.append(array)
        return name

    def add_const(self, array: NdArray, name: str) -> str:
        """Add a constant, as a node before those of the function.

        Parameters
        ----------
        array : array
            Its values.
        name : str
            Its name, to which the name of the function is prepended.

        Returns
        -------
        str
            Name of the constant.
        """
        name = '%s_const_%s' % (onnx_helper.get_func_name(), name)
        self.set_name(array, name)
        self.constants.append(onnx_helper.make_node(
            'Constant', [], [name],
            value=onnx.numpy_helper.from_array(cuda.to_cpu(array), name)))
        return name


def _identities(variable):
    """Return the objects that identify an array, the most significant one first."""
    if isinstance(variable, _variable.Variable):
        found = [variable.node]
        if variable.array is not None:
            found.append(variable.array)
        return found
    return [variable]
