"""Convolutions as they are defined: one product at a time."""
import itertools

import numpy as np

from tests.devices import to_cpu


def convolve(x, W, b, stride, pad, dilate, outs, groups=1):
    """Return the convolution in double precision, of arrays on any device."""
    x, W, b = to_cpu((x, W, b))
    nd = x.ndim - 2
    y = np.zeros((x.shape[0], W.shape[0], *outs))
    channels, filters = W.shape[1], W.shape[0] // groups
    for place in itertools.product(*map(range, outs)):
        for at in itertools.product(*map(range, W.shape[2:])):
            pixel = [place[i] * stride[i] + at[i] * dilate[i] - pad[i]
                     for i in range(nd)]
            if not all(0 <= p < n for p, n in zip(pixel, x.shape[2:], strict=True)):
                continue
            for g in range(groups):
                seen = x[(slice(None), slice(g * channels, (g + 1) * channels), *pixel)]
                part = slice(g * filters, (g + 1) * filters)
                y[(slice(None), part, *place)] += seen.astype('d') @ W[
                    (part, slice(None), *at)].T
    return y if b is None else y + b.reshape((-1,) + (1,) * nd)
