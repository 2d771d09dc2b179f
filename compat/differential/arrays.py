"""Makes the arrays that a case describes: values, types and layouts in memory."""

import numpy as np

LAYOUTS = ('C', 'F', 'strided', 'reversed', 'readonly', 'broadcast', 'odd', 'swapped')
SPECIALS = (
    'nan',
    'inf',
    '-inf',
    'largest',
    'smallest',
    'ties',
    'zeros',
    'negative zero',
    'ones',
    'all nan',
)


def _fill(spec):
    shape = tuple(spec['shape'])
    random = np.random.RandomState(spec['seed'] + sum(shape) + 17 * len(shape))
    fill = spec['fill']
    if fill == 'normal':
        return random.standard_normal(shape)
    if fill == 'positive':
        return random.uniform(0.2, 2.0, shape)
    if fill == 'unit':
        return random.uniform(0.05, 0.95, shape)
    if fill == 'bool':
        return random.randint(0, 2, shape).astype('?')
    if fill == 'orders':
        return random.permutation(shape[0])
    if fill == 'definite':
        half = random.standard_normal(shape)
        return np.matmul(half, np.swapaxes(half, -1, -2)) + 2 * np.eye(shape[-1])
    if fill == 'simplex':
        values = random.uniform(0.1, 1.0, shape)
        return values / values.sum(axis=-1, keepdims=True)
    if fill.startswith('ids:'):
        return random.randint(0, int(fill[4:]), shape)
    if fill == 'given':
        # A mutation may have changed the shape.
        values = np.asarray(spec['values'])
        return values if values.shape == shape else np.resize(values, shape)
    raise ValueError('no way to fill an array is called %r' % fill)


def _spoil(values, special):
    """Write special values, in place where not all become the same."""
    kind = values.dtype.kind
    if special == 'zeros':
        return np.zeros_like(values)
    if special == 'ones':
        return np.ones_like(values)
    if special == 'ties':
        return np.round(values) if kind == 'f' else values // 2
    flat = values.reshape(-1)[::2]  # a view: the array is contiguous
    if special in ('largest', 'smallest'):
        if kind in 'iu':
            range_ = np.iinfo(values.dtype)
            flat[...] = range_.max if special == 'largest' else range_.min
        elif kind == 'f':
            range_ = np.finfo(values.dtype)
            flat[...] = range_.max if special == 'largest' else range_.tiny / 4
    elif kind == 'f':
        if special == 'all nan':
            values[...] = np.nan
        else:
            flat[...] = {
                'nan': np.nan,
                'inf': np.inf,
                '-inf': -np.inf,
                'negative zero': -0.0,
            }[special]
    return values


def _lay(values, layout):
    """Return the same values in a layout; ``'broadcast'`` repeats the first row."""
    if layout == 'F':
        return np.asfortranarray(values)
    if layout == 'strided':
        if values.ndim == 0:
            return np.repeat(values, 3)[1:2].reshape(())
        wide = np.repeat(values, 2, axis=-1)
        return wide[..., ::2]
    if layout == 'reversed':
        return values[::-1].copy()[::-1] if values.ndim else values
    if layout == 'swapped' and values.ndim > 1:
        return np.swapaxes(np.swapaxes(values, 0, 1).copy(), 0, 1)
    if layout == 'broadcast' and values.ndim and values.shape[0]:
        return np.broadcast_to(values[:1], values.shape)
    if layout == 'odd':
        buffer = np.zeros(values.nbytes + 1, np.uint8)
        odd = buffer[1:].view(values.dtype).reshape(values.shape)
        odd[...] = values
        return odd
    if layout == 'readonly':
        values.flags.writeable = False
    return values


def make(spec):
    """Return the array of a description."""
    with np.errstate(all='ignore'):
        values = np.array(_fill(spec)).astype(np.dtype(spec['dtype']), order='C')
        special = spec.get('special')
        if special:
            values = _spoil(values, special)
    return _lay(values, spec.get('layout', 'C'))
