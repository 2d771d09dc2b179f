"""Every part of a training, found by a walk over the package."""
import inspect

import numpy as np

import chainer_fast as chainer
from chainer_fast import iterators, link_hooks, links, optimizer_hooks, optimizers
from chainer_fast.training import extensions, triggers, updaters

RandomState = np.random.RandomState


def classes_of(module, base=object):
    """Return the names of the public classes of a package."""
    return sorted(name for name, value in vars(module).items() if (
        inspect.isclass(value) and issubclass(value, base)
        and not name.startswith('_')))


def of_main(trainer):
    return trainer.updater.get_optimizer('main')


OPTIMIZERS = {
    name: getattr(optimizers, name)
    for name in classes_of(optimizers, chainer.Optimizer)}

OPTIMIZER_HOOKS = {
    'WeightDecay': lambda: optimizer_hooks.WeightDecay(.1),
    'Lasso': lambda: optimizer_hooks.Lasso(.1),
    'GradientNoise': lambda: optimizer_hooks.GradientNoise(.1),
    'GradientClipping': lambda: optimizer_hooks.GradientClipping(.1),
    'GradientHardClipping': lambda: optimizer_hooks.GradientHardClipping(-.1, .1),
    'GradientLARS': optimizer_hooks.GradientLARS,
}

TRIGGERS = {
    'IntervalTrigger': lambda: triggers.IntervalTrigger(1, 'epoch'),
    'ManualScheduleTrigger':
        lambda: triggers.ManualScheduleTrigger([1, 4, 6], 'iteration'),
    'EarlyStoppingTrigger': lambda: triggers.EarlyStoppingTrigger(
        (2, 'iteration'), 'main/loss', patience=2),
    'BestValueTrigger': lambda: triggers.BestValueTrigger(
        'main/loss', lambda best, new: new < best, (3, 'iteration')),
    'MaxValueTrigger': lambda: triggers.MaxValueTrigger('main/loss', (3, 'iteration')),
    'MinValueTrigger': lambda: triggers.MinValueTrigger('main/loss', (3, 'iteration')),
    'OnceTrigger': triggers.OnceTrigger,
    'SignalTrigger': lambda: triggers.SignalTrigger(
        'SIGTERM', max_trigger=(3, 'iteration')),
}
# The elapsed time is never the same.
NOT_REPEATABLE_TRIGGERS = {'TimeTrigger'}

ITERATORS = {
    'SerialIterator': iterators.SerialIterator,
    'MultithreadIterator': iterators.MultithreadIterator,
    'MultiprocessIterator': lambda *args: iterators.MultiprocessIterator(
        *args, n_processes=1, n_prefetch=2),
    'ShuffleOrderSampler': lambda *args: iterators.SerialIterator(
        *args, order_sampler=iterators.ShuffleOrderSampler(RandomState(5))),
}
OTHER_ITERATORS = {
    'OrderSampler',     # the interface
    'DaliIterator',     # needs a library; tests/iterators/test_dali_iterator.py
}

UPDATERS = {
    'StandardUpdater': updaters.StandardUpdater,
    'ParallelUpdater': lambda iterator, optimizer: updaters.ParallelUpdater(
        iterator, optimizer, devices={'main': '@numpy', 'second': '@numpy'}),
}
OTHER_UPDATERS = {'MultiprocessParallelUpdater'}      # needs several GPUs

EACH = {'trigger': (1, 'iteration')}


def shift(name, *args):
    return lambda trainer: trainer.extend(
        getattr(extensions, name)('lr', *args), **EACH)


EXTENSIONS = {
    'ExponentialShift': shift('ExponentialShift', .9),
    'InverseShift': shift('InverseShift', .1, .9),
    'LinearShift': shift('LinearShift', (.01, .001), (2, 6)),
    'MultistepShift': shift('MultistepShift', .5, [2, 5], .01),
    'PolynomialShift': shift('PolynomialShift', .5, 7),
    'StepShift': shift('StepShift', .5, 3),
    'WarmupShift': shift('WarmupShift', .001, 5, .01),
    'Evaluator': lambda trainer: trainer.extend(extensions.Evaluator(
        iterators.SerialIterator(trainer.updater.get_iterator('main').dataset, 5,
                                 repeat=False, shuffle=True), of_main(trainer).target),
        trigger=(3, 'iteration')),
    'MicroAverage': lambda trainer: trainer.extend(extensions.MicroAverage(
        'main/loss', 'main/size', 'mean', (3, 'iteration'))),
    'FailOnNonNumber': lambda trainer: trainer.extend(extensions.FailOnNonNumber()),
    'LogReport': lambda trainer: trainer.extend(
        extensions.LogReport(trigger=(3, 'iteration'))),
    'PrintReport': lambda trainer: (
        trainer.extend(extensions.LogReport(trigger=(3, 'iteration'))),
        trainer.extend(extensions.PrintReport(['main/loss']))),
    'PlotReport': lambda trainer: trainer.extend(extensions.PlotReport(
        ['main/loss'], trigger=(3, 'iteration'))),
    'ParameterStatistics': lambda trainer: trainer.extend(
        extensions.ParameterStatistics(
            of_main(trainer).target.last, {'mean': np.mean}, trigger=(3, 'iteration'))),
    'VariableStatisticsPlot': lambda trainer: trainer.extend(
        extensions.VariableStatisticsPlot(
            list(of_main(trainer).target.last.params()), max_sample_size=3,
            trigger=(3, 'iteration')), **EACH),
    'ProgressBar': lambda trainer: trainer.extend(extensions.ProgressBar()),
    'DumpGraph': lambda trainer: trainer.extend(extensions.DumpGraph('main/loss')),
    'unchain_variables': lambda trainer: trainer.extend(extensions.unchain_variables()),
    'observe_lr': lambda trainer: trainer.extend(extensions.observe_lr()),
    'observe_value': lambda trainer: trainer.extend(
        extensions.observe_value('t', lambda trainer: of_main(trainer).t)),
    'snapshot': lambda trainer: trainer.extend(extensions.snapshot(
        n_retains=1), trigger=(3, 'iteration')),
    'snapshot_object': lambda trainer: trainer.extend(extensions.snapshot_object(
        of_main(trainer).target, 'model'), trigger=(3, 'iteration')),
}
# They show what others report and have nothing to save, or need a library that is not
# a part of the tests' environment.
DISPLAYS = {
    'PrintReportNotebook', 'PlotReportNotebook', 'ProgressBarNotebook',
    'RichPrintReport', 'TqdmProgressBar', 'TensorBoardReport', 'WandbReport',
    'MLflowReport', 'OptunaPruning'}
# Old names of the same.
ALIASES = {'dump_graph'}

LINK_HOOKS = {
    'SpectralNormalization': link_hooks.SpectralNormalization,
    'SpectralNormalization with gamma':
        lambda: link_hooks.SpectralNormalization(use_gamma=True),
    'WeightNormalization': link_hooks.WeightNormalization,
    'WeightStandardization': link_hooks.WeightStandardization,
    'TimerHook': link_hooks.TimerHook,
}


def names_of_extensions():
    module = extensions
    return {name for name, value in vars(module).items() if not name.startswith('_')
            and (inspect.isclass(value) or inspect.isfunction(value))}


WALKS = {
    'optimizers': (set(OPTIMIZERS), classes_of(optimizers, chainer.Optimizer)),
    'optimizer hooks': (set(OPTIMIZER_HOOKS), classes_of(optimizer_hooks)),
    'triggers': (set(TRIGGERS) | NOT_REPEATABLE_TRIGGERS, classes_of(triggers)),
    'iterators': (set(ITERATORS) | OTHER_ITERATORS, classes_of(iterators)),
    'updaters': (set(UPDATERS) | OTHER_UPDATERS, classes_of(updaters)),
    'extensions': (set(EXTENSIONS) | DISPLAYS | ALIASES, names_of_extensions()),
    'link hooks': ({name.partition(' ')[0] for name in LINK_HOOKS},
                   classes_of(link_hooks)),
}

# Links that keep more than parameters, with a width of 4 in and out.
LINKS = {
    'BatchNormalization': lambda: links.BatchNormalization(4),
    'BatchNormalization, lazy': lambda: links.BatchNormalization(axis=0),
    'BatchRenormalization': lambda: links.BatchRenormalization(4, 2, 1),
    'DecorrelatedBatchNormalization':
        lambda: links.DecorrelatedBatchNormalization(4, 2),
}
