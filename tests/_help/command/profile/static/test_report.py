"""What a report advises."""
import pathlib
import types

import pytest

from chainer_fast._help.command.profile.static import methods, report, turns
from tests.compat import processes


def forward(self, x):
    return x


def outer():
    class Net:
        def forward(self, x):
            return x
    return Net.forward


def make(plain, static, is_decorated=False, function=forward, **attributes):
    """Return a session with a method, and times of updates in microseconds."""
    method = methods.Method(function, lambda function: function, is_decorated)
    method.state = methods.TRIED
    vars(method).update(attributes)
    found = turns.Turns()
    found.samples.update({
        None: [[1e3 * time, 0, 0] for time in plain],
        method: [[0, 1e3 * time, 0] for time in static]})
    profile = types.SimpleNamespace(elapsed=1.5e9)
    return types.SimpleNamespace(
        methods=[method], turns=found, has_updates=True, is_on_device=False,
        n_updates=60, profile=profile), method


def last_line(*args, **kwargs):
    return report.text(make(*args, **kwargs)[0]).splitlines()[-1]


NOISE = [0, 3, 1, 4, 2] * 4
SLOW = [100 + each for each in NOISE]
FAST = [60 + each for each in NOISE]


def test_it_pays():
    line = last_line(SLOW, FAST)
    assert line.startswith(
        'forward: static_graph pays: 0.062 instead of 0.102 ms per update. Write '
        '@chainer.static_graph above it: ')
    assert line.endswith('test_report.py, line %d.' % forward.__code__.co_firstlineno)
    assert last_line(SLOW, FAST, True).endswith(' ms per update.')
    assert last_line(SLOW, FAST, function=outer()).startswith('Net.forward: ')


def test_a_method_of_the_package():
    from chainer_fast.links import Classifier
    assert last_line(SLOW, FAST, function=Classifier.forward).endswith(
        'Derive a class from Classifier with forward = '
        'chainer.static_graph(Classifier.forward).')


def test_it_does_not_pay():
    assert last_line(FAST, SLOW) == (
        'forward: static_graph does not pay: 0.102 instead of 0.062 ms per update.')
    assert last_line(FAST, SLOW, True).endswith(' Remove the decorator.')


@pytest.mark.parametrize('static', [
    SLOW, [each + .5 for each in SLOW], [20, 180] * 10, [99, 103, 101, 105, 100] * 4])
def test_no_difference(static):
    assert 'makes no measurable difference' in last_line(SLOW, static)


def test_too_few_updates():
    assert last_line(SLOW, FAST[:7]) == (
        'forward: too few updates to compare, 7 of at least 8 on each side.')


def test_calls_that_are_recorded_again_and_again():
    def line(n):
        return last_line(FAST, SLOW, True, counts={
            'plain': 5, 'recorded': n, 'planned': 100 - n, 'code': 0})

    assert 'minimize_cache_size=False' in line(20)
    assert 'minimize_cache_size' not in line(5)


@pytest.mark.parametrize('state, words', [
    (methods.REFUSED, 'no call has a plan'), (methods.WRONG, 'do not decorate it'),
    (methods.IDLE, 'not measured')])
def test_methods_that_are_no_longer_tried(state, words):
    session, method = make(SLOW, FAST)
    method.state = state
    text = report.text(session)
    assert words in text.splitlines()[-1]
    assert '\nforward ' not in text.partition('static in updates')[2]


def test_reasons():
    session, method = make(SLOW, FAST)
    method.counts.update(plain=20, code=10)
    method.reasons.update(one=1, two=2, three=3, four=4)
    text = report.text(session)
    lines = [line.split() for line in text.splitlines()]
    assert [line[1:] for line in lines if line[1:] and line[1].isdigit() and len(
        line) == 3] == [['4', 'four'], ['3', 'three'], ['2', 'two']]


def test_no_method():
    session, method = make(SLOW, FAST)
    method.state = None
    assert report.text(session).splitlines()[-1].startswith(
        'No method of a chain was tried')


def test_the_page_shows_these_tables():
    page = pathlib.Path(processes.ROOT, 'docs/benchmark.md').read_text(encoding='utf-8')
    session, method = make(SLOW, FAST)
    method.reasons['one'] = 1
    heads = [part.splitlines()[0].split()
             for part in report.text(session).split('\n\n')[1:4]]
    lines = [line.split() for line in page.splitlines()]
    assert [head for head in heads if head not in lines] == []


def test_calls_without_updates():
    session, method = make([], [])
    session.has_updates = False
    method.times['plain'].extend([1e5] * 9)
    method.times['static'].extend([9e4, 9.1e4, 9.2e4] * 3)
    assert 'pays: 0.091 instead of 0.100 ms per call.' in report.text(session)
