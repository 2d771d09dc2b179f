"""The two visits to a machine that is there for a quarter of an hour, in stages.

Each visit begins on a bare machine. A stage has so many seconds, and what it leaves are
the next one's, in so far as that can use them.
"""
import dataclasses
import importlib
import itertools
import pathlib
import sys
import tarfile
import tempfile

from tests.card import commands, outcomes, page
from tests.card.commands import (
    MODES,
    SAME_BITS,
    Command,
    Stage,
    absent,
    bench,
    program,
    sanitized,
    tests,
)
from tests.card.stages import MISALIGNED, SANITIZED

#: Processes of tests: some of the processors are left to what they compile.
PROCESSES = '12'
#: In the order in which they tell most.
FOLDERS = ('tests/_core', 'tests/backends/kernels', 'tests/optimizers',
           'tests/functions', 'tests/graph_optimizations')
#: Packages of which the machine's own version will do; they take long to install.
ANY_VERSION = 'scipy',
#: Failures of the first visit that the second one looks at.
ALONE = 12


@dataclasses.dataclass
class Context(commands.Context):
    """What a visit knows beside what any stage does.

    Attributes
    ----------
    wheels, site : pathlib.Path
        Folders of wheels, and of what they install.
    first : pathlib.Path or None
        Archive of the first visit.
    """

    wheels: pathlib.Path = pathlib.Path()
    site: pathlib.Path = pathlib.Path()
    first: pathlib.Path | None = None


def seconds(count):
    """Return so many seconds in minutes, the unit of stages."""
    return count / 60


def begin(context):
    """Yield what each visit begins with: the wheels that were brought, and versions."""
    wheels = [str(path) for path in sorted(context.wheels.glob('*.whl'))
              if path.name.partition('-')[0] not in ANY_VERSION
              or absent(path.name.partition('-')[0])]
    missing = '' if wheels else (
        '%s has no wheels: make card-wheels makes them' % context.wheels)
    yield Command('install', [
        sys.executable, '-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps',
        '--no-compile', '--disable-pip-version-check', '--root-user-action=ignore',
        '--upgrade', '--target', str(context.site), *wheels], seconds(25), missing)
    importlib.invalidate_caches()       # the site is there by now
    yield Command('doctor', [sys.executable, '-m', 'chainer_fast', '--doctor'],
                  seconds(20))
    yield Command('versions', [sys.executable, '-m', 'tests.card.machine'], seconds(20))


def start(context):
    yield from begin(context)
    yield program(context, 'first', '', seconds(30), 'kernels')
    yield program(context, 'misaligned', '', seconds(40), 'misaligned')
    # One by one, where something was wrong with all of them.
    ended = page.last_of_cases(context.folder('start') / 'misaligned.log')
    for beginning in MISALIGNED:
        states = {line['state'] for name, line in ended.items()
                  if name.startswith(beginning)} or {'not run'}
        if states - {'passed', 'skipped'}:
            name = 'misaligned_' + beginning.strip(',').replace(' ', '_')
            yield program(context, 'misaligned', beginning, seconds(15), name)


def stress(context):
    # What repeats work stops so long before its limit.
    for case, limit in ('graphs', 24), ('memory', 20), ('streams', 14), ('threads', 14):
        command = program(context, 'stress', case, seconds(limit), seconds=limit - 8)
        command.environment.update(SAME_BITS)
        yield command


def small_batches(context):
    yield tuple(program(context, 'sizes', 'small batch/%s/' % mode, seconds(60),
                        'small_batch_' + mode, 54) for mode in MODES)


def project(context):
    command = tests(context, 'tests', 'gpu', [], seconds(170), open_end=True)
    command.argv = [sys.executable, '-m', 'tests.card.crew', PROCESSES, *FOLDERS]
    command.environment.update(OMP_NUM_THREADS='1', OPENBLAS_NUM_THREADS='1')
    yield command


def timed(context):
    for mode in MODES:
        yield program(context, 'sizes', 'batch 32/default/%s/' % mode, seconds(20),
                      'batch_32_' + mode, 14)


FIRST = {
    'start': Stage('the wheels, doctor, versions, first kernels, operands at odd '
                   'addresses', seconds(60), start),
    'stress': Stage('recorded graphs, memory that is nearly full, streams and threads, '
                    'many times', seconds(90), stress),
    'small': Stage('batch normalization and convolutions at the sizes of models, two '
                   'examples, beside the processor', seconds(60), small_batches),
    'tests': Stage("the project's tests of GPUs, as many as their time allows",
                   seconds(180), project),
    'timed': Stage('the same sizes at batch 32, timed', seconds(60), timed),
}


#: Logs of the first visit, with the programs that wrote them.
PROGRAMS = {'start/kernels.log': 'first', 'start/misaligned*.log': 'misaligned',
            'stress/*.log': 'stress', 'small/*.log': 'sizes', 'timed/*.log': 'sizes'}


def failures(results):
    """Yield what went wrong in the first visit: how to run it again, and its name.

    Parameters
    ----------
    results : pathlib.Path
        Folder of the stages of that visit.

    Yields
    ------
    tuple of (str, str or tuple)
        ``'test'`` and the name of a test, or ``'case'`` and the module and name of a
        case.
    """
    for pattern, module in PROGRAMS.items():
        for log in sorted(results.glob(pattern)):
            for case, line in page.last_of_cases(log).items():
                if line['state'] in ('failed', 'cut off'):
                    yield 'case', (module, case)
    path = results / 'tests/gpu.outcomes.jsonl'
    if path.exists():
        # The first of each reason, then the second, and so on: what was running when
        # the time was over comes last.
        reasons = {}
        for test, (outcome, *rest) in outcomes.records(path).items():
            if outcome in outcomes.BAD:
                reasons.setdefault(tuple(rest[:1]), []).append(test)
        for each in itertools.zip_longest(*reasons.values()):
            yield from (('test', test) for test in each if test)


def chosen_failures(context):
    """Return the failures of the first visit that there is time for."""
    if context.first is None:
        return []
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(context.first) as archive:
            archive.extractall(folder, filter='data')
        found = dict.fromkeys(failures(pathlib.Path(folder)))
    return list(found)[:ALONE]


def again(context):
    """Yield what failed, alone, without and with compute-sanitizer."""
    chosen = chosen_failures(context)
    before, missing = sanitized('memcheck')
    for number, (kind, name) in enumerate(chosen, 1):
        for tool, label, why in ((), 'alone', ''), (before, 'memcheck', missing):
            title = '%s_%d' % (label, number)
            if kind == 'test':
                plugin = ['-p', 'tests.card.no_pool'] if tool else []
                yield tests(context, 'again', title, [*plugin, name], seconds(40), tool,
                            why)
            else:
                command = program(context, *name, seconds(40), title)
                command.argv[:0], command.missing = tool, why
                yield command
    if not chosen:
        # Then what no card has been asked under a tool.
        for tool in 'memcheck', 'racecheck':
            before, missing = sanitized(tool)
            for name, files in SANITIZED.items():
                yield tests(context, 'again', '%s_%s' % (tool, name),
                            ['-p', 'tests.card.no_pool', *files.split()], seconds(30),
                            before, missing)


#: Few rounds: a table with less noise needs the hour of `make card`.
BRIEF = ['--rounds', '5', '--seconds', '.15']


def resnet(context):
    graphs = [] if absent('torch') else ['--graphs']
    for mode in 'float16', 'tf32', 'float32':
        yield bench(context, 'resnet', 'resnet50', mode, seconds(45), BRIEF + graphs)


def order(context):
    """Yield what decides on channels last, beside the figures of the stage before."""
    for mode in 'float16', 'tf32':
        yield bench(context, 'order', 'resnet50_last', mode, seconds(25), BRIEF, True)


def small_models(context):
    for row in 'small', 'small_static', 'perceptron':
        yield bench(context, 'models', row, 'float32', seconds(20), BRIEF)


SECOND = {
    'start': Stage('the wheels, doctor, versions', seconds(30), begin),
    'again': Stage('what failed in the first visit, alone, without and with '
                   'compute-sanitizer', seconds(70), again),
    'resnet': Stage('training steps of ResNet-50, batch 32 and 256, beside PyTorch, '
                    'eager and as a CUDA graph', seconds(115), resnet),
    'order': Stage('the same steps with config.cudnn_channels_last', seconds(50),
                   order),
    'models': Stage('small models beside PyTorch, plain and static', seconds(45),
                    small_models),
}
VISITS = {'first': FIRST, 'second': SECOND}
