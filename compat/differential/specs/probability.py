"""Distributions and initializers."""

from compat.differential.language import (
    array,
    case,
    dtype,
    given,
    ids,
    make,
    plain,
    tuple_,
)
from compat.differential.specs import borrowed

_READ = (
    'batch_shape',
    'event_shape',
    'support',
    'entropy',
    'mean',
    'variance',
    'stddev',
    'mode',
    'covariance',
    'params',
    'xp',
)
_AT = (
    'log_prob',
    'prob',
    'cdf',
    'log_cdf',
    'survival_function',
    'log_survival_function',
    'icdf',
    'perplexity',
)
_SHAPES = {
    'Constant': (2, 3),
    'Identity': (3, 3),
    'Orthogonal': (3, 4),
    'UpsamplingDeconvFilter': (2, 2, 4, 4),
    'DownsamplingConvFilter': (2, 2, 4, 4),
}
_INITIALIZERS = {
    'Constant': [2.0],
    'GlorotNormal': [],
    'GlorotUniform': [],
    'HeNormal': [],
    'HeUniform': [],
    'Identity': [],
    'LeCunNormal': [],
    'LeCunUniform': [],
    'NaN': [],
    'Normal': [0.1],
    'One': [],
    'Orthogonal': [],
    'Uniform': [0.1],
    'Zero': [],
    'UpsamplingDeconvFilter': [],
    'DownsamplingConvFilter': [],
}


def _distributions():
    table = borrowed.distributions()
    table['Independent'] = {
        'distribution': make(
            'distributions.Normal', array(2, 3), array(2, 3, fill='positive')
        )
    }
    more = {
        'Bernoulli': {'logit': array(2)},
        'Categorical': {'logit': array(2)},
        'Normal': {'loc': array(2), 'log_scale': array(2)},
        'OneHotCategorical': {'p': array(3, 2, fill='simplex')},
    }
    for name, kwargs in [*table.items(), *more.items()]:
        full = 'distributions.' + name
        for member in (*_READ, *kwargs, 'log_scale', 'log_p', 'precision'):
            yield case(full, scene='method', then=[member], **kwargs)
        shape = (4, 2, 3) if name == 'Independent' else (4, 2)
        for member in _AT:
            unit = member == 'icdf' or name in ('Beta', 'Dirichlet', 'Uniform')
            x = array(*shape, fill='unit' if unit else 'positive')
            if name in ('Bernoulli', 'Categorical', 'Geometric', 'Poisson'):
                x = ids(2, 4, 2) if name != 'Categorical' else ids(2, 4)
            if name in ('OneHotCategorical',):
                x = given([[0, 1], [1, 0], [1, 0]])
            if name == 'Dirichlet':
                x = array(4, 2, fill='simplex')
            yield case(full, scene='distribution', then=[member, x], **kwargs)
        for shape in tuple_(), tuple_(3), tuple_(2, 3):
            yield case(full, scene='method', then=['sample', shape], **kwargs)
        yield case(full, scene='method', then=['sample_n', 3], **kwargs)
        yield case(full, **kwargs)
        made = make(full, **kwargs)
        if name not in ('Independent',):
            yield case('kl_divergence', made, made)
            yield case('cross_entropy', made, made)
    yield case(
        'distributions.Bernoulli',
        array(2, fill='unit'),
        None,
        True,
        scene='distribution',
        then=['log_prob', array(4, 2, fill='unit')],
    )
    yield case(
        'distributions.Independent',
        make('distributions.Normal', array(2, 3), array(2, 3, fill='positive')),
        2,
        scene='distribution',
        then=['log_prob', array(2, 3)],
    )
    yield case('Distribution', scene='method', then=['sample'])
    yield case(
        'register_kl',
        {'$': 'get', 'name': 'distributions.Normal'},
        {'$': 'get', 'name': 'distributions.Laplace'},
    )


def _initializers():
    for name, args in _INITIALIZERS.items():
        full = 'initializers.' + name
        shape = _SHAPES.get(name, (3, 4, 2))
        for kind in 'f4', 'f8', 'f2':
            yield case(
                full, *args, scene='initialize', then=[tuple_(tuple_(*shape), kind)]
            )
            yield case(
                full, *args, dtype=dtype(kind), scene='generate', then=[tuple_(*shape)]
            )
        yield case(full, *args, scene='generate', then=[tuple_(*shape)])
        if name not in ('Constant', 'NaN', 'One', 'Zero', 'Identity'):
            yield case(full, 0.5, scene='generate', then=[tuple_(*shape)])
    for mode in 'auto', 'projection', 'embedding', 'basis':
        for shape in (3, 4), (4, 3), (3, 3), (2, 3, 2):
            yield case(
                'initializers.Orthogonal',
                1.1,
                mode=mode,
                scene='generate',
                then=[tuple_(*shape)],
            )
    for option in 'fan_in', 'fan_out', 'fan_avg':
        yield case(
            'initializers.HeNormal',
            fan_option=option,
            scene='generate',
            then=[tuple_(4, 3)],
        )
    yield case(
        'initializers.Normal', rng=make_state(), scene='generate', then=[tuple_(4, 3)]
    )
    yield case(
        'initializers.Constant', plain(2, 3), scene='generate', then=[tuple_(2, 3)]
    )
    yield case(
        'initializers.generate_array',
        make('initializers.Normal'),
        tuple_(2, 3),
        {'$': 'thing', 'name': 'numpy', 'args': []},
        'f8',
    )
    yield case('Initializer', 'f4', scene='attributes', then=['dtype'])


def make_state():
    return {'$': 'thing', 'name': 'random_state', 'args': [3]}


def cases():
    return [each for part in (_distributions, _initializers) for each in part()]
