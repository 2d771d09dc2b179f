"""Writes pages of measured figures from the tables in the repository.

Where a measurement is nowhere but in a page, such as those of ``notebook/``, that page
is the source, and there is nothing to write.
"""
import collections
import csv
import pathlib
import re
import subprocess
import sys

DOCS = pathlib.Path(__file__).parents[1]
ROOT = DOCS.parent
SUITES = (
    # title, table of what passes, table of what is explained
    ('The processor', 'reference.tsv', 'explained.tsv',
     'Tests that pass on the released Chainer 7.8.1, with Python 3.11, NumPy 1.23.5.'),
    ('GPUs', 'reference_gpu.tsv', 'explained_gpu.tsv',
     'Tests marked `gpu` that have passed here, on the stand-in for CuPy 14.2: no '
     'released Chainer runs with a current CuPy.'),
    ('chainermn in one process', 'reference_mpi1.tsv', 'explained_mpi.tsv',
     'Tests that pass on the released package in a job of one process.'),
    ('chainermn in two processes', 'reference_mpi2.tsv', None,
     'Tests that pass on the released package in all processes of a job of two.'),
    ('chainermn in three processes', 'reference_mpi3.tsv', None,
     'Tests that pass on the released package in all processes of a job of three.'),
    ('onnx_chainer', 'reference_onnx.tsv', 'explained_onnx.tsv',
     'Tests that pass on the released package.'),
)


def rows(path):
    """Return the rows of a table as dictionaries."""
    with open(path, encoding='utf-8', newline='') as f:
        return list(csv.DictReader(f, delimiter='\t', quoting=csv.QUOTE_NONE))


def table(head, lines):
    """Yield the lines of a table in Markdown."""
    yield '| %s |' % ' | '.join(head)
    yield '| %s |' % ' | '.join('---' for _ in head)
    for line in lines:
        yield '| %s |' % ' | '.join(str(cell).replace('|', r'\|') for cell in line)
    yield ''


def folder(test):
    """Return the folder of a test below its suite; the file, if it is in none."""
    parts = test.partition('::')[0].split('/')
    return parts[1] if len(parts) > 1 else parts[0]


def conformance():
    """Yield the lines of the page on Chainer's own tests."""
    yield '# Tests of Chainer, by folder'
    yield ''
    yield ("[Conformance](../conformance.md) describes how to run Chainer's own tests. "
           'This page is generated from `compat/reference*.tsv` and '
           '`compat/explained*.tsv`. Every counted test passes with chainer_fast, '
           'except for those that are explained; any other failure makes a run fail.')
    yield ''
    for title, reference, explained, text in SUITES:
        counts = collections.Counter()
        for row in rows(ROOT / 'compat' / reference):
            counts[folder(row['file'])] += int(row['passed'])
        yield '## ' + title
        yield ''
        yield text
        yield ''
        yield from table(
            ('tests', 'passed'),
            [*(('`%s`' % name, f'{n:,}') for name, n in sorted(counts.items())),
             ('all', f'{counts.total():,}')])
        if explained:
            yield from explanations(ROOT / 'compat' / explained)


def explanations(path):
    """Yield the explained failures of a suite: for each reason the files."""
    files = collections.defaultdict(dict)
    for row in rows(path):
        file = row['test'].partition('::')[0].rpartition('/')[2]
        files[row['explanation']][file] = None
    yield 'Failures that are explained:'
    yield ''
    yield from table(('in', 'why'), [
        (', '.join('`%s`' % file for file in found), reason)
        for reason, found in files.items()])


def derivatives():
    """Yield the lines of the page on the orders of derivatives."""
    path = ROOT / 'chainer_fast' / 'nnabla' / 'orders.tsv'
    lines = [line.split('\t') for line in path.read_text(encoding='utf-8').splitlines()
             if not line.startswith('#')]
    yield '# Derivatives, by function'
    yield ''
    yield ('The highest order, up to the fourth, whose derivatives were compared with '
           'numerical differences in float64 and agreed. [Gradients](../gradients.md) '
           'has the details; this page is generated from '
           '`chainer_fast/nnabla/orders.tsv`.')
    yield ''
    # A name may be followed by arguments.
    yield from table(('function', 'order', 'remark'), [
        (re.sub(r'^\w+', r'{py:func}`~chainer_fast.functions.\g<0>`', name), *others)
        for name, *others in lines])


def printed(module):
    """Return what a module prints when it is run."""
    return subprocess.run(
        [sys.executable, '-m', module], cwd=ROOT, check=True, capture_output=True,
        text=True).stdout


def launches():
    """Yield the lines of the page on launches of kernels, which are counted now."""
    counted = printed('tests.backends.kernels.launches')
    yield '# Launches of kernels, by function'
    yield ''
    yield ('Launches, forward / backward, in float32 and without cuDNN, counted on the '
           'stand-in for CuPy when these pages were built. [GPUs](../gpu.md#budgets) '
           'explains the budgets.')
    yield ''
    yield counted


def mistakes():
    """Yield the lines of the page on mistakes, which are made now."""
    yield '# Common mistakes and their messages'
    yield ''
    yield ('The message after a mistake is graded: `silent`, there is none; `obscure`, '
           'it names something else; `what`, it names what is wrong; `clear`, also '
           'what was expected; `cure`, also what to do. The messages of chainer_fast '
           'are those of this build; those of Chainer 7.8.1 and PyTorch 2.13 are in '
           '`tests/_help/mistakes/recorded.json`.'
           ' In the programs, `x` is an array of shape (2, 3), `t` are two labels, '
           '`image` is an array of shape (2, 3, 8, 8), `model` is a classifier of two '
           'linear layers, and `train` runs a trainer for one epoch.')
    yield ''
    yield printed('tests._help.mistakes.page')


def write(app):
    folder = DOCS / 'figures'
    folder.mkdir(exist_ok=True)
    for page in conformance, derivatives, launches, mistakes:
        path, text = folder / (page.__name__ + '.md'), '\n'.join(page())
        # Unchanged pages are not built again.
        if not path.exists() or path.read_text(encoding='utf-8') != text:
            path.write_text(text, encoding='utf-8')


def setup(app):
    app.connect('builder-inited', write)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
