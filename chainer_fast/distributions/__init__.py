"""Probability distributions whose densities can be differentiated."""
from chainer_fast.distributions import utils  # noqa: F401
