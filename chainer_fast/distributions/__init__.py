"""Probability distributions whose densities can be differentiated."""
from chainer_fast.distributions import utils as utils  # noqa: F401
from chainer_fast.distributions.bernoulli import Bernoulli as Bernoulli  # noqa: F401
from chainer_fast.distributions.beta import Beta as Beta  # noqa: F401
from chainer_fast.distributions.categorical import (
    Categorical as Categorical,
)  # noqa: F401
from chainer_fast.distributions.cauchy import Cauchy as Cauchy  # noqa: F401
from chainer_fast.distributions.chisquare import Chisquare as Chisquare  # noqa: F401
from chainer_fast.distributions.dirichlet import Dirichlet as Dirichlet  # noqa: F401
from chainer_fast.distributions.exponential import (
    Exponential as Exponential,
)  # noqa: F401
from chainer_fast.distributions.gamma import Gamma as Gamma  # noqa: F401
from chainer_fast.distributions.geometric import Geometric as Geometric  # noqa: F401
from chainer_fast.distributions.gumbel import Gumbel as Gumbel  # noqa: F401
from chainer_fast.distributions.independent import (
    Independent as Independent,
)  # noqa: F401
from chainer_fast.distributions.laplace import Laplace as Laplace  # noqa: F401
from chainer_fast.distributions.log_normal import LogNormal as LogNormal  # noqa: F401
from chainer_fast.distributions.multivariate_normal import (
    MultivariateNormal as MultivariateNormal,
)  # noqa: F401
from chainer_fast.distributions.normal import Normal as Normal  # noqa: F401
from chainer_fast.distributions.one_hot_categorical import (
    OneHotCategorical as OneHotCategorical,
)  # noqa: F401
from chainer_fast.distributions.pareto import Pareto as Pareto  # noqa: F401
from chainer_fast.distributions.poisson import Poisson as Poisson  # noqa: F401
from chainer_fast.distributions.uniform import Uniform as Uniform  # noqa: F401
