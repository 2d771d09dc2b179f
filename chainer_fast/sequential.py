"""A chain of layers that are applied one after the other."""
from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from chainer_fast import link
from chainer_fast._help import mistakes
from chainer_fast.link import _bound


def _name_of(layer):
    """Return the name of a link's class, or of a function."""
    if isinstance(layer, link.Link):
        return type(layer).__name__
    return getattr(layer, '__name__', type(layer).__name__)


def _in_order_of(children, layers, copies):
    """Return copies of layers that are links, in the order of the children."""
    left = list(zip(layers, copies, strict=True))
    ordered = []
    for child in children:
        position = [layer is child for layer, _ in left].index(True)
        ordered.append(left.pop(position)[1])
    return ordered


def _is_lambda(layer):
    return getattr(layer, '__name__', None) == '<lambda>'


def _text_of(layer):
    if _is_lambda(layer):
        try:
            source = inspect.getsource(layer)
        except OSError:  # source entered interactively, or run by exec
            source = ''
        # Python 3.13 uses the source of ``python -c`` for all strings.
        if 'lambda' in source:
            return source.strip().rstrip(',')
    return str(layer)


class Sequential(link.ChainList):
    """Applies layers one after the other.

    Layers are links or any other callables. A layer that returns a tuple passes its
    elements to the next one as separate arguments. The object can be changed like a
    list at any time. Its links are its children. They are named by their positions
    among the children, not among the layers, as in Chainer, so that Chainer's snapshots
    can be loaded.

    Parameters
    ----------
    *layers : callable
        The layers.

    Raises
    ------
    ValueError
        If a layer is not callable. Also raised when such a layer is added later.
    RuntimeError
        When called, if there are no layers.

    See Also
    --------
    chainer_fast.Chain
    chainer_fast.ChainList

    Examples
    --------
    >>> model = chainer.Sequential(L.Linear(None, 10), F.relu, L.Linear(10, 2))
    >>> model(np.ones((4, 3), np.float32)).shape
    (4, 2)
    >>> len(model), model.count_by_layer_type('Linear')
    (3, 2)

    Five blocks, each with its own parameters:

    >>> block = chainer.Sequential(L.Linear(10, 10), F.relu)
    >>> len(block.repeat(5).flatten())
    10
    """

    def __init__(self, *layers: Callable[..., Any]) -> None:
        super().__init__()
        self._layers = []
        for layer in layers:
            self.append(layer)

    def __str__(self) -> str:
        lines = ['(%d): %s,' % (i, _text_of(x)) for i, x in enumerate(self._layers)]
        inside = '\n'.join(['', *lines]).replace('\n', '\n  ')
        return '%s(%s)' % (type(self).__name__, inside + '\n' if lines else '')

    def forward(self, *x: Any) -> Any:
        """Apply the layers.

        Parameters
        ----------
        *x
            Arguments of the first layer.

        Returns
        -------
        object
            Result of the last layer.

        Raises
        ------
        RuntimeError
            If there are no layers.
        """
        if not self._layers:
            raise RuntimeError('a Sequential without layers cannot be called')
        try:
            for layer in self._layers:
                x = layer(*x) if isinstance(x, tuple) else layer(x)
        except Exception as error:
            if isinstance(layer, type):
                mistakes.tell(error, (
                    'Sequential[%d] is the class %s: pass an object of it, %s(...)'
                    % (self._layers.index(layer), layer.__name__, layer.__name__)))
            raise
        return x

    def __reduce__(self) -> tuple[Any, ...]:
        if any(map(_is_lambda, self._layers)):
            raise ValueError(
                'a Sequential that holds a lambda cannot be pickled or copied deeply: '
                'replace the lambda by a function that is defined with def or by a '
                'functools.partial, or pickle it with the package dill')
        return super().__reduce__()

    def _shown_inside(self):
        return ((str(i), layer) for i, layer in enumerate(self._layers))

    # ---- as a list

    def _position_of_child(self, i):
        """Return the position among the children of a link inserted at layer ``i``.

        Chainer searches for the preceding link but finds the first one, so the third of
        three links becomes the second child. Names in snapshots depend on it.
        """
        if i == 0:
            return 0
        for first, layer in enumerate(self._layers[:i]):
            if isinstance(layer, link.Link):
                return first + 1
        return 1

    def _place(self, i, layer):
        """Insert a layer before layer ``i``, counted from the start."""
        if isinstance(layer, link.Link):
            self._children.insert(self._position_of_child(i), layer)
            self._renumber()
        self._layers.insert(i, layer)

    def _take(self, i):
        layer = self._layers.pop(i)
        if isinstance(layer, link.Link):
            # A link may occur several times; compare by identity.
            del self._children[[x is layer for x in self._children].index(True)]
            self._renumber()
        return layer

    @staticmethod
    def _check_layer(layer):
        if not callable(layer):
            raise ValueError('a layer must be callable, but %r is not%s' % (
                layer, ': Sequential(*layers) accepts them as separate arguments'
                if isinstance(layer, (list, tuple)) else ''))

    def __contains__(self, layer: Any) -> bool:
        return layer in self._layers

    def __len__(self) -> int:
        return len(self._layers)

    def __getitem__(self, i: int | slice) -> Any:
        return self._layers[i]

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self._layers)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._layers)

    def __setitem__(self, i: Any, layer: Any) -> None:
        if i >= len(self._layers):
            raise ValueError(
                'index %s is out of range of %d layers' % (i, len(self._layers)))
        self._check_layer(layer)
        self._take(i)
        self._place(i + len(self._layers) + 1 if i < 0 else i, layer)

    def __delitem__(self, i: int | slice) -> None:
        self._take(i)

    def __add__(self, other: Sequential) -> Sequential:
        self._check_addable(other)
        return Sequential(*self._layers, *other._layers)

    def __iadd__(self, other: Iterable[Any]) -> Sequential:
        self._check_addable(other)
        self.extend(other)
        return self

    @staticmethod
    def _check_addable(other):
        if not isinstance(other, Sequential):
            raise ValueError(
                'only a Sequential can be added to a Sequential, not %s' % type(other))

    def insert(self, i: int, layer: Callable[..., Any]) -> None:
        """Insert a layer.

        Parameters
        ----------
        i : int
            Position before which to insert; negative positions count from the end.
        layer : callable
            The layer.

        Raises
        ------
        IndexError
            If there is no such position.
        """
        n = len(self._layers)
        if not -n <= i <= n:
            raise IndexError('position %s is out of range of %s layers' % (i, n))
        self._check_layer(layer)
        self._place(i + n if i < 0 else i, layer)

    def append(self, layer: Callable[..., Any]) -> None:
        """Append a layer.

        Parameters
        ----------
        layer : callable
            The layer.
        """
        self.insert(len(self._layers), layer)

    def extend(self, sequential: Iterable[Callable[..., Any]]) -> None:
        """Append the layers of another :class:`Sequential`, or of any iterable.

        Parameters
        ----------
        sequential : iterable of callable
            The layers.
        """
        for layer in list(sequential):
            self.append(layer)

    def pop(self, i: int = -1) -> Callable[..., Any]:
        """Remove a layer and return it.

        Parameters
        ----------
        i : int
            Position of the layer.

        Returns
        -------
        callable
            The layer.
        """
        return self._take(i)

    def clear(self) -> None:
        """Remove all layers."""
        self._layers.clear()
        self._children.clear()

    def remove(self, layer: Callable[..., Any]) -> None:
        """Remove the first layer that equals ``layer``.

        Parameters
        ----------
        layer : callable
            The layer.

        Raises
        ------
        ValueError
            If there is no such layer.
        """
        if layer not in self._layers:
            raise ValueError('there is no layer %r to remove' % (layer,))
        self._take(self._layers.index(layer))

    def remove_by_layer_type(self, type_name: str) -> None:
        """Remove all layers of a type.

        Parameters
        ----------
        type_name : str
            Name of a class of links, or of a function.
        """
        for i in reversed(range(len(self._layers))):
            if _name_of(self._layers[i]) == type_name:
                self._take(i)

    def count_by_layer_type(self, type_name: str) -> int:
        """Return the number of layers of a type.

        Parameters
        ----------
        type_name : str
            Name of a class of links, or of a function.

        Returns
        -------
        int
            The number.
        """
        return [_name_of(x) for x in self._layers].count(type_name)

    def count(self, layer: Callable[..., Any]) -> int:
        """Return the number of layers that equal ``layer``.

        Parameters
        ----------
        layer : callable
            The layer.

        Returns
        -------
        int
            The number.
        """
        return self._layers.count(layer)

    def index(
            self, layer: Callable[..., Any], start: int | None = None,
            end: int | None = None) -> int:
        """Return the position of the first layer that equals ``layer``.

        Parameters
        ----------
        layer : callable
            The layer.
        start, end : int or None
            Range of the search. The position is counted from ``start``.

        Returns
        -------
        int
            The position.

        Raises
        ------
        ValueError
            If there is no such layer.
        """
        return self._layers[start:end].index(layer)

    def flatten(self) -> Sequential:
        """Return a :class:`Sequential` with the layers of nested ones in their places.

        The layers are shared with this object and renamed.
        """
        flat = Sequential()
        for layer in self._layers:
            if isinstance(layer, Sequential):
                flat.extend(layer.flatten())
            else:
                flat.append(layer)
        return flat

    # ---- as a link

    def _child_like(self, link, name):
        child = self._children[int(name)]
        return link[[x is child for x in self._layers].index(True)]

    def copy(self, mode: str = 'share') -> Sequential:
        """Return a :class:`Sequential` of copies of the layers.

        Parameters
        ----------
        mode : {'share', 'copy', 'init'}
            Mode of copying links; see :meth:`chainer_fast.Link.copy`. Other layers are
            copied shallowly; functions are shared.

        Returns
        -------
        Sequential
            The copy, of the same class, with its links named as in this object.

        Raises
        ------
        ValueError
            If ``mode`` is not one of the three.
        """
        link._check_copy_mode(mode)
        layers = [
            x.copy(mode) if isinstance(x, link.Link) else copy.copy(x)
            for x in self._layers]
        children = _in_order_of(self._children, self._layers, layers)
        # Not by Link.copy: a lambda among the layers would prevent a deep copy of all.
        own = {name: value for name, value in vars(self).items()
               if name not in ('_layers', '_children')}
        clone = type(self).__new__(type(self))
        if mode == 'share':
            clone.__dict__.update(own)
            clone._separate()
        else:
            memo: Any = dict(zip(map(id, self._children), children, strict=True))
            clone.__dict__.update(copy.deepcopy(own, memo))
        clone._layers, clone._children = layers, children
        clone.name = None
        clone._renumber()
        if mode == 'init':
            clone._initialize_own()
        return clone

    def copyparams(self, link: Any, copy_persistent: bool = True) -> None:
        """Copy the values of all parameters from a Sequential of the same structure.

        Each link copies from the layer at its position. Parameters that a subclass adds
        to the Sequential itself are not copied.

        Parameters
        ----------
        link : Sequential
            Source of the values.
        copy_persistent : bool
            Whether to copy persistent values, too.

        Raises
        ------
        ValueError
            If ``link`` is not a :class:`Sequential`.
        """
        if not isinstance(link, Sequential):
            raise ValueError(
                'parameters can only be copied from a Sequential to a Sequential, not '
                'from %s' % type(link))
        for name, child in self._named_children():
            child.copyparams(self._child_like(link, name), copy_persistent)


_bound.Sequential = Sequential
