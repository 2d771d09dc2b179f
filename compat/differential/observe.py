"""Describes the outcome of a case, with values that JSON has."""

import linecache
import random
import re
import warnings

import numpy as np

from compat.differential import builder, scenes, scenes_of_data, scenes_of_updates

_MOST = 24  # numbers of an array that are written down; others are sampled
_ADDRESS = re.compile(r'0x[0-9a-f]{6,}|_?\d{9,}|^_\d+$')
_DIGITS = re.compile(r'\d+\.\d{4,}')


def _number(value):
    return float('%.9g' % value) if np.isfinite(value) else repr(float(value))


def _numbers(values):
    kind = values.dtype.kind
    if kind == 'c':
        return [_numbers(values.real), _numbers(values.imag)]
    if kind in 'biu':
        values = values.astype(float)
    return [_number(each) for each in values.astype(float).ravel()]


def _text(value):
    """Return a text without addresses and last digits."""
    value = _ADDRESS.sub('...', value.replace('chainer_fast', 'chainer'))
    return ' '.join(_DIGITS.sub(lambda m: '%.3f' % float(m[0]), value).split())[:200]


def told(array):
    """Return type, shape and numbers of an array: of a large one samples and a sum."""
    array = np.asarray(array)
    head = [array.dtype.str, list(array.shape)]
    if array.dtype.kind not in 'biufc':
        return [*head, [str(each)[:40] for each in array.ravel()[:_MOST]]]
    if array.size <= _MOST:
        return [*head, _numbers(array)]
    flat = array.ravel()
    steps = np.linspace(0, flat.size - 1, 12).astype(int)
    with np.errstate(all='ignore'):
        wide = flat.astype('c16' if flat.dtype.kind == 'c' else 'f8')
        finite = wide[np.isfinite(wide)]
        total = np.array([np.sum(finite * np.cos(np.arange(finite.size))), finite.size])
    return [
        *head,
        _numbers(flat[steps])
        + _numbers(total)
        + _numbers(np.array([np.sqrt(np.sum(np.abs(finite) ** 2))])),
    ]


def scene(name):
    """Return the scene of a name."""
    for module in scenes, scenes_of_data, scenes_of_updates:
        if hasattr(module, name):
            return getattr(module, name)
    raise LookupError('no scene is called %s' % name)


def _is_meant(error):
    """Return whether the library raised an exception itself.

    Others come from a computation that went wrong, or are about that.
    """
    place = error.__traceback__
    while place.tb_next is not None:
        place = place.tb_next
    code = place.tb_frame.f_code
    line = linecache.getline(code.co_filename, place.tb_lineno).strip()
    return (
        'chainer' in code.co_filename
        and line.startswith('raise')
        and 'has a bug' not in str(error)
    )


class Observer:
    """Makes the cases of one library, one after another."""

    def __init__(self, library):
        self.library = library
        self.chainer = library.chainer
        self._config = dict(vars(library.chainer.global_config))

    def _reset(self, case):
        chainer = self.chainer
        vars(chainer.config._local).clear()
        for key, value in self._config.items():
            setattr(chainer.global_config, key, value)
        for key, value in case['config'].items():
            if isinstance(value, dict):
                value = builder.Builder(self.library).build(value)
            if key == 'dtype' and value == 'mixed16':
                value = chainer.mixed16
            setattr(chainer.config, key, value)
        np.random.seed(case['seed'])
        random.seed(case['seed'])

    def observe(self, case):
        """Return the outcome of a case."""
        with warnings.catch_warnings(record=True) as caught, np.errstate(all='warn'):
            warnings.simplefilter('always')
            outcome = self._observe(case)
        # Files that are not closed show when they are collected.
        outcome['warnings'] = sorted(
            {each.category.__name__ for each in caught} - {'ResourceWarning'}
        )
        outcome['random'] = int(np.random.randint(2**31)), random.randrange(2**31)
        vars(self.chainer.config._local).clear()
        return outcome

    def _observe(self, case):
        outcome = {'stage': 'arguments'}
        build = builder.Builder(self.library)
        try:
            self._reset(case)
            args = build.build(case['args'])
            kwargs = {key: build.build(each) for key, each in case['kwargs'].items()}
            then = build.build(case['then'])
            more = {key: build.build(each) for key, each in case['then_kwargs'].items()}
            before = [array.tobytes() for array in build.arrays]
            outcome['stage'] = 'call'
            made = self.library.find(case['name'])(*args, **kwargs)
            outcome['stage'] = 'scene'
            if case['scene'] == 'left':
                found = args[0]
            else:
                found = scene(case['scene'])(self.chainer, made, *then, **more)
            outcome['stage'] = 'result'
            leaves = []
            outcome['results'] = self._told(found, leaves)
            arrays = [np.asarray(getattr(each, 'array', each)) for each in leaves]
            outcome['shares'] = sorted(
                [i, j]
                for i, mine in enumerate(arrays)
                for j, theirs in enumerate(build.arrays)
                if mine.size and np.may_share_memory(mine, theirs)
            )
            outcome['stage'] = 'backward'
            links = [
                each
                for each in [made, *build.links]
                if isinstance(each, self.chainer.Link)
            ]
            self._differentiate(case, leaves, build, links, outcome)
            outcome['changed'] = [
                i
                for i, (old, array) in enumerate(zip(before, build.arrays, strict=True))
                if array.tobytes() != old
            ]
            outcome['stage'] = 'end'
        except Exception as e:
            outcome['error'] = [each.__name__ for each in type(e).__mro__[:-1]]
            outcome['message'] = str(e)[:300]
            outcome['meant'] = _is_meant(e)
        return outcome

    def _variables(self, build, links):
        found = [
            each for each in build.objects if isinstance(each, self.chainer.Variable)
        ]
        for link in links:
            found += [
                param
                for _, param in sorted(link.namedparams(), key=lambda pair: pair[0])
            ]
        kept = []
        for each in found:
            if all(each is not other for other in kept):
                kept.append(each)
        return kept

    def _differentiate(self, case, leaves, build, links, outcome):
        chainer = self.chainer
        ys = []
        for y in leaves:
            if (
                isinstance(y, chainer.Variable)
                and y.array is not None
                and (
                    y.dtype.kind == 'f'
                    and y.creator_node is not None
                    and all(y is not other for other in ys)
                )
            ):
                ys.append(y)
        if not ys:
            return
        for y in ys:
            y.grad = np.cos(np.arange(y.size)).reshape(y.shape).astype(y.dtype)
        xs = self._variables(build, links)
        if case['order'] == 1:
            chainer.backward(ys)
        else:
            usable = [
                x
                for x in xs
                if x.array is not None and x.requires_grad and x.dtype.kind == 'f'
            ]
            grads = chainer.grad(
                ys, usable, [y.grad_var for y in ys], enable_double_backprop=True
            )
            outcome['first'] = [None if g is None else told(g.array) for g in grads]
            # Gradients that are equal may be one variable, or two.
            sums = [
                chainer.functions.sum(
                    g * np.sin(np.arange(g.size) + 1.0).reshape(g.shape).astype(g.dtype)
                )
                for g in grads
                if g is not None and g.creator_node is not None
            ]
            if sums:
                chainer.backward(sums)
        outcome['grads'] = [None if x.grad is None else told(x.grad) for x in xs]
        outcome['grads share'] = sorted(
            [i, j]
            for i, x in enumerate(xs)
            for j, y in enumerate(build.arrays)
            if isinstance(x.grad, np.ndarray)
            and x.grad.size
            and np.may_share_memory(x.grad, y)
        )

    def _told(self, value, leaves, depth=0):
        """Return the words for a value; arrays and variables in it go to ``leaves``."""
        chainer = self.chainer
        if isinstance(value, chainer.Variable):
            leaves.append(value)
            kind = 'Parameter' if isinstance(value, chainer.Parameter) else 'Variable'
            return [
                kind,
                None if value.array is None else told(value.array),
                value.requires_grad,
            ]
        if isinstance(value, np.ndarray):
            leaves.append(value)
            return ['array', told(value)]
        if isinstance(value, np.generic):
            return ['scalar', told(value)]
        if value is None or isinstance(value, (bool, int)):
            return value
        if isinstance(value, float):
            return _number(value)
        if isinstance(value, str):
            return _text(value)
        if depth > 6:
            return '...'
        if isinstance(value, np.dtype):
            return ['dtype', value.str]
        if isinstance(value, scenes_of_data.Saved):
            return ['saved', self._told(dict(value), leaves, depth)]
        if isinstance(value, dict):
            return {
                str(key): self._told(value[key], leaves, depth + 1)
                for key in sorted(value, key=str)
            }
        if isinstance(value, (list, tuple)):
            return [
                type(value).__name__,
                [self._told(each, leaves, depth + 1) for each in value],
            ]
        if isinstance(value, chainer.Link):
            return [
                'link',
                type(value).__name__,
                {
                    name: self._told(param, leaves, depth + 1)
                    for name, param in sorted(value.namedparams())
                },
            ]
        if isinstance(value, type):
            return ['class', value.__name__]
        return ['object', type(value).__name__]
