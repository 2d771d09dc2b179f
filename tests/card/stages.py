"""The stages of ``make card``, and the commands of each."""
import shutil
import sys

from tests.card.commands import (
    MODES,
    SAME_BITS,
    Command,
    Stage,
    absent,
    bench,
    in_parallel,
    processes,
    program,
    sanitized,
    tests,
)

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
    yield tests(context, 'tests', 'gpu', arguments + in_parallel(processes()), 8)


def sanitizer(context):
    for tool in 'memcheck', 'racecheck':
        before, missing = sanitized(tool)
        for name, files in SANITIZED.items():
            yield tests(context, 'sanitizer', '%s_%s' % (tool, name),
                        ['-p', 'tests.card.no_pool', *files.split()], 2, before,
                        missing)


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
    for case in 'graphs', 'memory', 'streams', 'threads', 'converters', 'updates':
        command = program(context, 'stress', case, 2)
        command.environment.update(SAME_BITS)
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
        str(context.chainer), *selection, '--', '-p', 'tests.card.keeper'], 4,
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
