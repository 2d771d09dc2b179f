"""The programs of earlier years: what is gone is found, and what is fixed runs."""
import ast
import functools
import re

import pytest

from chainer_fast._help.command.check import analysis, fix
from chainer_fast._help.past import removed
from tests.compat import processes
from tests.legacy import corpus

# A name that a program puts together while it runs is not in its source.
DYNAMIC = {'v1_no_gpu.py': {'getattr(cuda, name)(*arguments)'}}
# These print the order in which parameters were added; nothing marks that.
ORDERED = {'v1_language_model.py'}
# Legacy mode counts the calls that the attribute changes; the check, what sets it.
ELSEWHERE = {'chainer.links.InceptionBN.train',
             'numpy.bool'}      # NumPy 2 has it again, and 1.26 has not
# Nothing can be fixed in these; the tests of legacy mode run them.
UNFIXED = {
    'cpu_digits.py', 'cpu_xp.py', 'libraries_pictures.py', 'v1_12_epochs.py',
    'v1_epoch_ends.py', 'v1_flags.py', 'v1_no_gpu.py', 'v1_own_optimizer.py',
    'v1_variables_to_losses.py', 'v1_volatile.py', 'v1_worker_orders.py',
    'v2_classes.py', 'v2_later_classes.py', 'v2_order_of_sets.py', 'v2_read_ahead.py',
    'v3_epochs.py', 'v4_epoch_ends.py', 'v4_later_classes.py', 'v5_epoch_ends.py',
    'v5_own_updaters.py', 'v5_reports.py'}
# Idioms in words that are looked for; the others only a run can tell.
SEEN = frozenset((
    'chainer.links.BatchNormalization with a running variance from 0',
    'chainer.links.BatchRenormalization with a running variance from 0',
    'chainer.Chain._children as a list', 'chainer.Link._params as a list',
    'chainer.Link._persistent as a list', 'chainer.Variable.__len__',
    'chainer.functions.split_axis without force_tuple',
    'chainer.links.ConvolutionND without a bias',
    'chainer.links.GRU with n_units first',
    'chainer.links.LSTM with a forget bias of 0',
    'chainer.optimizer hooks called with an optimizer',
    'chainer.function_hooks.TimerHook.print_report(file)',
    'chainer.function_hooks.CupyMemoryProfileHook.print_report(file)',
    'chainer.link_hooks.TimerHook.print_report(file)', 'extensions without __call__',
    'persistent values that Link.copyparams leaves alone',
    "chainermn.create_communicator('hierarchical')",
    "chainermn.create_communicator('single_node')",
    "chainermn.create_communicator('two_dimensional')",
    'print statement', 'except E, name', 'raise E, value', 'exec statement',
    'backticks', '<> operator', 'octal 0755', 'number 10L', "ur'' string",
    'tuple parameter', 'division of whole numbers', 'input evaluates',
    'division that may be of whole numbers',
    '__metaclass__ attribute', '__nonzero__ method', '__div__ method',
    '__cmp__ method', '__unicode__ method', '__getslice__ method',
    'next method of an iterator', 'numpy.array of ragged rows',
    'numpy.array(copy=False) that has to copy', 'numpy.fromstring of bytes',
    'numpy.stack of a generator', 'random.sample of a set',
    'matplotlib.style.use of seaborn', 'yaml.load without Loader',
    'yaml.load_all without Loader', 'h5py.File without mode'))


def text_of(name):
    return (corpus.FOLDER / name).read_text(encoding='utf-8')


def versions(name):
    """Return the versions that a program names, as it has to for legacy mode."""
    return re.findall(r'\b(?:v[1-4]|python)\b', corpus.legacy_option(name))


def is_seen(what):
    """Whether a look at a source can tell; what asks for a GPU is not gone."""
    entry = removed.entries()[what]
    return entry.part != 'cpu' and (' ' not in what or what in SEEN)


@functools.cache
def fixed(name):
    return fix.fixed(text_of(name), lambda finding: True, versions(name))


@pytest.mark.parametrize('name', corpus.NAMES)
def test_marks_are_found(name):
    text = text_of(name)
    found = {(finding.line, finding.what)
             for finding in analysis.findings(text, versions(name))
             if finding.what not in ELSEWHERE}
    dynamic = {number for number, line in enumerate(text.splitlines(), 1)
               if any(code in line for code in DYNAMIC.get(name, ()))}
    marked = corpus.removed(name)
    assert found <= marked
    assert {(line, what) for line, what in marked
            if is_seen(what) and line not in dynamic and what not in ELSEWHERE} <= found


@pytest.mark.parametrize('name', corpus.NAMES)
def test_fixing_twice_changes_nothing_more(name):
    once = fixed(name)
    ast.parse(once)
    assert (once == text_of(name)) == (name in UNFIXED)
    assert fix.fixed(once, lambda finding: True, versions(name)) == once


@pytest.mark.parametrize('name', [n for n in corpus.NAMES if n not in UNFIXED])
def test_fixed_program_prints_the_same(name, tmp_path):
    text = fixed(name)
    program = tmp_path / name
    program.write_text(text, encoding='utf-8')
    left = analysis.findings(text, versions(name))
    unseen = [what for _, what in corpus.removed(name) if not is_seen(what)]
    is_done = not left and not unseen and name not in {*DYNAMIC, *ORDERED}
    options = [] if is_done else [corpus.legacy_option(name)]
    done = processes.start('-m', 'chainer_fast', *options, program, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    expected = corpus.FIGURES[name]['lines']
    lines = done.stdout.splitlines()
    assert len(lines) == len(expected)
    for line, expected_line in zip(lines, expected, strict=True):
        assert corpus.same(line, expected_line), (line, expected_line)


def test_enough_programs_are_fixed_altogether():
    """Programs in which nothing but mechanical changes are needed lose all findings."""
    assert {name for name in corpus.NAMES if corpus.removed(name)
            and not analysis.findings(fixed(name), versions(name))} >= {
                'v1_perceptron.py', 'v1_py2_grid.py', 'v1_py2_mnist.py',
                'v1_py2_words.py', 'v3_noise.py'}


def test_seen_idioms_have_entries():
    assert set(removed.entries()) >= SEEN
