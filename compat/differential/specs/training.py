"""Triggers, extensions, updaters, trainers and reports."""

from compat.differential.language import array, case, dict_, make, plain, thing, tuple_

_TRIGGERS = {
    'BestValueTrigger': ['loss', thing('less')],
    'MaxValueTrigger': ['loss'],
    'MinValueTrigger': ['loss'],
    'IntervalTrigger': [2, 'iteration'],
    'ManualScheduleTrigger': [[2, 5], 'iteration'],
    'OnceTrigger': [],
    'TimeTrigger': [2.0],
    'EarlyStoppingTrigger': [],
}
_SHIFTS = {
    'ExponentialShift': [['lr', 0.5], {'init': 2.0, 'target': 0.1}],
    'InverseShift': [['lr', 0.1, 0.5], {'init': 2.0}],
    'LinearShift': [['lr', tuple_(1.0, 0.1), tuple_(1, 4)], {}],
    'MultistepShift': [['lr', 0.5, [1, 3], 1.0], {}],
    'PolynomialShift': [['lr', 0.5, 4], {'init': 1.0}],
    'StepShift': [['lr', 0.5, 2], {'init': 1.0}],
    'WarmupShift': [['lr', 0.1, 3, 1.0], {}],
}
_EXTENSIONS = {
    'FailOnNonNumber': [],
    'LogReport': [],
    'PrintReport': [['epoch', 'main/loss']],
    'ProgressBar': [],
    'MicroAverage': ['main/loss', 'main/accuracy', 'mine'],
    'observe_lr': [],
    'observe_value': ['mine', thing('iteration_of')],
    'snapshot': [],
    'unchain_variables': [],
    'DumpGraph': ['main/loss'],
    'dump_graph': ['main/loss'],
    'snapshot_object': [thing('chain'), 'object'],
}


def _triggers():
    for name, args in _TRIGGERS.items():
        full = 'training.triggers.' + name
        yield case(full, *args, scene='fires')
        yield case(full, *args, scene='fires', then=[2])
        for values in [1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [1.0, 1.0, 2.0]:
            yield case(full, *args, scene='fires', then=[3, values])
    for name in 'MaxValueTrigger', 'MinValueTrigger':
        yield case(
            'training.triggers.' + name, 'loss', tuple_(2, 'iteration'), scene='fires'
        )
    for period, unit in (1, 'epoch'), (0.5, 'epoch'), (3, 'iteration'), (2, 'epoch'):
        for name in 'training.IntervalTrigger', 'training.triggers.IntervalTrigger':
            yield case(name, period, unit, scene='fires')
        yield case(
            'training.triggers.ManualScheduleTrigger', [period], unit, scene='fires'
        )
        yield case('training.get_trigger', tuple_(period, unit), scene='fires')
    yield case('training.get_trigger', None)
    yield case('training.triggers.OnceTrigger', True, scene='fires')
    for more in (
        {'mode': 'max'},
        {'patience': 1},
        {'max_trigger': tuple_(4, 'iteration')},
        {'check_trigger': tuple_(1, 'iteration'), 'patience': 2, 'monitor': 'loss'},
    ):
        yield case('training.triggers.EarlyStoppingTrigger', scene='fires', **more)


def _extensions():
    for name, (args, kwargs) in _SHIFTS.items():
        full = 'training.extensions.' + name
        for trigger in None, tuple_(1, 'iteration'), tuple_(1, 'epoch'):
            yield case(full, *args, scene='extend', then=[trigger], **kwargs)
        yield case(
            full,
            *args,
            scene='extend',
            then=[None],
            then_kwargs={'optimizer': make('optimizers.MomentumSGD', 0.3)},
        )
    for name, args in _EXTENSIONS.items():
        full = 'training.extensions.' + name
        for trigger in None, tuple_(1, 'iteration'), tuple_(2, 'iteration'):
            yield case(full, *args, scene='extend', then=[trigger])
        yield case(
            full,
            *args,
            scene='attributes',
            then=['trigger', 'priority', 'default_name'],
        )
    for more in (
        {'n_retains': 1},
        {'autoload': True},
        {'filename': 'a{.updater.epoch}'},
        {'snapshot_on_error': True},
        {'num_retain': 1},
        {'condition': thing('false')},
    ):
        yield case(
            'training.extensions.snapshot',
            scene='extend',
            then=[tuple_(1, 'iteration')],
            **more,
        )
    for more in (
        {'keys': ['main/loss']},
        {'trigger': tuple_(2, 'iteration')},
        {'filename': 'other'},
        {'postprocess': thing('nothing')},
    ):
        yield case('training.extensions.LogReport', scene='extend', **more)
    yield case(
        'training.extensions.Evaluator',
        thing('once'),
        thing('classifier'),
        scene='evaluated',
    )
    yield case(
        'training.extensions.Evaluator',
        thing('once'),
        thing('classifier'),
        eval_func=thing('classifier'),
        scene='evaluated',
    )
    yield case(
        'training.extensions.ParameterStatistics',
        thing('chain'),
        statistics=dict_(mean=thing('mean')),
        scene='extend',
    )
    for name in 'PlotReport', 'VariableStatisticsPlot':
        args = [['main/loss']] if name == 'PlotReport' else [thing('chain')]
        yield case(
            'training.extensions.' + name, *args, scene='method', then=['available']
        )
    yield case(
        'training.make_extension',
        tuple_(1, 'iteration'),
        scene='decorated',
        then=[thing('identity')],
    )
    yield case(
        'training.Extension',
        scene='attributes',
        then=['trigger', 'priority', 'name', 'default_name'],
    )


def _trainings():
    for epochs in 1, 2:
        for stop in tuple_(epochs, 'epoch'), tuple_(3, 'iteration'):
            yield case('training.Trainer', thing('updater'), stop, scene='run')
    for name in 'training.StandardUpdater', 'training.updaters.StandardUpdater':
        yield case(name, thing('iterator'), thing('optimizer'), scene='steps')
        yield case(
            name,
            thing('iterator'),
            thing('optimizer'),
            device=-1,
            scene='steps',
            loss_func=thing('classifier'),
        )
        yield case(
            name,
            dict_(main=thing('iterator')),
            dict_(main=thing('optimizer')),
            scene='steps',
        )
        yield case(
            name,
            thing('iterator'),
            thing('optimizer'),
            loss_scale=2.0,
            auto_new_epoch=False,
            scene='steps',
        )
    for name in 'training.ParallelUpdater', 'training.updaters.ParallelUpdater':
        yield case(
            name,
            thing('iterator'),
            thing('optimizer'),
            devices=dict_(main=-1),
            scene='steps',
        )
    yield case('training.Updater', scene='method', then=['update'])
    yield case(
        'training.updaters.MultiprocessParallelUpdater',
        [thing('iterator')],
        thing('optimizer'),
        devices=dict_(main=0),
    )


def _reports():
    yield case('Reporter', scene='reported', then=[dict_(loss=1.0, acc=array())])
    for value in 1, 2.5, plain(), array(), None, 'text':
        yield case('report', dict_(loss=value))
        yield case('Reporter', scene='reported', then=[dict_(loss=value)])
        yield case('Summary', scene='summed', then=[[value, 2.0, 4.0]])
        yield case('DictSummary', scene='summed', then=[[dict_(a=value), dict_(a=2.0)]])
    yield case('Summary', scene='summed', then=[[1.0, 2.0], [0.5, 2.0]])
    yield case('Summary', scene='summed', then=[[array(2), plain(2, seed=1)]])
    yield case('DictSummary', scene='summed', then=[[dict_(a=tuple_(1.0, 2))]])
    yield case('report_scope', dict_(), scene='reports_within')
    yield case('get_current_reporter')
    yield case('print_runtime_info', thing('text_buffer'))
    yield case('training.get_trigger', thing('less'))


def cases():
    return [
        each
        for part in (_triggers, _extensions, _trainings, _reports)
        for each in part()
    ]
