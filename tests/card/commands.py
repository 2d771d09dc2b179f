"""What a stage is made of: commands, and those that several stages have."""
import dataclasses
import importlib.metadata
import importlib.util
import os
import pathlib
import shutil
import sys
import typing as tp

PROGRAM = [sys.executable, '-m', 'tests.card.program']
PYTEST = [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider',
          '-p', 'tests.card.keeper', '--color=no', '--tb=short', '-m', 'gpu',
          '--continue-on-collection-errors']
MODES = 'float32', 'tf32', 'float16'
# Without it, cuBLAS promises the same bits on one stream only.
SAME_BITS = {'CUBLAS_WORKSPACE_CONFIG': ':4096:8'}


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
    open_end : bool
        Whether it runs as many tests as its time allows, whose end is no failure.
    """

    name: str
    argv: list
    minutes: float = 8
    missing: str = ''
    environment: dict = dataclasses.field(default_factory=dict)
    open_end: bool = False


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
    minutes : float
        What all of them may take.
    commands : callable
        Yields them for a context; a tuple of them runs at the same time.
    """

    title: str
    minutes: float
    commands: tp.Callable


def together(each):
    """Return the commands of what a stage yields."""
    return each if isinstance(each, tuple) else (each,)


def absent(*modules):
    """Return what to install for modules that are not there, in words."""
    missing = [name for name in modules if not importlib.util.find_spec(name)]
    return missing and 'pip install ' + ' '.join(missing) or ''


def processes(most=8):
    return str(min(most, os.cpu_count() or 1))


def program(context, module, case, minutes, name=None, seconds=None):
    """Return a command that runs cases, for so many seconds if that is given."""
    options = ['--tiny'] * context.tiny
    if seconds is not None:
        options += ['--seconds', str(seconds)]
    return Command(name or case, [*PROGRAM, module, case, *options], minutes)


def tests(context, stage, name, arguments, minutes, before=(), missing='', **options):
    """Return a command that runs tests, the outcomes of which are kept one by one."""
    outcomes = context.folder(stage) / (name + '.outcomes.jsonl')
    # A machine's own plugins have not been tried.
    variables = {'CARD_OUTCOMES': str(outcomes), 'PYTEST_DISABLE_PLUGIN_AUTOLOAD': '1'}
    if context.resume and outcomes.exists():
        # A file that stays as it is while tests run.
        variables['CARD_PASSED'] = str(shutil.copy(outcomes, str(outcomes) + '.before'))
    return Command(name, [*before, *PYTEST, *arguments], minutes,
                   missing or absent('pytest', 'hypothesis'), variables, **options)


def in_parallel(count):
    """Return the arguments of tests in several processes, files in their order."""
    if absent('xdist'):
        return []
    version = importlib.metadata.version('pytest-xdist').split('.')
    order = ['--no-loadscope-reorder'] * ([*map(int, version[:2])] >= [3, 7])
    return ['-p', 'xdist.plugin', '-n', count, '--dist', 'loadfile', *order,
            '--max-worker-restart', '1000']


def sanitized(tool):
    """Return the beginning of a command under a tool, and why it cannot run."""
    missing = '' if shutil.which('compute-sanitizer') else (
        'compute-sanitizer is not installed: it is in the CUDA Toolkit')
    return ['compute-sanitizer', '--tool', tool, '--error-exitcode', '9'], missing


def bench(context, stage, row, mode, minutes=2.5, options=(), alone=False):
    """Return a command that times steps, beside PyTorch where that is installed.

    With ``alone``, it is not asked.
    """
    name = '%s_%s' % (row, mode)
    argv = [sys.executable, '-m', 'benchmarks.gpu', row]
    if context.tiny:
        return Command(name, [*argv, '--check'], minutes)
    beside = ['--alone'] if alone or absent('torch') else [
        '--torch-python', sys.executable]
    return Command(name, [*argv, '--modes', mode, *beside, *options, '--out', str(
        context.folder(stage) / (name + '.bench.json'))], minutes)
