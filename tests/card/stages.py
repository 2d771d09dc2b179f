"""The stages, and the commands of each."""
import dataclasses
import importlib.util
import os
import pathlib
import shutil
import sys
import typing as tp

PROGRAM = [sys.executable, '-m', 'tests.card.program']
PYTEST = [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider',
          '-p', 'tests.card.outcomes', '--color=no', '--tb=short', '-m', 'gpu',
          '--continue-on-collection-errors']
MODES = 'float32', 'tf32', 'float16'
# What the names of cases begin with, each in a process of its own.
MISALIGNED = ('slice', 'split_axis', 'half', 'batch_normalization', 'concat',
              'filters', 'parameters', *['offset %d,' % n for n in range(0, 16, 2)])
# Tests of kernels whose threads share memory, or that take many arrays.
SANITIZED = {
    'optimizers': 'tests/optimizers/test_gpu_kernels.py',
    'roi': 'tests/functions/pooling/test_roi.py',
    'ctc': 'tests/functions/loss/test_ctc.py',
    'reductions': 'tests/functions/math/test_reductions.py',
    'many_arrays': 'tests/functions/math/test_several_arrays.py '
                   'tests/functions/array/test_joining.py '
                   'tests/optimizer_hooks/test_hooks.py',
}


@dataclasses.dataclass
class Command:
    """A process of a stage.

    Parameters
    ----------
    name : str
        Also that of its log.
    argv : list of str
    minutes : float
        What it may take.
    missing : str
        Why it cannot run, if so.
    environment : dict
        Further variables.
    """

    name: str
    argv: list
    minutes: float = 8
    missing: str = ''
    environment: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Context:
    """What the user has chosen.

    Attributes
    ----------
    out : pathlib.Path
        Folder of the results, with one for each stage.
    tree : pathlib.Path
        Where commands run.
    tiny, resume : bool
    chainer : pathlib.Path or None
        Checkout of Chainer.
    """

    out: pathlib.Path
    tree: pathlib.Path
    tiny: bool = False
    resume: bool = False
    chainer: pathlib.Path | None = None

    def folder(self, stage):
        return self.out / stage


@dataclasses.dataclass
class Stage:
    """Commands that run one after another.

    Parameters
    ----------
    title : str
    minutes : int
        What all of them may take.
    commands : callable
        Returns them for a context.
    """

    title: str
    minutes: int
    commands: tp.Callable


def absent(*modules):
    """Return what to install for modules that are not there, in words."""
    missing = [name for name in modules if not importlib.util.find_spec(name)]
    return missing and 'pip install ' + ' '.join(missing) or ''


def processes():
    return str(min(8, os.cpu_count() or 1))


def program(context, module, case, minutes, name=None):
    return Command(name or case, PROGRAM + [module, case] + ['--tiny'] * context.tiny,
                   minutes)


def tests(context, stage, name, arguments, minutes, before=(), missing=''):
    """Return a command that runs tests, the outcomes of which are kept one by one."""
    outcomes = context.folder(stage) / (name + '.outcomes.jsonl')
    variables = {'CARD_OUTCOMES': str(outcomes)}
    if context.resume and outcomes.exists():
        # A file that stays as it is while tests run.
        variables['CARD_PASSED'] = str(shutil.copy(outcomes, str(outcomes) + '.before'))
    return Command(name, [*before, *PYTEST, *arguments], minutes,
                   missing or absent('pytest', 'hypothesis'), variables)


def first(context):
    yield Command('doctor', [sys.executable, '-m', 'chainer_fast', '--doctor'], 2)
    yield program(context, 'first', '', 2, 'kernels')
    for case in MISALIGNED:
        yield program(context, 'misaligned', case, 1,
                      'misaligned_' + case.strip(',').replace(' ', '_'))


def sizes(context):
    for mode in MODES:
        yield program(context, 'sizes', 'small batch/%s/' % mode, 2,
                      'small_batch_' + mode)
    for batch, limit in (
            (32, 'default'), (256, 'default'), (256, '256 MiB'), (32, '256 MiB')):
        for mode in MODES:
            yield program(
                context, 'sizes', 'batch %d/%s/%s/' % (batch, limit, mode), 2,
                '%d_%s_%s' % (batch, limit.replace(' ', ''), mode))


def project(context):
    arguments = ['tests/functions/activation'] if context.tiny else ['tests']
    if absent('mpi4py'):
        arguments += ['--ignore=tests/mn']
    if not absent('xdist'):
        arguments += ['-n', processes(), '--dist', 'loadfile',
                      '--max-worker-restart', '1000']
    yield tests(context, 'tests', 'gpu', arguments, 8)


def sanitizer(context):
    found = shutil.which('compute-sanitizer')
    missing = '' if found else (
        'compute-sanitizer is not installed: it is in the CUDA Toolkit')
    for tool in 'memcheck', 'racecheck':
        for name, files in SANITIZED.items():
            yield tests(
                context, 'sanitizer', '%s_%s' % (tool, name),
                ['-p', 'tests.card.no_pool', *files.split()], 2,
                ['compute-sanitizer', '--tool', tool, '--error-exitcode', '9'], missing)


def bench(context, stage, row, mode):
    """Return a command that times steps, beside PyTorch where that is installed."""
    name = '%s_%s' % (row, mode)
    argv = [sys.executable, '-m', 'benchmarks.gpu', row]
    if context.tiny:
        return Command(name, [*argv, '--check'], 2)
    beside = ['--alone'] if absent('torch') else ['--torch-python', sys.executable]
    return Command(name, [*argv, '--modes', mode, *beside, '--out', str(
        context.folder(stage) / (name + '.bench.json'))], 2.5)


def resnet(context):
    for mode in MODES:
        yield bench(context, 'resnet', 'resnet50', mode)
    missing = '' if shutil.which('nsys') else "NVIDIA's Nsight Systems is not installed"
    for mode in MODES:
        yield Command('gaps_' + mode, [
            sys.executable, '-m', 'tests.card.gaps', mode,
            str(context.folder('resnet') / ('gaps_' + mode))], 1.5, missing)


def rows(context):
    from benchmarks.gpu.rows import ROWS
    for name, row in ROWS.items():
        for mode in row.modes if name != 'resnet50' else ():
            yield bench(context, 'rows', name, mode)


def stress(context):
    for case in 'graphs', 'streams', 'threads', 'converters', 'updates':
        command = program(context, 'stress', case, 2)
        # Without it, cuBLAS promises the same bits on one stream only.
        command.environment['CUBLAS_WORKSPACE_CONFIG'] = ':4096:8'
        yield command


def upstream(context):
    root = context.chainer and context.chainer / 'tests/chainer_tests'
    if root is None or not root.is_dir():
        yield Command('conformance', [], missing=(
            '%s has no tests/chainer_tests' % context.chainer if root else
            'a checkout of Chainer v7.8.1 is given by --chainer PATH, or make card '
            'CHAINER=PATH'))
        return
    # Those of cuDNN are few, and wait for a card most of all.
    yield conformance(context, 'cudnn', [], ['--markers', 'cudnn'])
    for name, selection in suites(root).items():
        yield conformance(context, name, selection, [])
    for suite in 'chainerx', 'on-chainerx':
        yield conformance(context, suite, [], ['--' + suite])


def suites(root):
    """Return what to select of Chainer's tests, by name: no part of it is large."""
    found = {'files': []}
    for path in sorted(root.glob('*')):
        if path.name in ('functions_tests', 'links_tests'):
            found.update({'%s_%s' % (path.name[:-6], each.name): [
                '%s/%s' % (path.name, each.name)] for each in sorted(path.iterdir())
                if each.is_dir() and each.name.endswith('_tests')})
        elif path.is_dir() and path.name.endswith('_tests'):
            found[path.name] = [path.name]
        elif path.match('test_*.py'):
            found['files'].append(path.name)
    return {name: selection for name, selection in found.items() if selection}


def conformance(context, name, selection, options):
    outcomes = context.folder('upstream') / (name + '.outcomes.jsonl')
    return Command(name, [
        sys.executable, 'compat/conformance.py', '--gpu', *options, '-n', processes(),
        str(context.chainer), *selection, '--', '-p', 'tests.card.outcomes'], 4,
        absent('pytest'), {'CARD_OUTCOMES': str(outcomes)})


STAGES = {
    'first': Stage('doctor, first kernels, operands at odd addresses', 6, first),
    'sizes': Stage('convolutions and batch normalization of ResNet-50 and VGG, under '
                   'two limits of workspaces: results and times', 8, sizes),
    'tests': Stage("the project's tests of GPUs", 8, project),
    'sanitizer': Stage("compute-sanitizer's memcheck and racecheck", 8, sanitizer),
    'resnet': Stage('training steps of ResNet-50 beside PyTorch, and the gaps between '
                    'kernels', 8, resnet),
    'rows': Stage('other training steps beside PyTorch', 8, rows),
    'stress': Stage('recorded graphs, streams, threads, converters and updates, many '
                    'times, bit by bit', 8, stress),
    'upstream': Stage("Chainer's own tests of GPUs, cuDNN and ChainerX", 8, upstream),
}
