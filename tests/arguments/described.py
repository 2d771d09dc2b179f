"""Descriptions of calls and of the arrays that they take."""

import dataclasses
import typing as tp

import numpy as np


@dataclasses.dataclass(frozen=True)
class Array:
    """An input: floats that are all different, or ints below a bound."""

    shape: tuple[int, ...]
    below: int = 0
    dtype: tp.Any = np.float32
    positive: bool = False

    def make(self):
        count = int(np.prod(self.shape))
        if self.below:
            return (
                (np.arange(count) * 7 % self.below).astype(np.int32).reshape(self.shape)
            )
        values = np.sin(1.0 + 1.7 * np.arange(count))
        if self.positive:
            values = values**2 + 0.1
        return values.astype(self.dtype).reshape(self.shape)


@dataclasses.dataclass(frozen=True)
class Case:
    """A call of ``name``, whose keywords in ``varied`` are varied one by one."""

    name: str
    args: tuple[tp.Any, ...]
    varied: dict[str, tp.Any]
    fixed: dict[str, tp.Any]
    then: tuple[tp.Any, ...] = ()  # what a link or another callable is called with
    get: str = ''  # a method of the result; or '[]', its items


def x(*shape):
    return Array(shape)


def positive(*shape):
    return Array(shape, positive=True)


def ids(below, *shape):
    return Array(shape, below)


def case(name, *args, fixed=(), then=(), get='', **varied):
    return Case(name, args, varied, dict(fixed), then, get)


IMAGE = x(2, 3, 8, 6)
ROIS = np.array([[1, 1, 5, 5], [0, 2, 6, 4]], np.float32)
ROWS = np.array([0, 1], np.int32)


def sampler(size):
    count = int(np.prod(size))
    return (np.arange(count) * 3 % 5).astype(np.int32).reshape(size)


DISTRIBUTIONS = {
    'Bernoulli': dict(p=positive(2)),
    'Beta': dict(a=positive(2), b=positive(2)),
    'Categorical': dict(p=np.array([0.2, 0.8], np.float32)),
    'Cauchy': dict(loc=x(2), scale=positive(2)),
    'Chisquare': dict(k=ids(5, 2)),
    'Dirichlet': dict(alpha=positive(2)),
    'Exponential': dict(lam=positive(2)),
    'Gamma': dict(k=positive(2), theta=positive(2)),
    'Geometric': dict(p=np.array([0.2, 0.8], np.float32)),
    'Gumbel': dict(loc=x(2), scale=positive(2)),
    'Laplace': dict(loc=x(2), scale=positive(2)),
    'LogNormal': dict(mu=x(2), sigma=positive(2)),
    'MultivariateNormal': dict(loc=x(2), scale_tril=np.eye(2, dtype=np.float32)),
    'Normal': dict(loc=x(2), scale=positive(2)),
    'OneHotCategorical': dict(p=np.array([0.2, 0.8], np.float32)),
    'Pareto': dict(scale=positive(2), alpha=positive(2)),
    'Poisson': dict(lam=positive(2)),
    'Uniform': dict(low=np.zeros(2, np.float32), high=np.ones(2, np.float32)),
}
