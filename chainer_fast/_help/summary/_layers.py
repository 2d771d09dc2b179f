"""Records of the links of a model, filled in by calls."""
from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from chainer_fast import function_hook, link_hook, variable
from chainer_fast._help.summary import _costs
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.link import Link


@dataclasses.dataclass
class Layer:
    """A link of a model; numbers exclude those of its child links.

    Attributes
    ----------
    path : str
        Path of the link, ``'/'`` for the model itself.
    kind : str
        Name of its class.
    parameters : int
        Number of elements of its parameters.
    parameter_bytes : int
        Memory of its parameters, without gradients.
    uninitialized : int
        Number of its parameters that have no shape after the call.
    calls : int
        How often it was called.
    outputs : list of tuple of int
        Shapes of the arrays that its last call returned.
    output_bytes : int
        Memory of all arrays that it returned; 0 for a link that calls other
        links.
    multiply_adds : int
        Multiply-adds of its calls.
    """

    path: str
    kind: str
    parameters: int = 0
    parameter_bytes: int = 0
    uninitialized: int = 0
    calls: int = 0
    outputs: list[tuple[int, ...]] = dataclasses.field(default_factory=list)
    output_bytes: int = 0
    multiply_adds: int = 0


class Layers:
    """The layers of a model, with each link and each parameter once."""

    def __init__(self, model: Link) -> None:
        self._by_link: dict[int, Layer] = {}
        self._links: list[Link] = []
        for path, link in model.namedlinks():
            if id(link) not in self._by_link:
                self._by_link[id(link)] = Layer(path, type(link).__name__)
                self._links.append(link)

    def of(self, link: Link) -> Layer | None:
        """Return the layer of a link, or None if it is not in the model."""
        return self._by_link.get(id(link))

    def __iter__(self) -> Iterator[Layer]:
        return iter(self._by_link.values())

    def count_parameters(self) -> None:
        """Record the current sizes of parameters."""
        seen = set()
        for link, layer in zip(self._links, self, strict=True):
            for name in link._params:
                param = vars(link)[name]
                if id(param) in seen:
                    continue
                seen.add(id(param))
                if param.is_initialized:
                    layer.parameters += param.size
                    layer.parameter_bytes += param.array.nbytes
                else:
                    layer.uninitialized += 1


class LinkMeter(link_hook.LinkHook):
    """Records which link is running, and its results."""

    name = 'chainer_fast.summary'

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        # Running links, and whether each has called another link.
        self._running: list[list[Any]] = [[next(iter(layers)), True]]

    @property
    def layer(self) -> Layer:
        """The layer of the innermost link that is running."""
        return self._running[-1][0]

    def forward_preprocess(self, args: Any) -> None:
        self._running[-1][1] = True
        # Work of an unregistered link counts for its caller.
        self._running.append([self._layers.of(args.link) or self.layer, False])

    def forward_postprocess(self, args: Any) -> None:
        layer, calls_others = self._running.pop()
        if self._layers.of(args.link) is None:
            return
        arrays = list(_arrays(args.out))
        layer.calls += 1
        layer.outputs = [array.shape for array in arrays]
        if not calls_others:
            layer.output_bytes += sum(array.nbytes for array in arrays)

    def _forward_failed(self, args):
        self._running.pop()


class FunctionMeter(function_hook.FunctionHook):
    """Records the multiply-adds of functions."""

    name = 'chainer_fast.summary'

    def __init__(self, links: LinkMeter) -> None:
        self._links = links

    def forward_postprocess(self, function: Any, in_data: Any) -> None:
        self._links.layer.multiply_adds += _costs.multiply_adds(function, in_data)


def _arrays(value):
    """Yield the arrays in what a link returned."""
    if isinstance(value, variable.Variable):
        value = value.array
    if isinstance(value, get_array_types()):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _arrays(each)
    elif isinstance(value, dict):
        yield from _arrays(list(value.values()))
