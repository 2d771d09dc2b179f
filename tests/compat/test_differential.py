"""compat/differential: the search for differences from the released Chainer."""

import gzip
import json
import pathlib
import random
import sys
import types

import pytest

from compat.differential import (
    cases,
    causes,
    code,
    compare,
    language,
    mutations,
    names,
    observe,
    pool,
    proposals,
    record,
    run,
    specs,
)
from compat.differential.__main__ import parse_args

RECORDED = pathlib.Path(__file__).with_name('differential.json.gz')


def test_cases_have_the_outcomes_that_chainer_had(capsys):
    status = run.main(parse_args(['--against', str(RECORDED)]))
    printed = capsys.readouterr().out
    assert status == 0, printed[-5000:]
    _, rows = record.read(RECORDED)
    assert '%-18s %8d' % ('all', len(rows)) in printed
    assert len(rows) > 1700


def test_every_public_name_has_a_case():
    public, _ = record.read(RECORDED)
    assert len(public) > 700
    assert (
        names.without(
            [name for name in public if name not in specs.WITHOUT], specs.all_cases()
        )
        == []
    )
    assert 'functions.relu' in public and 'Variable.__add__' in public
    assert names.without(['functions.unheard_of'], specs.all_cases()) == [
        'functions.unheard_of'
    ]


def test_every_scene_exists():
    for name in {case['scene'] for case in specs.all_cases()} - {'left'}:
        assert callable(observe.scene(name))


def test_a_seed_makes_the_same_cases():
    chosen = cases.Cases(3)
    again = cases.Cases(3)
    other = cases.Cases(4)
    numbers = range(10000, 10100)
    assert [chosen[i] for i in numbers] == [again[i] for i in numbers]
    assert [chosen[i] for i in numbers] != [other[i] for i in numbers]


def test_mutations_are_of_all_kinds_and_keep_the_valid_case():
    base = language.case(
        'functions.huber_loss',
        language.array(4, 3),
        language.array(4, 3, seed=1),
        delta=0.5,
    )
    before = json.dumps(base)
    generator = random.Random(0)
    kinds = set()
    for _ in range(500):
        change = proposals.propose(base, generator)
        if change:
            kinds.add(change[0])
            changed = mutations.apply(base, [change])
            json.dumps(changed)
            assert code.program(changed)
            assert mutations.label(change)
    assert kinds == set(mutations._APPLY) - {'sequence'}
    assert json.dumps(base) == before


@pytest.fixture(scope='module')
def worker():
    found = pool.Worker(sys.executable, 'chainer_fast')
    yield found
    found.close()


def outcome(worker, case):
    worker.ask(case)
    return worker.answer()


def test_what_is_observed(worker):
    x = language.array(2, 3)
    found = outcome(worker, language.case('functions.reshape', x, language.tuple_(6)))
    assert found['results'][0] == 'Variable'
    assert found['results'][1][:2] == ['<f4', [6]]
    assert found['grads'][0][1] == [2, 3]
    assert found['shares'] == [[0, 0]] and found['changed'] == []
    error = outcome(worker, language.case('functions.reshape', x, language.tuple_(7)))
    assert error['error'][0] == 'InvalidType' and error['stage'] == 'call'
    twice = language.case('functions.sum', x)
    twice['order'] = 2
    assert outcome(worker, twice)['first'][0][1] == [2, 3]


def test_random_numbers_that_come_next_are_observed(worker):
    x = language.array(4, 5)
    drawn = outcome(worker, language.case('functions.dropout', x))
    still = outcome(
        worker, language.case('functions.dropout', x, config={'train': False})
    )
    assert drawn['random'] != still['random']
    assert outcome(worker, language.case('functions.dropout', x)) == drawn


def test_a_case_finds_no_files_of_the_one_before(worker):
    link = language.thing('chain')
    kept = outcome(worker, language.case('serializers.save_npz', 'kept', link))
    assert 'error' not in kept
    found = outcome(worker, language.case('serializers.load_npz', 'kept', link))
    assert 'FileNotFoundError' in found['error']


def test_a_process_that_ends_is_an_outcome_and_another_begins(worker):
    worker._process.kill()
    worker.ask(language.case('functions.relu', language.array(2)))
    assert worker.answer()['ended'] == 'exit -9'
    found = outcome(worker, language.case('functions.relu', language.array(2)))
    assert 'error' not in found


@pytest.mark.parametrize(
    'key, value, expected',
    [
        (
            'results',
            ['Variable', ['<f8', [2], [1.0, 2.0]], True],
            'results: dtype: <f8, not <f4',
        ),
        (
            'results',
            ['Variable', ['>f4', [2], [1.0, 2.0]], True],
            'results: byte order',
        ),
        ('results', ['Variable', ['>f4', [2], [1.0, 3.0]], True], 'results: numbers'),
        ('results', ['Variable', ['<f4', [1], [1.0]], True], 'results: shape'),
        ('results', ['Variable', ['<f4', [2], [1.0, 2.1]], True], 'results: numbers'),
        ('results', ['Variable', ['<f4', [2], ['nan', 2.0]], True], 'results: numbers'),
        ('grads', [None], 'grads: None, not a value'),
        ('shares', [[0, 0]], 'shares: more'),
        ('changed', [0], 'changed: more'),
        ('warnings', ['UserWarning'], 'warnings: UserWarning, not none'),
        ('random', [1, 3], 'random numbers'),
        ('error', ['KeyError'], 'error: KeyError, not none'),
        ('ended', 'exit -11', 'process: exit -11, not continues'),
    ],
)
def test_a_difference_is_told(key, value, expected):
    theirs = {
        'results': ['Variable', ['<f4', [2], [1.0, 2.0]], True],
        'grads': [['<f4', [2], [1.0, 1.0]]],
        'shares': [],
        'changed': [],
        'warnings': [],
        'random': [1, 2],
    }
    case = language.case('functions.relu', language.array(2))
    assert compare.differences(case, theirs, dict(theirs)) == []
    near = dict(theirs, results=['Variable', ['<f4', [2], [1.0, 2.0001]], True])
    assert compare.differences(case, theirs, near) == []
    assert compare.differences(case, theirs, {**theirs, key: value}) == [expected]


def test_warnings_differ_one_by_one():
    case = language.case('functions.relu', language.array(2))
    theirs = {'results': 1, 'warnings': ['A', 'B'], 'random': [1]}
    ours = {'results': 1, 'warnings': ['B', 'C'], 'random': [1]}
    assert compare.differences(case, theirs, ours) == [
        'warnings: none, not A',
        'warnings: C, not none',
    ]


def test_modules_of_names_are_imported():
    # Which modules Chainer itself imports is not what other ones import.
    missing = types.SimpleNamespace(**dict.fromkeys(names.CLASSES, object))
    asked = []

    def find(name):
        asked.append(name)
        return types.SimpleNamespace(function=len)

    found = names.public(types.SimpleNamespace(chainer=missing, find=find))
    assert asked == list(names.MODULES)
    assert 'link_hooks.function' in found


def test_two_mistakes_are_told_apart():
    base = language.case('functions.sum', language.array(4, 3), axis=1)
    changes = [['dtype', ['args', 0], 'i4'], ['value', ['kwargs', 'axis'], None]]

    def error(name):
        return {'error': [name], 'stage': 'call'}

    def pair(case):
        axis, dtype = case['kwargs']['axis'], case['args'][0]['dtype']
        if axis is not None:
            return (error('InvalidType'),) * 2 if dtype == 'i4' else ({}, {})
        ours = error('TypeError')
        return (error('InvalidType'), ours) if dtype == 'i4' else (ours, ours)

    difference = 'error: TypeError, not InvalidType'
    cause = causes.Cause(base, changes, difference)
    assert causes.shrink(cause, pair).difference == 'error: another of two'
    # One mistake is no other.
    cause = causes.Cause(base, changes[1:], difference)
    cause = causes.shrink(
        cause, lambda case: (error('InvalidType'), error('TypeError'))
    )
    assert cause.difference == difference


def test_what_debug_mode_finds_is_told_by_the_difference_without_it():
    base = language.case('functions.logsumexp', language.array(2, 3))
    debug = ['config', ['config', 'debug'], True]
    changes = [['values', ['args', 0], 'inf'], debug]
    fine = {'results': 1.0, 'warnings': [], 'random': [1]}
    raised = {'error': ['RuntimeError'], 'stage': 'call'}

    def pair(case):
        other = fine
        if case['args'][0].get('special') == 'inf':
            other = raised if 'debug' in case['config'] else dict(fine, results='nan')
        return other, fine

    cause = causes.Cause(base, changes, 'error: none, not RuntimeError')
    assert str(causes.shrink(cause, pair)) == (
        'functions.logsumexp | values args.0=inf | results: type: float, not str'
    )
    # What debug mode alone does is its own.
    cause = causes.Cause(base, [debug], 'error: none, not RuntimeError')
    cause = causes.shrink(
        cause, lambda case: (raised if 'debug' in case['config'] else fine, fine)
    )
    assert str(cause) == (
        'functions.logsumexp | config debug=True | error: none, not RuntimeError'
    )


def test_exceptions_that_are_caught_alike_are_none():
    case = language.case('functions.relu', 1)
    theirs = {'error': ['ValueError', 'Exception'], 'stage': 'call', 'meant': False}
    ours = {'error': ['AxisError', 'ValueError', 'IndexError'], 'stage': 'call'}
    assert compare.differences(case, theirs, ours) == []
    assert compare.differences(case, ours, theirs) == [
        'error: ValueError, not AxisError'
    ]
    assert compare.differences(case, theirs, {'results': 1}) == [
        'error: none, not ValueError by accident'
    ]


def test_a_difference_is_reduced_to_its_cause():
    base = language.case(
        'functions.huber_loss',
        language.array(4, 3),
        language.array(4, 3, seed=1),
        delta=0.5,
        reduce='no',
    )
    changes = [
        ['dtype', ['args', 0], 'f8'],
        ['layout', [], 'F'],
        ['shape', ['args', 1], [4, 2]],
    ]

    def pair(case):
        error = {'error': ['ValueError'], 'stage': 'call'}
        fine = {'results': 1, 'warnings': [], 'random': [1]}
        return fine, error if case['args'][0].get('layout') == 'F' else fine

    cause = causes.shrink(
        causes.Cause(base, changes, 'error: ValueError, not none'), pair
    )
    assert str(cause) == (
        'functions.huber_loss | layout all=F | error: ValueError, not none'
    )
    assert cause.base['kwargs'] == {}
    program = '\n'.join(code.program(cause.case))
    assert "layout='F'" in program and 'reduce' not in program


def test_several_changes_are_reduced_even_if_they_are_explained():
    base = language.case('functions.relu', language.array(4, 3))
    changes = [['values', ['args', 0], 'nan'], ['layout', ['args', 0], 'F']]
    fine = {'results': 1.0, 'warnings': [], 'random': [1]}

    def pair(case):
        # Not the value but the layout makes the difference.
        differs = case['args'][0].get('layout') == 'F'
        return fine, dict(fine, results=2.0) if differs else fine

    table = [('*values *', 'Values that are not numbers.')]
    found = {}
    for least in 0, 1:
        tally = run.Tally()
        assert tally.add(base, changes, *pair(mutations.apply(base, changes)))
        found[least] = list(run.reduce(tally, pair, least, table))
    assert causes.explanation(found[0][0], table) is not None
    assert found[1] == ['functions.relu | layout args.0=F | results: numbers']


def test_a_cause_without_explanation_makes_the_status_one(tmp_path, capsys):
    public, rows = record.read(RECORDED)
    plain = next(
        row
        for row in rows
        if row[0]['name'] == 'functions.relu' and 'error' not in row[2] and not row[3]
    )
    path = tmp_path / 'file'
    plain[2]['warnings'] = ['UserWarning']
    record.write(path, public, [plain])
    assert run.main(parse_args(['--against', str(path)])) == 1
    printed = capsys.readouterr().out
    assert 'functions.relu' in printed and 'not UserWarning' in printed
    assert '1 causes, 0 of them explained' in printed


def test_explanations_are_of_causes_and_have_reasons():
    table = causes.read_explained()
    assert len(dict(table)) == len(table)
    for pattern, reason in table:
        assert reason.endswith('.'), pattern
    assert causes.explanation('functions.relu | as it is | shares: less', table) is None


def test_the_file_is_small():
    with gzip.open(RECORDED) as file:
        assert len(file.readline()) > 1000
    assert RECORDED.stat().st_size < 1 << 20
