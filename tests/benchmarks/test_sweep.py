"""The sweep has a row for everything, which computes the same in each layout."""
import importlib
import io
import os
import sys
import warnings

import numpy as np
import pytest

import chainer_fast
from benchmarks import compare

# With the package come the names by which its scripts import each other.
cases, kinds, report, walk = (
    importlib.import_module('sweep.' + name)
    for name in ('cases', 'kinds', 'report', 'walk'))

# Those that the layouts of the same numbers are compared in.
LAID_OUT = [key for key, row in cases.ROWS.items()
            if row.layout and not row.line[0].startswith('~')]
SMALL = {'small', '64x4', 'length 10'}


def test_every_public_function_and_link_has_a_row():
    assert walk.missing(chainer_fast) == []


def test_a_name_without_a_row_is_missing():
    class Functions:
        def surely_new(x):
            """Stand for a function that nobody has put into a table."""

    class Package:
        functions, links = Functions, Functions

    assert walk.missing(Package) == ['surely_new']


def test_names_that_have_no_row_are_public_and_have_none():
    for name in walk.WITHOUT:
        assert hasattr(chainer_fast.functions, name) or hasattr(
            chainer_fast.links, name), name
        assert name not in walk.words(), name


def test_avx2_is_for_all_sides(tmp_path, monkeypatch):
    command, sides = map(importlib.import_module, ('sweep.__main__', 'sides'))
    environments = []

    def run(args, interpreters):
        environments.extend(sides.Side(name, interpreters[name], 1).environment
                            for name in (command.OWN, args.peer))
        return {}, []

    monkeypatch.setattr(os, 'environ', dict(os.environ))
    monkeypatch.setattr(command, 'run', run)
    monkeypatch.setattr(sys, 'argv', [
        'sweep', '--avx2', '--peer', 'general', '--out', str(tmp_path / 'rows.tsv')])
    with pytest.raises(SystemExit):
        command.main()
    assert len(environments) == 2
    assert all([sides.AVX2.items() <= each.items() for each in environments])


def test_titles_are_unique_and_compare_knows_them():
    assert len(cases.TITLES) == sum(
        1 for kind in cases.tables.KINDS for _ in kind.rows())
    assert set(cases.TITLES) <= set(compare.ALL)


@pytest.mark.parametrize('kind', sorted({row.kind.name for row in cases.ROWS.values()}))
def test_small_rows_compute(kind):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        for key, row in cases.ROWS.items():
            if row.kind.name != kind or row.size not in SMALL:
                continue
            step = cases.chainer_step(chainer_fast, key)
            step()
            for found in step.check():
                assert found is None or np.isfinite(found).all(), row.title


@pytest.mark.parametrize('layout', kinds.LAYOUTS)
def test_operands_have_the_same_numbers_in_a_layout(layout):
    row = next(cases.ROWS[key] for key in LAID_OUT if cases.ROWS[key].layout == layout)
    plain = kinds.Row(row.kind, row.line, row.choice, row.size)
    x, same = (each.operands()[0]['x'] for each in (row, plain))
    np.testing.assert_array_equal(x, same)
    assert not x.flags.c_contiguous


def test_rows_of_a_layout_agree_with_the_general_way():
    for key in LAID_OUT[::29]:
        ours, general = (make(chainer_fast, key).check() for make in (
            cases.chainer_step, cases.general_step))
        assert compare.agree(ours, general, *cases.tolerance(key)), key


def test_a_report_is_written_and_read():
    ratios = {('a', 1): (.001, 2.), ('a', 2): (.0005, .5), ('b', 1): (.25, None)}
    file = io.StringIO()
    report.write(file, ratios, [1, 2])
    assert file.getvalue().splitlines() == [
        'case\tours_ms_1\ttorch_over_ours_1\tours_ms_2\ttorch_over_ours_2',
        'a\t1.0000\t2.00\t0.5000\t0.50', 'b\t250.0000\t\t\t']
    file.seek(0)
    assert report.read(file) == (ratios, [1, 2])


def test_a_summary_has_kinds_and_the_worst_rows():
    ratios = {('row %d' % i, 1): (.001, ratio)
              for i, ratio in enumerate([.5, .95, 2., *[3.] * 10])}
    ratios['alone', 1] = .001, None
    ratios['row 0', 2] = .001, .1
    kinds_of = {'row %d' % i: 'few' if i < 3 else 'many' for i in range(13)}
    lines = [[cell.strip() for cell in line.strip('|').split('|')]
             for line in report.summary(ratios, kinds_of, 1).splitlines()]
    assert lines[2:5] == [
        ['few', '3', '1', '2', '0.95', '0.50'],
        ['many', '10', '0', '0', '3.00', '3.00'],
        ['all', '13', '1', '2', '3.00', '0.50']]
    assert [line[0] for line in lines[8:]] == ['row %d' % i for i in range(10)]
