"""Optimizers with their rules and hooks."""

from compat.differential.language import array, case, get, make, plain, special, thing

_ARGUMENTS = {
    'AMSBound': {'alpha': 0.01, 'final_lr': 0.1},
    'AMSGrad': {'alpha': 0.01},
    'AdaBound': {'alpha': 0.01, 'final_lr': 0.1, 'gamma': 0.01},
    'AdaDelta': {'rho': 0.9, 'eps': 1e-6},
    'AdaGrad': {'lr': 0.1},
    'Adam': {'alpha': 0.01, 'beta1': 0.8, 'eps': 1e-6},
    'AdamW': {'alpha': 0.01, 'weight_decay_rate': 0.1, 'eta': 0.5},
    'CorrectedMomentumSGD': {'lr': 0.1, 'momentum': 0.8},
    'MSVAG': {'lr': 0.1, 'beta': 0.8},
    'MomentumSGD': {'lr': 0.1, 'momentum': 0.8},
    'NesterovAG': {'lr': 0.1, 'momentum': 0.8},
    'RMSprop': {'lr': 0.1, 'alpha': 0.9},
    'RMSpropGraves': {'lr': 0.01, 'alpha': 0.9, 'momentum': 0.8},
    'SGD': {'lr': 0.1},
    'SMORMS3': {'lr': 0.01, 'eps': 1e-8},
}
_HOOKS = {
    'GradientClipping': [0.5],
    'GradientHardClipping': [-0.3, 0.4],
    'GradientLARS': [],
    'GradientNoise': [0.1],
    'Lasso': [0.1],
    'WeightDecay': [0.1],
}
# What a gradient has when a training has gone wrong.
_SPOILED = (special('nan'), special('inf'), special('-inf'), 1e30, 1e-30, 0)
_MEMBERS = (
    'lr',
    't',
    'epoch',
    'target',
    'is_safe_to_update',
    'use_auto_new_epoch',
    'hyperparam',
)


def _optimizers():
    for name, kwargs in _ARGUMENTS.items():
        full = 'optimizers.' + name
        for dtype in 'f4', 'f8', 'f2':
            yield case(full, scene='updates', then=[dtype], **kwargs)
        yield case(full, scene='updates')
        yield case(full, scene='updates', then_kwargs={'loss': True}, **kwargs)
        for spoiled in _SPOILED:
            more = {'spoiled': spoiled}
            yield case(full, scene='updates', then_kwargs=more, **kwargs)
        yield case(full, scene='updates', then_kwargs={'link': thing('lazy')})
        yield case(
            full,
            scene='updates',
            then=['f4', make('optimizer_hooks.WeightDecay', 0.1)],
            **kwargs,
        )
        yield case(full, scene='half_updates', **kwargs)
        for rule in True, False:
            yield case(full, scene='rule', then=[thing('parameter'), rule], **kwargs)
        for member in _MEMBERS[1:]:
            yield case(full, scene='method', then=[member])
    for name in 'Adam', 'AdaBound':
        yield case('optimizers.' + name, amsgrad=True, scene='updates')
    yield case('optimizers.Adam', weight_decay_rate=0.1, adabound=True, scene='updates')


def _hooks():
    for name, args in _HOOKS.items():
        full = 'optimizer_hooks.' + name
        for dtype in 'f4', 'f8', 'f2':
            yield case(full, *args, scene='hooked', then=[dtype])
        yield case(full, *args, scene='attributes', then=['name', 'timing'])
        yield case(full, *args, scene='hooked', then_kwargs={'link': thing('lazy')})
        for spoiled in _SPOILED:
            yield case(full, *args, scene='hooked', then_kwargs={'spoiled': spoiled})
    yield case('optimizers.SGD', scene='updates', then=['f4', thing('update_hook')])


def _link_hooks():
    for x, link in (
        (array(2, 3), make('links.Linear', 3, 4)),
        (array(2, 3, 5, 5), make('links.Convolution2D', 3, 4, 3)),
    ):
        for name in 'SpectralNormalization', 'WeightStandardization', 'TimerHook':
            yield case('link_hooks.' + name, scene='hook_of_link', then=[link, x])
        yield case(
            'link_hooks.SpectralNormalization',
            n_power_iteration=2,
            use_gamma=True,
            scene='hook_of_link',
            then=[link, x],
        )
        yield case(
            'link_hooks.SpectralNormalization',
            factor=2.0,
            eps=1e-4,
            scene='hook_of_link',
            then=[link, x],
        )
    for name in 'TimerHook', 'PrintHook':
        yield case(
            'function_hooks.' + name, scene='hook_of_function', then=[array(2, 3)]
        )
    for name in 'CUDAProfileHook', 'CupyMemoryProfileHook':
        yield case('function_hooks.' + name)
    yield case(
        'links.Linear',
        3,
        2,
        scene='updates_of',
        then=[make('optimizers.Adam'), array(4, 3)],
    )
    yield case('GradientMethod', thing('chain'))
    yield case('Optimizer')
    yield case('UpdateRule', scene='one_update', then=[thing('parameter')])
    yield case('UpdateRule', scene='attributes', then=['t', 'state', 'hyperparam'])
    yield case('functions.sum', plain(2))
    yield case('LinkHook', scene='attributes', then=['name'])
    yield case('FunctionHook', scene='attributes', then=['name'])
    yield case('FunctionNode', scene='attributes', then=['label', 'rank', 'inputs'])
    yield case('Function', scene='method', then=['__call__', array(2)])
    yield case('FunctionAdapter', make('Function'), scene='attributes', then=['label'])
    yield case('DeviceResident', scene='attributes', then=['device', 'xp'])
    yield case('static_graph', get('functions.relu'))
    yield case('static_code', thing('identity'))


def cases():
    return [each for part in (_optimizers, _hooks, _link_hooks) for each in part()]
