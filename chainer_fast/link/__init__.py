"""Links: objects that hold parameters, and chains that are composed of links."""
from __future__ import annotations

import collections.abc
import copy
import copyreg
import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy

from chainer_fast import (
    _numbers, backend, device_resident, initializers, link_hook, variable)
from chainer_fast._core.graphs import links
from chainer_fast._help import mistakes
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.device_resident import DeviceResidentsVisitor
from chainer_fast.link import _bound, _hooked, _place, _scope, _shown, _walks
from chainer_fast.link._signature import CallSignature
from chainer_fast.serializer import AbstractSerializer, Deserializer
from chainer_fast.types import DTypeSpec, InitializerSpec

if TYPE_CHECKING:
    from chainer_fast.sequential import Sequential

__all__ = ['Chain', 'ChainList', 'Link']


def _is_shape(value):
    if value is None:
        return True
    try:
        for length in value if isinstance(value, (tuple, list)) else (value,):
            int(length)
    except TypeError:
        return False
    return True


def _attributes_of(link):
    try:
        return link.__dict__
    except AttributeError:
        mistakes.require(link, 'namedparams', (
            'parameters are copied, and gradients added, from a link'))
        raise


def _ensure_shape_dtype(value):
    """Return (shape, dtype) of a parameter, given as that pair or as a shape only."""
    return (value, numpy.float32) if _is_shape(value) else value


_Link = TypeVar('_Link', bound='Link')


class Link(links.LinkBase, _walks.Walking, _hooked.Hooked, _shown.Shown,
           device_resident.DeviceResident):
    """An object that holds parameters and computes with them.

    A link has *parameters*, variables that an optimizer updates, and *persistent*
    values, which the optimizer does not update, such as running averages. Both are
    ordinary attributes whose names are registered, so that the link serializes them,
    moves them between devices and copies them. Parameters are registered by assigning
    them in :meth:`init_scope`; :class:`chainer_fast.Chain` and
    :class:`chainer_fast.ChainList` hold other links in the same way. A subclass defines
    ``forward``, which runs when the link is called.

    Parameters
    ----------
    **params
        Names of parameters with their shapes, or with pairs of shape and dtype; kept
        for old code.

    Attributes
    ----------
    name : str or None
        Name of the link within its parent.

    Raises
    ------
    AttributeError
        If a parameter has the name of an attribute.

    See Also
    --------
    chainer_fast.Chain
    chainer_fast.ChainList
    chainer_fast.links

    Examples
    --------
    >>> class Affine(chainer.Link):
    ...     def __init__(self, n_in, n_out):
    ...         super().__init__()
    ...         normal = chainer.initializers.Normal()
    ...         with self.init_scope():
    ...             self.W = chainer.Parameter(normal, (n_out, n_in))
    ...             self.b = chainer.Parameter(0, (n_out,))
    ...     def forward(self, x):
    ...         return F.linear(x, self.W, self.b)
    >>> link = Affine(3, 2)
    >>> link(np.ones((4, 3), np.float32)).shape
    (4, 2)
    >>> [(name, param.shape) for name, param in link.namedparams()]
    [('/W', (2, 3)), ('/b', (2,))]
    >>> link.count_params()
    8
    """

    __signature__: CallSignature = CallSignature()

    if TYPE_CHECKING:
        # `add_link` and similar methods set attributes that type checkers do not know.
        def __getattr__(self, name: str) -> Any: ...

    _within_init_scope = False
    _has_children = False
    # Whether a class after Link in the method resolution order defines __call__ or
    # __setattr__.
    _mixin_computes = False
    _mixin_assigns = False

    def _words_on_error(self, error, args):
        """Return advice on an error that a call raises, or None; to be overridden.

        Parameters
        ----------
        error : Exception
            The error. A link within this one may have raised it.
        args : tuple
            Positional arguments of the call.
        """
        return _place.words_on_forward(self, error)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # A mixin that comes after Link may define __call__ in place of forward.
        behind = [base for base in cls.__mro__[cls.__mro__.index(Link):]
                  if base not in Link.__mro__]
        # `__call__ = None` means that the class does not define it.
        cls._mixin_computes = next((
            vars(base)['__call__'] for base in behind
            if '__call__' in vars(base)), None) is not None
        cls._mixin_assigns = any('__setattr__' in vars(base) for base in behind)

    def __init__(self, **params: Any) -> None:
        super().__init__()
        self.name: str | None = None
        # Names of attributes; only __dict__ has the values.
        self._params, self._persistent = set(), set()
        for name, spec in params.items():
            self.add_param(name, *_ensure_shape_dtype(spec))

    def __reduce__(self) -> tuple[Any, ...]:
        # Protocols 2 and later pickle other objects in this way.
        if hasattr(self, '__getstate__'):
            state = self.__getstate__()
        else:  # before Python 3.11
            state = self.__dict__
        newobj = copyreg.__newobj__  # type: ignore[attr-defined]   # not public
        return newobj, (type(self),), state

    def __str__(self) -> str:
        return '%s(%s)' % (
            type(self).__name__,
            ', '.join('%s=%s' % spec for spec in self.printable_specs))

    @property
    def printable_specs(self) -> Iterator[tuple[str, Any]]:
        """Pairs of name and value that ``str(link)`` shows; empty by default."""
        yield from ()

    def _describe_children(self):
        """Return the text of the link, with the indented texts of its children."""
        lines = ['(%s): %s,' % item for item in self._named_children()]
        inside = '\n'.join(['', *lines]).replace('\n', '\n  ')
        return '%s(%s)' % (type(self).__name__, inside + '\n' if lines else '')

    # ---- registration

    def init_scope(self) -> AbstractContextManager[None]:
        """Register parameters by assignment inside of a ``with`` block.

        A :class:`chainer_fast.Parameter` assigned to an attribute in the block becomes
        a parameter of the link with the name of the attribute. On a chain, an assigned
        link becomes a child.
        """
        if '_params' not in self.__dict__:
            raise RuntimeError('Link.__init__() has not been called.')
        return _scope.InitScope(self)

    @property
    def within_init_scope(self) -> bool:
        """bool: Whether ``with link.init_scope():`` is active."""
        return self._within_init_scope

    if TYPE_CHECKING:
        def __setattr__(self, name: str, value: Any) -> None: ...
    else:
        __setattr__ = links.assign

    def __delattr__(self, name: str, /) -> None:
        """Delete an attribute, and unregister it as a parameter or child."""
        for kind in ('_params', '_persistent', '_children'):
            names = self.__dict__.get(kind)
            if isinstance(names, set):
                names.discard(name)
        super().__delattr__(name)

    def _register(self, name, value):
        """Register a value assigned to an attribute inside of :meth:`init_scope`."""
        if isinstance(value, variable.Parameter):
            value.name = name
            _move(name, self._persistent, self._params)
            if self._awaited:
                self._take_awaited(name, value)

    def _check_unused(self, name, what):
        if name in self.__dict__:
            raise AttributeError(
                'cannot register a new %s %s: attribute exists' % (what, name))

    def add_param(
            self, name: str, shape: int | Sequence[int] | None = None,
            dtype: DTypeSpec = numpy.float32,
            initializer: InitializerSpec | None = None) -> None:
        """Create a parameter and register it.

        Parameters
        ----------
        name : str
            Name of the parameter, which becomes an attribute.
        shape : int, tuple of int or None
            Shape; None leaves the parameter uninitialized.
        dtype : dtype specifier
            dtype of a parameter without an ``initializer``.
        initializer : initializer or None
            Initializer of the parameter, which also determines its dtype. None fills
            the parameter with NaN.

        Raises
        ------
        AttributeError
            If the link has an attribute of that name.
        """
        self._check_unused(name, 'parameter')
        fill = initializers.NaN(dtype) if initializer is None else initializer
        with self.init_scope():
            setattr(self, name, variable.Parameter(fill, shape))

    def add_persistent(self, name: str, value: Any) -> None:
        """Set an attribute and register it as a persistent value.

        Parameters
        ----------
        name : str
            Name of the attribute.
        value
            An array, or something else that a serializer can save.

        Raises
        ------
        AttributeError
            If the link has an attribute of that name.
        """
        self._check_unused(name, 'persistent value')
        # The attribute need not be assignable: it may be a property of the class.
        self.__dict__[name] = self._take_awaited(name, value)
        _move(name, self._params, self._persistent)

    def register_persistent(self, name: str) -> None:
        """Register an attribute as a persistent value.

        Parameters
        ----------
        name : str
            Name of an attribute of the link. A parameter ceases to be one.

        Raises
        ------
        AttributeError
            If the link has no such attribute.
        """
        if not hasattr(self, name):
            raise AttributeError(
                'cannot register %s as a persistent value: there is no such attribute'
                % (name,))
        _move(name, self._params, self._persistent)
        if self._awaited:
            super().__setattr__(name, self._take_awaited(name, getattr(self, name)))

    @classmethod
    def from_params(cls: type[_Link], *args: Any, **kwargs: Any) -> _Link:
        """Create a link from given parameter values, in subclasses that support it.

        Raises
        ------
        NotImplementedError
            Unless the subclass defines it.
        """
        raise NotImplementedError('%s has no from_params()' % cls.__name__)

    # ---- parameters as a whole

    def _child_like(self, link, name):
        """Return the child of another link that corresponds to a child of this one."""
        return link.__dict__[name]

    def copy(self: _Link, mode: str = 'share') -> _Link:
        """Copy the link hierarchy.

        Parameters
        ----------
        mode : {'share', 'copy', 'init'}
            ``'share'``: the parameters of the copy share their arrays with the
            original, but have separate gradients. ``'copy'``: everything is copied.
            ``'init'``: as ``'copy'``, and then the parameters are initialized again, as
            are the other values of the links and hooks of this package, such as running
            statistics. A parameter that was created from an array without a shape keeps
            its value.

        Returns
        -------
        Link
            The copy.

        Raises
        ------
        ValueError
            If ``mode`` is not one of the three.
        """
        clone = self._copy_before_children(mode)
        if mode == 'init':
            clone._initialize_values()
        return clone

    def _copy_before_children(self: _Link, mode) -> _Link:
        if mode == 'share':
            clone = copy.copy(self)
            clone._separate()
            return clone
        _check_copy_mode(mode)
        clone = copy.deepcopy(self)
        if mode == 'init':
            for param in clone.params(include_uninit=False):
                param.initialize(param.shape)
        return clone

    def _separate(self):
        """Separate a shallow copy from its original, with which it shares arrays."""
        self._params, self._persistent = set(self._params), set(self._persistent)
        if self._local_link_hooks is not None:
            self._local_link_hooks = self._local_link_hooks.copy()
        self.name = None
        attributes = self.__dict__
        for name in self._params:
            attributes[name] = copy.copy(attributes[name])
            attributes[name].grad = None

    def _initialize_values(self):
        """Initialize again the values that have no initializer.

        The method of the children has run before. Links that have values other than
        parameters, or that fill parameters themselves, extend it.
        """
        for hook in (self._local_link_hooks or {}).values():
            hook._initialize_values(self)

    def repeat(self, n_repeat: int, mode: str = 'init') -> Sequential:
        """Return a :class:`chainer_fast.Sequential` of copies of this link.

        Parameters
        ----------
        n_repeat : int
            Number of copies; none if it is negative.
        mode : {'init', 'copy', 'share'}
            How to copy; see :meth:`copy`.

        Returns
        -------
        chainer_fast.Sequential
            The copies.

        Raises
        ------
        ValueError
            If ``mode`` is not one of the three.
        """
        repeated = _bound.Sequential()
        if not n_repeat <= 0:  # NaN is not a number of copies
            _check_copy_mode(mode)
            for _ in range(_numbers.plain(n_repeat)):
                repeated.append(self.copy(mode))
        return repeated

    def copyparams(self, link: Link, copy_persistent: bool = True) -> None:
        """Copy the values of all parameters from a link of the same structure.

        Parameters
        ----------
        link : Link
            Link to copy from.
        copy_persistent : bool
            Whether to copy persistent values, too.
        """
        source = _attributes_of(link)
        attributes = self.__dict__
        for name in sorted(self._params):
            attributes[name].copydata(source[name])
        if copy_persistent:
            array_types = get_array_types()
            for name in sorted(self._persistent):
                mine, theirs = attributes[name], source[name]
                if isinstance(mine, array_types) and isinstance(theirs, array_types):
                    backend.copyto(mine, theirs)
                else:
                    attributes[name] = copy.deepcopy(theirs)
        for name, child in self._named_children():
            child.copyparams(self._child_like(link, name), copy_persistent)

    def count_params(self) -> int:
        """Return the number of elements of all parameters.

        Returns
        -------
        int
            The sum of their sizes.

        Warns
        -----
        UserWarning
            For each parameter that is not initialized. Its elements are not counted.
        """
        total = 0
        for path, param in self.namedparams():
            if param.array is None:
                warnings.warn(
                    "Parameter '%s' is not initialized, so its elements are not counted"
                    % (path,))
            else:
                total += param.size
        return total

    def zerograds(self) -> None:
        """Fill the gradients of all parameters with zeros.

        .. deprecated:: v1.15
            Use :meth:`cleargrads`, which is faster.
        """
        warnings.warn(
            'Link.zerograds is deprecated. Use Link.cleargrads instead.',
            DeprecationWarning)
        for each in self.params():
            each.zerograd()

    def addgrads(self, link: Link) -> None:
        """Add the gradients of a link of the same structure to those of this one.

        Parameters
        ----------
        link : Link
            Link whose gradients are added.
        """
        source = _attributes_of(link)
        attributes = self.__dict__
        for name in sorted(self._params):
            attributes[name].addgrad(source[name])
        for name, child in self._named_children():
            child.addgrads(self._child_like(link, name))

    def enable_update(self) -> None:
        """Let optimizers update the parameters again."""
        self.__set_update_enabled(True)

    def disable_update(self) -> None:
        """Keep optimizers from updating the parameters."""
        self.__set_update_enabled(False)

    def __set_update_enabled(self, enabled) -> None:
        for param in self.params():
            if param.update_rule is not None:
                param.update_rule.enabled = enabled

    @property
    def update_enabled(self) -> bool:
        """bool: Whether optimizers update any parameter of the hierarchy."""
        return any(
            param.update_rule is not None and param.update_rule.enabled
            for param in self.params())

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the parameters and persistent values.

        Loading initializes a parameter that is not initialized.

        Parameters
        ----------
        serializer : chainer_fast.AbstractSerializer
            Serializer that saves the values, or deserializer that loads into them.
        """
        is_hooked_and_loads = self._local_link_hooks and isinstance(
            serializer, Deserializer)
        if is_hooked_and_loads:
            self._expect_values()
        attributes, late = self.__dict__, self._late
        for name in sorted(self._params):
            param = attributes[name]
            loaded = (self._serialize_late(serializer, name, param.data)
                      if name in late else serializer(name, param.data))
            if loaded is not None and param.data is None:
                param.initialize(loaded.shape)
                backend.copyto(param.data, loaded)  # type: ignore[arg-type]
        for name in sorted(self._persistent):
            value = attributes[name]
            loaded = (self._serialize_late(serializer, name, value)
                      if name in late else serializer(name, value))
            attributes[name] = self._sent(loaded) if value is None else loaded
        if is_hooked_and_loads:
            self._await_values(serializer, {
                *self._params, *self._persistent,
                *[name for name, _ in self._named_children()]})
        for name, child in self._named_children():
            child.serialize(serializer[name])

    # ---- devices

    @property
    def _device_id(self):
        warnings.warn(
            'Link._device_id is left only for backward compatibility and likely to be '
            'removed. Use Link.device instead.', DeprecationWarning)
        device: Any = self.device
        return device.device.id if device.xp is not numpy else None

    def device_resident_accept(self, visitor: DeviceResidentsVisitor) -> None:
        super().device_resident_accept(visitor)
        attributes = self.__dict__
        for name in sorted(self._params):
            visitor.visit_variable(attributes[name])
        array_types = get_array_types()
        for name in sorted(self._persistent):
            if isinstance(attributes[name], array_types):
                attributes[name] = visitor.visit_array(attributes[name])
        for _, child in self._named_children():
            child.device_resident_accept(visitor)


def _move(name, source, destination):
    destination.add(name)
    source.discard(name)


def _check_copy_mode(mode):
    if mode not in ('init', 'copy', 'share'):
        raise ValueError(
            "mode must be 'init', 'copy' or 'share', not %r" % (mode,))


class Chain(Link):
    """A link composed of child links, which are its attributes.

    Links assigned inside of :meth:`init_scope` become children. Their parameters are
    parameters of the chain, too.

    Parameters
    ----------
    **links : Link
        Children by name.

    Raises
    ------
    TypeError
        If an argument is not a link.
    AttributeError
        If a child has the name of an attribute.

    See Also
    --------
    chainer_fast.ChainList
    chainer_fast.Sequential

    Examples
    --------
    >>> class Perceptron(chainer.Chain):
    ...     def __init__(self, n_hidden, n_out):
    ...         super().__init__()
    ...         with self.init_scope():
    ...             self.hidden = L.Linear(None, n_hidden)
    ...             self.out = L.Linear(n_hidden, n_out)
    ...     def forward(self, x):
    ...         return self.out(F.relu(self.hidden(x)))
    >>> model = Perceptron(10, 2)
    >>> model(np.ones((4, 3), np.float32)).shape
    (4, 2)
    >>> [name for name, param in model.namedparams()]
    ['/hidden/W', '/hidden/b', '/out/W', '/out/b']
    >>> [child.name for child in model.children()]
    ['hidden', 'out']
    """

    _has_children = True

    def __init__(self, **links: Link) -> None:
        super().__init__()
        self._children = set()
        for name, link in links.items():
            self.add_link(name, link)

    def __str__(self) -> str:
        return self._describe_children()

    def __getitem__(self, name: str) -> Any:
        """Return the attribute with a given name, such as a child."""
        return getattr(self, name)

    def _register(self, name, value):
        if isinstance(value, Link):
            if hasattr(self, name):
                raise AttributeError(
                    'cannot register a new link %s: attribute exists' % (name,))
            value.name = name
            self._children.add(name)
        else:
            super()._register(name, value)

    def add_link(self, name: str, link: Link) -> None:
        """Register a child link.

        Parameters
        ----------
        name : str
            Name of the child, which becomes an attribute.
        link : Link
            The child.

        Raises
        ------
        AttributeError
            If the chain has an attribute of that name.
        TypeError
            If ``link`` is not a link.
        """
        if not isinstance(link, Link):
            self._check_unused(name, 'link')
            raise TypeError(
                'only a link can be the child %s of a chain, not %s'
                % (name, type(link)))
        with self.init_scope():
            setattr(self, name, link)

    def _named_children(self):
        for name in sorted(self._children):
            yield name, self.__dict__[name]

    def copy(self: _Link, mode: str = 'share') -> _Link:
        clone: Any = self._copy_before_children(mode)
        clone._children = set(clone._children)
        attributes = clone.__dict__
        for name, child in clone._named_children():
            attributes[name] = child.copy(mode)
            attributes[name].name = name
        if mode == 'init':
            clone._initialize_values()
        return clone


class ChainList(Link, collections.abc.MutableSequence[Any]):
    """A link composed of child links in a list.

    It behaves like a list of its children, whose names are their positions. In contrast
    to :class:`chainer_fast.Chain`, children are not attributes, and cannot be assigned
    inside of :meth:`init_scope`.

    Parameters
    ----------
    *links : Link
        The children.

    Raises
    ------
    TypeError
        If a link is assigned inside of :meth:`init_scope`.

    See Also
    --------
    chainer_fast.Chain
    chainer_fast.Sequential

    Examples
    --------
    >>> class Tower(chainer.ChainList):
    ...     def __init__(self, widths):
    ...         super().__init__(*[L.Linear(None, n) for n in widths])
    ...     def forward(self, x):
    ...         for layer in self:
    ...             x = F.relu(layer(x))
    ...         return x
    >>> tower = Tower([10, 20])
    >>> tower(np.ones((4, 3), np.float32)).shape
    (4, 20)
    >>> len(tower), tower[1].W.shape
    (2, (20, 10))
    """

    _has_children = True

    def __init__(self, *links: Link) -> None:
        super().__init__()
        self._children = []
        for link in links:
            self.add_link(link)

    def __str__(self) -> str:
        return self._describe_children()

    def _register(self, name, value):
        if isinstance(value, Link):
            raise TypeError(
                'a child of a ChainList has no attribute name (%s); use add_link(), or '
                'assign it outside of the "with init_scope()" block' % (name,))
        super()._register(name, value)

    def _renumber(self, first=0):
        for position in range(first, len(self._children)):
            self._children[position].name = str(position)

    def __len__(self) -> int:
        return len(self._children)

    def __iter__(self) -> Iterator[Link]:
        return iter(self._children)

    @overload
    def __getitem__(self, index: int) -> Link: ...
    @overload
    def __getitem__(self, index: slice) -> list[Link]: ...
    def __getitem__(self, index: int | slice) -> Link | list[Link]:
        """Return the child at an index, or a list of the children in a slice."""
        return self._children[index]

    def __setitem__(self, index: int | slice, value: Any) -> None:
        if isinstance(index, slice):
            self._children[index] = value
        elif isinstance(index, int):
            self._children[index]  # before the child is named
            value.name = None  # so that only links pass
            self._children[index] = value
        else:
            raise TypeError(
                'children have integers or slices as indices, not %s' % type(index))
        self._renumber()

    def __delitem__(self, index: int | slice) -> None:
        del self._children[index]
        self._renumber()

    def insert(self, index: int, link: Link) -> None:
        """Insert a child.

        Parameters
        ----------
        index : int
            Position before which to insert, as for a list.
        link : Link
            The child.
        """
        try:
            link.name = None  # so that only links pass
        except AttributeError:
            mistakes.require(link, 'name', 'a child of a ChainList must be a link' + (
                ': ChainList(*links) accepts them as separate arguments' if isinstance(
                    link, (list, tuple)) else ''))
            raise
        first, _, _ = slice(index, None).indices(len(self._children))
        self._children.insert(index, link)
        self._renumber(first)

    def add_link(self, link: Link) -> None:
        """Append a child; the same as :meth:`append`.

        Parameters
        ----------
        link : Link
            The child.
        """
        self.append(link)

    def _named_children(self):
        for i, child in enumerate(self._children):
            yield str(i), child

    def _child_like(self, link, name):
        return link[int(name)]

    def copy(self: _Link, mode: str = 'share') -> _Link:
        """Copy the list and its children.

        Parameters
        ----------
        mode : {'share', 'copy', 'init'}
            How to copy; see :meth:`chainer_fast.Link.copy`.

        Returns
        -------
        ChainList
            The copy.
        """
        _check_copy_mode(mode)
        children = [child.copy(mode) for child in self._children]
        clone: Any
        if mode == 'share':
            clone = super().copy()
        else:
            # Other references to a child refer to its copy afterwards.
            memo: Any = dict(zip(map(id, self._children), children, strict=True))
            clone = copy.deepcopy(self, memo)
        clone._children = children
        clone._renumber()
        if mode == 'init':
            clone._initialize_own()
        return clone

    def _initialize_own(self):
        """Initialize the values of the list itself, not those of its children."""
        for name in sorted(self._params):
            param = self.__dict__[name]
            if param.is_initialized:
                param.initialize(param.shape)
        self._initialize_values()


links.bind(
    parameter=variable.Parameter, chain_list=ChainList, note_place=_place.note,
    call_with_hooks=link_hook._call)
