"""Base of probability distributions, and divergences between them."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from chainer_fast import _numbers, backend
from chainer_fast.functions.array import reshape
from chainer_fast.types import Xp
from chainer_fast.utils.cache import cached_property
from chainer_fast.variable import Variable, VariableOrArray

_PACKAGE = __name__.partition('.')[0]


class Distribution:
    """Base of probability distributions.

    An object is a batch of independent distributions of one family, each with its own
    parameters: ``batch_shape`` is the shape of the batch, and ``event_shape`` the shape
    of one sample of one distribution. Methods for which a family has no formula raise
    :class:`NotImplementedError`.

    Points ``x`` at which functions are evaluated have the shape ``sample_shape +
    batch_shape + event_shape``, the results ``sample_shape + batch_shape``. Results are
    variables that are differentiable with respect to the points and the parameters.

    Raises
    ------
    NotImplementedError
        In methods and attributes for which the family has no formula.

    See Also
    --------
    chainer_fast.distributions
    chainer_fast.kl_divergence

    Examples
    --------
    >>> d = chainer.distributions.Normal(np.zeros((3, 2), 'f'), np.ones((3, 2), 'f'))
    >>> d.batch_shape, d.event_shape
    ((3, 2), ())
    >>> x = d.sample((5,))
    >>> x.shape, d.log_prob(x).shape
    ((5, 3, 2), (5, 3, 2))
    """

    def __setstate__(self, state: Any) -> None:
        slots = {}
        if isinstance(state, tuple):    # of a subclass that has slots
            state, slots = state
        vars(self).update(_under_own_names(type(self), state or {}))
        for name, value in slots.items():
            setattr(self, name, value)

    # Shapes and parameters
    #

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """tuple of int: Shape of the batch of distributions."""
        raise NotImplementedError

    @property
    def event_shape(self) -> tuple[int, ...]:
        """tuple of int: Shape of a sample of one distribution of the batch."""
        raise NotImplementedError

    @property
    def params(self) -> dict[str, VariableOrArray]:
        """dict of (str, Variable): Parameters, by name."""
        raise NotImplementedError

    @property
    def support(self) -> str:
        """str: Set of values that samples can have, such as ``'real'``."""
        raise NotImplementedError

    @property
    def xp(self) -> Xp:
        """Array module of the parameters: :mod:`numpy` or :mod:`cupy`."""
        return backend.get_array_module(*self.params.values())

    # Functions of a point
    #

    def prob(self, x: VariableOrArray) -> Variable:
        """Return the probability density, or the probability of a discrete value.

        Parameters
        ----------
        x : Variable or array
            Points.

        Returns
        -------
        Variable
            Densities or probabilities, of the shape ``sample_shape + batch_shape``.

        Raises
        ------
        NotImplementedError
            If the family defines :meth:`log_prob` only.
        """
        raise NotImplementedError

    def log_prob(self, x: VariableOrArray) -> Variable:
        """Return the logarithm of :meth:`prob`.

        Parameters
        ----------
        x : Variable or array
            Points. The result is minus infinity outside of the support.

        Returns
        -------
        Variable
            Logarithms, of the shape ``sample_shape + batch_shape``.
        """
        raise NotImplementedError

    def cdf(self, x: VariableOrArray) -> Variable:
        """Return the probability of a value up to ``x``.

        Parameters
        ----------
        x : Variable or array
            Points.

        Returns
        -------
        Variable
            Probabilities, of the shape of ``x``.
        """
        raise NotImplementedError

    def log_cdf(self, x: VariableOrArray) -> Variable:
        """Return the logarithm of :meth:`cdf`.

        Parameters
        ----------
        x : Variable or array
            Points.

        Returns
        -------
        Variable
            Logarithms, of the shape of ``x``.
        """
        raise NotImplementedError

    def icdf(self, x: VariableOrArray) -> Variable:
        """Return the points at which :meth:`cdf` has given values.

        Parameters
        ----------
        x : Variable or array
            Probabilities, from 0 to 1.

        Returns
        -------
        Variable
            Quantiles, of the shape of ``x``.
        """
        raise NotImplementedError

    def survival_function(self, x: VariableOrArray) -> Variable:
        """Return the probability of a value above ``x``.

        Parameters
        ----------
        x : Variable or array
            Points.

        Returns
        -------
        Variable
            Probabilities, of the shape of ``x``.
        """
        raise NotImplementedError

    def log_survival_function(self, x: VariableOrArray) -> Variable:
        """Return the logarithm of :meth:`survival_function`.

        Parameters
        ----------
        x : Variable or array
            Points.

        Returns
        -------
        Variable
            Logarithms, of the shape of ``x``.
        """
        raise NotImplementedError

    def perplexity(self, x: VariableOrArray) -> Variable:
        """Return the perplexity of the distribution at ``x``.

        Parameters
        ----------
        x : Variable or array
            Points.

        Returns
        -------
        Variable
            Perplexities, of the shape of the batch.
        """
        raise NotImplementedError

    # Statistics
    #

    @property
    def mean(self) -> Variable:
        """Variable: Mean, of the shape ``batch_shape + event_shape``."""
        raise NotImplementedError

    @property
    def mode(self) -> Variable:
        """Variable: Most probable value, of the shape ``batch_shape + event_shape``."""
        raise NotImplementedError

    @property
    def variance(self) -> Variable:
        """Variable: Variance, of the shape ``batch_shape + event_shape``."""
        raise NotImplementedError

    @property
    def stddev(self) -> Variable:
        """Variable: Standard deviation, of the shape ``batch_shape + event_shape``."""
        raise NotImplementedError

    @property
    def covariance(self) -> Variable:
        """Variable: Covariance matrix of the elements of a sample.

        Its shape is ``batch_shape + (n, n)``, where ``n`` is the size of a sample.
        """
        raise NotImplementedError

    @property
    def entropy(self) -> Variable:
        """Variable: Entropy in nats, of the shape ``batch_shape``."""
        raise NotImplementedError

    # Samples
    #

    def sample(self, sample_shape: tuple[int, ...] = ()) -> Variable:
        """Draw samples.

        If the family permits, a sample is a function of the parameters and of noise,
        and is differentiable with respect to the parameters.

        Parameters
        ----------
        sample_shape : tuple of int or int
            Number of samples from each distribution.

        Returns
        -------
        Variable
            Samples, of the shape ``sample_shape + batch_shape + event_shape``.
        """
        if isinstance(sample_shape, int):
            return self.sample_n(sample_shape)
        sample_shape = _numbers.plain_all(sample_shape)
        drawn = self.sample_n(math.prod(sample_shape))
        return reshape.reshape(
            drawn, sample_shape + self.batch_shape + self.event_shape)

    def sample_n(self, n: int) -> Variable:
        """Draw ``n`` samples.

        Families override this method; :meth:`sample` reshapes its result.

        Parameters
        ----------
        n : int
            Number of samples from each distribution.

        Returns
        -------
        Variable
            Samples, of the shape ``(n,) + batch_shape + event_shape``.
        """
        raise NotImplementedError


def _under_own_names(cls, state):
    """Return the attributes of a distribution pickled by this package or by Chainer.

    Chainer stores parameters under names such as ``_Normal__loc``; here the name is
    ``_loc``. Values computed from them are dropped, because their graphs are lost.
    """
    hidden = {}
    for base in cls.__mro__:
        start = '_%s__' % base.__name__
        names = [name for name in state if name.startswith(start)]
        # A subclass of the same name may define its own private attributes.
        if (base.__module__.partition('.')[0] == _PACKAGE
                and any(hasattr(base, name[len(start):]) for name in names)):
            hidden.update({name: name[len(start) - 1:] for name in names})
    if not hidden:
        return state
    return {hidden.get(name, name): value for name, value in state.items()
            if not _is_computed(cls, name, value)}


def _is_computed(cls, name, value):
    """Return whether an attribute caches values computed with and without a graph."""
    if isinstance(getattr(cls, name, None), cached_property):
        return True
    return (type(value) is dict and bool(value)
            and all(type(has_graph) is bool for has_graph in value))


# Formulas of divergences, by the classes of both distributions. Subclasses do not
# inherit them, since the formulas may not hold for subclasses.
_KLDIVERGENCE = {}


def register_kl(Dist1: type, Dist2: type) -> Callable[..., Any]:
    """Return a decorator that registers a formula for :func:`kl_divergence`.

    Parameters
    ----------
    Dist1 : type
        Class of the first distribution, without its subclasses.
    Dist2 : type
        Class of the second distribution.

    Returns
    -------
    callable
        Decorator of a function of the two distributions that returns their divergence.
        The function's name is bound to ``None``: it is only called by
        :func:`kl_divergence`.

    See Also
    --------
    chainer_fast.kl_divergence

    Examples
    --------
    >>> class Point(chainer.Distribution):
    ...     def __init__(self, loc):
    ...         self.loc = loc
    >>> @chainer.register_kl(Point, Point)
    ... def _kl_point_point(dist1, dist2):
    ...     return 0. if dist1.loc == dist2.loc else float('inf')
    >>> chainer.kl_divergence(Point(1), Point(2))
    inf
    """
    def register(formula):
        _KLDIVERGENCE[Dist1, Dist2] = formula

    return register


def kl_divergence(dist1: Distribution, dist2: Distribution) -> Variable:
    """Kullback-Leibler divergence of a distribution from another.

    .. math::

        D_{KL}(p \\| q) = \\int p(x) \\log \\frac{p(x)}{q(x)} dx

    It is computed by a formula, not by sampling.

    Parameters
    ----------
    dist1 : Distribution
        The distribution :math:`p`.
    dist2 : Distribution
        The distribution :math:`q`, with the same event shape. Batches are broadcast.

    Returns
    -------
    Variable
        Divergences in nats, of the shape of the batch.

    Raises
    ------
    KeyError
        If there is no formula for the two classes; see :func:`register_kl`.

    See Also
    --------
    chainer_fast.cross_entropy
    chainer_fast.register_kl

    Examples
    --------
    >>> p = chainer.distributions.Normal(np.float32([1]), np.float32([1]))
    >>> q = chainer.distributions.Normal(np.float32([0]), np.float32([1]))
    >>> chainer.kl_divergence(p, q).array
    array([0.5], dtype=float32)
    """
    return _KLDIVERGENCE[type(dist1), type(dist2)](dist1, dist2)


def cross_entropy(dist1: Distribution, dist2: Distribution) -> Variable:
    """Cross entropy of a distribution relative to another.

    .. math::

        H(p, q) = - \\int p(x) \\log q(x) dx = H(p) + D_{KL}(p \\| q)

    Parameters
    ----------
    dist1 : Distribution
        The distribution :math:`p`.
    dist2 : Distribution
        The distribution :math:`q`.

    Returns
    -------
    Variable
        Cross entropies in nats, of the shape of the batch.

    Raises
    ------
    KeyError
        If there is no formula for the divergence; see :func:`register_kl`.

    See Also
    --------
    chainer_fast.kl_divergence

    Examples
    --------
    >>> p, q = [chainer.distributions.Bernoulli(np.float32([p])) for p in (0.5, 0.25)]
    >>> chainer.cross_entropy(p, q).array
    array([0.837], dtype=float32)
    """
    entropy = dist1.entropy
    # Users' distributions may have a method instead of a property.
    if callable(entropy):
        entropy = entropy()
    return entropy + kl_divergence(dist1, dist2)
