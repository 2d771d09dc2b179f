"""Write distributions as Chainer pickles them, and what they say of a point.

    python make_pickles.py FILE

``chainer-7.8.1.pickle`` was written by Chainer 7.8.1 on Python 3.11 with NumPy 1.23.5.
It holds, by name, the pickled distribution as it was made and after it was used, a
point, and the logarithm of the probability there.
"""
import pickle
import sys

import numpy


def array(*values):
    return numpy.array(values, numpy.float32)


def distributions(chainer):
    """Return all families, by name; some more than once."""
    d = chainer.distributions
    pair = array(1, 2), array(3, 4)
    square = array([1, 2], [3, 4])
    shares = array([.2, .8], [.5, .5])
    return {
        'Bernoulli': d.Bernoulli(array(.2, .7)),
        'Bernoulli of logits': d.Bernoulli(logit=array(.2, -.7), binary_check=True),
        'Beta': d.Beta(*pair),
        'Categorical': d.Categorical(shares),
        'Categorical of logits': d.Categorical(logit=shares),
        'Cauchy': d.Cauchy(*pair),
        'Chisquare': d.Chisquare(array(1, 2)),
        'Dirichlet': d.Dirichlet(square),
        'Exponential': d.Exponential(array(1, 2)),
        'Gamma': d.Gamma(*pair),
        'Geometric': d.Geometric(array(.1, .2)),
        'Gumbel': d.Gumbel(*pair),
        'Independent': d.Independent(d.Normal(square, square)),
        'Laplace': d.Laplace(*pair),
        'LogNormal': d.LogNormal(*pair),
        'MultivariateNormal': d.MultivariateNormal(
            array(1, 2), scale_tril=array([1, 0], [.5, 2])),
        'Normal': d.Normal(*pair),
        'Normal of logarithms': d.Normal(array(1, 2), log_scale=array(.3, .4)),
        'Normal of a parameter': d.Normal(chainer.Parameter(array(1, 2)), array(3, 4)),
        'OneHotCategorical': d.OneHotCategorical(shares),
        'Pareto': d.Pareto(*pair),
        'Poisson': d.Poisson(array(1, 2)),
        'Uniform': d.Uniform(low=array(1, 2), high=array(3, 4)),
        'Uniform of lengths': d.Uniform(loc=array(1, 2), scale=array(3, 4)),
    }


def write(chainer, path):
    """Write the file."""
    numpy.random.seed(0)
    entries = {}
    for name, distribution in distributions(chainer).items():
        new = pickle.dumps(distribution, 2)
        for statistic in ('mean', 'variance', 'stddev', 'entropy', 'mode'):
            try:
                getattr(distribution, statistic)
            except NotImplementedError:
                pass
        point = distribution.sample().array
        logarithm = distribution.log_prob(point).array
        entries[name] = new, pickle.dumps(distribution, 2), point, logarithm
    with open(path, 'wb') as file:
        pickle.dump(entries, file, 2)


if __name__ == '__main__':
    import chainer
    write(chainer, sys.argv[1])
