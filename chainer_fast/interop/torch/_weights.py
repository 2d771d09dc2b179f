"""Conversion of the weights of links to and from the state_dict of modules."""
from __future__ import annotations

import collections.abc
import numbers
from collections.abc import Mapping
from typing import Any

import numpy
import torch

from chainer_fast import backend
from chainer_fast._help import mistakes
from chainer_fast.backends import cuda
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.interop.torch import _layers, _networks
from chainer_fast.link import Link
from chainer_fast.variable import Parameter


def torch_state_dict(link: Link) -> dict[str, torch.Tensor]:
    """Return the weights of a link with the names and layouts of a PyTorch module.

    The module has the structure of the link: standard links correspond to the
    equivalent layers (see the table in ``docs/interop.md``), children keep their names,
    and networks of :mod:`chainer_fast.links.model.vision` have the names of
    torchvision. ::

        module.load_state_dict(torch_state_dict(link))

    Parameters
    ----------
    link : chainer_fast.Link
        The link.

    Returns
    -------
    dict
        Copies in host memory, by name.

    Raises
    ------
    ValueError
        If a parameter is not initialized, or PyTorch has no equivalent layer.
    """
    state = {}
    for part, prefix, field in _fields(link):
        values = [_value(part, name) for name in field.names]
        for name, value in zip(field.names, values, strict=True):
            if value is None:
                raise ValueError(
                    'the parameter %s of %s is not initialized: call the link once '
                    'first' % (name, _describe(part, prefix)))
        arrays = field.dump(*[_to_numpy(value) for value in values])
        for key, array in zip(field.keys, arrays, strict=True):
            state[prefix + key] = torch.from_numpy(array.copy())
    return state


def load_torch_state_dict(
        link: Link, state_dict: Mapping[str, Any], strict: bool = True) -> None:
    """Load the weights of a PyTorch module into a link.

    See :func:`torch_state_dict` for the correspondence. Uninitialized parameters get
    the shapes of the loaded values. The link keeps its dtypes. If an error occurs, the
    link is not changed.

    Parameters
    ----------
    link : chainer_fast.Link
        The link.
    state_dict : dict
        Tensors or arrays by name. Those of dtype bfloat16 are converted to float32.
    strict : bool
        Whether names that only one side has are an error; otherwise they are ignored.

    Raises
    ------
    TypeError
        If ``state_dict`` is not a mapping of tensors, or a dtype cannot be cast.
    KeyError
        If ``strict`` is true, and a name is missing in ``state_dict`` or in the link.
    ValueError
        If a shape does not match, or the PyTorch layer is not equivalent.
    """
    if not isinstance(state_dict, collections.abc.Mapping):
        raise TypeError(
            'load_torch_state_dict needs the state_dict of a module, not %s: call its '
            'method state_dict()' % type(state_dict))
    mistakes.require(link, 'namedparams', (
        'load_torch_state_dict(link, state_dict) loads into a link of Chainer'))
    plan, missing, known = [], [], set()
    for part, prefix, field in _fields(link):
        keys = [prefix + key for key in field.keys]
        absent = [key for key in keys if key not in state_dict]
        known.update(keys)
        if absent:
            if not field.is_optional:
                missing += absent
            continue
        arrays = [_read(key, state_dict[key]) for key in keys]
        _check_shapes(part, prefix, field, arrays)
        for name, value in zip(field.names, field.load(*arrays), strict=True):
            if value is not None:
                owner, name = _find(part, name)
                _check_dtype(keys[0], owner, name, value)
                plan.append((owner, name, value))
    unexpected = [key for key in state_dict if key not in known]
    if strict and (missing or unexpected):
        raise KeyError(
            'the state_dict does not fit the link %s.%s%s%s Name the children of the '
            'link as in the module, rename the keys, or pass strict=False.' % (
                type(link).__name__, _list('It lacks', missing),
                _list('Nothing in the link is', unexpected), _networks.hint(link)))
    for owner, name, value in plan:
        _assign(owner, name, value)


def _fields(link, prefix='', covered=()):
    """Yield all links below a link with their prefixes, and the fields of each.

    Fields of the values in ``covered`` are omitted.
    """
    try:
        fields = _layers.fields_of(link)
        names = _networks.child_names(link)
    except ValueError as error:
        raise ValueError('%s: %s' % (_describe(link, prefix), error)) from error
    known = {name for field in fields for name in field.names}
    for name in sorted(link._params | link._persistent):
        if name not in known and isinstance(
                link.__dict__[name], (Parameter, numbers.Number, *get_array_types())):
            fields.append(_layers.Field((name,), (name,)))
    yield from [(link, prefix, field) for field in fields
                if not any(name in covered for name in field.names)]
    known.update(covered)
    for name, child in link._named_children():
        below = [path[len(name) + 1:] for path in known if path.startswith(name + '.')]
        yield from _fields(child, '%s%s.' % (prefix, names.get(name, name)), below)


def _find(link, name):
    """Return the link below a link that has a value, and its name there."""
    *path, name = name.split('.')
    for child in path:
        link = dict(link._named_children())[child]
    return link, name


def _value(link, name):
    owner, name = _find(link, name)
    value = owner.__dict__[name]
    return value.array if isinstance(value, Parameter) else value


def _to_numpy(value):
    return numpy.asarray(cuda.to_cpu(value))


def _read(key, value):
    """Return a value of a state_dict as an array."""
    if isinstance(value, torch.Tensor):
        value = value.detach()
        if value.dtype == torch.bfloat16:
            value = value.float()
        try:
            return value.to('cpu').numpy()
        except (TypeError, NotImplementedError) as error:
            raise TypeError(
                '%r of the state_dict, a tensor of layout %s and dtype %s on %s, has '
                'no array: convert it first, for example with to_dense or float' % (
                    key, value.layout, value.dtype, value.device)) from error
    if not isinstance(value, (numpy.ndarray, numbers.Number, cuda.ndarray)):
        raise TypeError('%r of the state_dict is not a tensor, but %s' % (
            key, type(value)))
    return _to_numpy(value)


def _check_shapes(link, prefix, field, arrays):
    values = [_value(link, name) for name in field.names]
    if any(value is None for value in values):
        expected = [field.shape]
    else:
        # Zeros of these shapes that use no memory.
        zeros = [numpy.broadcast_to(0, numpy.shape(value)) for value in values]
        expected = [array.shape for array in field.dump(*zeros)]
    for key, array, shape in zip(field.keys, arrays, expected, strict=True):
        if shape is not None and not (
                len(shape) == array.ndim and all(
                    length in (None, given)
                    for length, given in zip(shape, array.shape, strict=True))):
            raise ValueError(
                '%r of the state_dict has the shape %s, and %s takes %s: make the '
                'link with the sizes of the module; or, if a part such as the head '
                'differs, load only the others, with strict=False and '
                '{key: value for key, value in state_dict.items() '
                'if not key.startswith(%r)}' % (
                    prefix + key, array.shape, _describe(link, prefix),
                    str(shape).replace('None', 'any'),
                    (prefix + key).rpartition('.')[0] + '.' if '.' in prefix + key
                    else prefix + key))


def _check_dtype(key, owner, name, value):
    target = owner.__dict__[name]
    if target is None or not hasattr(target, 'dtype') or (
            isinstance(target, Parameter) and not hasattr(
                target.initializer, 'dtype') and target.array is None):
        return
    if not numpy.can_cast(value.dtype, target.dtype, 'same_kind'):
        raise TypeError(
            '%r of the state_dict has the dtype %s, which cannot be cast to %s of the '
            'link' % (key, value.dtype, target.dtype))


def _assign(owner, name, value):
    target = owner.__dict__[name]
    if target is None:          # statistics whose shape is not known yet
        owner._initialize_params(value.shape)
        target = owner.__dict__[name]
    if isinstance(target, Parameter):
        if target.array is None:
            target.initialize(value.shape)
        target = target.array
    if isinstance(target, get_array_types()):
        backend.copyto(target, value.astype(target.dtype, copy=False))
    else:
        owner.__dict__[name] = type(target)(value.item())


def _describe(link, prefix):
    return '%s (%s)' % (prefix.rstrip('.') or 'the link', type(link).__name__)


def _list(what, keys):
    if not keys:
        return ''
    shown = ', '.join(map(repr, keys[:8]))
    return ' %s %s%s.' % (what, shown, ', ...' if len(keys) > 8 else '')
