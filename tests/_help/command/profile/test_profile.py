"""Profiles of programs: ``python -m chainer_fast --profile``."""
import importlib._bootstrap
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast._core.backward import backprop
from chainer_fast._help import installation
from chainer_fast._help.command.profile import loop, report
from chainer_fast.backends import kernels
from tests._help.command.profile.taken import taken
from tests.compat import processes


def paths(row, direction='forward'):
    return dict(row.paths[direction])


def variable(*shape, dtype='f'):
    return chainer.Variable(np.ones(shape, dtype))


def backward(y):
    chainer.Variable.backward(F.sum(y))


def test_shortcuts_and_operators():
    x = variable(3, 4)
    with taken() as found:
        for _ in range(3):
            backward(F.tanh(x) + x)
    row = found.functions['Tanh']
    assert row.calls == 3
    assert row.bytes == 3 * 3 * 4 * 4
    assert paths(row) == paths(row, 'backward') == {'shortcut': 3}
    assert all(row.times.values())
    assert not row.reasons
    assert paths(found.functions['Add']) == {'shortcut': 3}


def test_the_way_is_the_same_as_without_a_profile():
    def losses():
        model = L.Linear(4, 3, initialW=np.ones((3, 4), 'f'))
        optimizer = chainer.optimizers.Adam().setup(model)
        x, t = np.arange(20, dtype='f').reshape(5, 4), np.arange(5, dtype='i') % 3
        found = []
        for _ in range(3):
            loss = F.softmax_cross_entropy(F.relu(model(x)), t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            found.append(float(loss.array))
        return found

    expected = losses()
    with taken() as found:
        assert losses() == expected
    assert paths(found.functions['LinearFunction']) == {'shortcut': 3}
    assert found.profile.here().spans.rows[(), 'update'].calls == 3


@pytest.mark.parametrize('make, reason', [
    (lambda: np.ones((3, 4), np.longdouble), np.dtype(np.longdouble).name),
    (lambda: np.ones((3, 4), 'f')[::-1], 'strides'),
    (lambda: np.ones((3, 4), '>f4'), 'float32'),
])
def test_arrays_that_are_not_plain(make, reason):
    x = make()
    with taken() as found:
        F.tanh(x)
    row, = found.functions.values()
    assert 'shortcut' not in paths(row)
    assert [text for text in row.reasons if reason in text]


class Derived(F.activation.tanh.Tanh):
    pass


def row_of(function, name='Tanh'):
    """Return the row of a function that was applied and differentiated."""
    x = variable(3, 4)
    with taken() as found:
        backward(function(x))
    return found.functions[name]


def test_derived_class():
    row = row_of(lambda x: Derived().apply((x,))[0], 'Derived')
    assert list(row.reasons) == ['Derived is derived from Tanh']


def test_debug_mode():
    with chainer.using_config('debug', True):
        row = row_of(F.tanh)
    assert list(row.reasons) == ['config.debug']
    assert 'shortcut' not in paths(row) and 'shortcut' not in paths(row, 'backward')


def test_hook():
    with chainer.function_hooks.TimerHook():
        row = row_of(F.tanh)
    assert list(row.reasons) == ['hook TimerHook']


def test_method_replaced(monkeypatch):
    def forward(self, inputs):
        return np.tanh(inputs[0]),

    x = variable(3, 4)
    with taken() as found:
        F.tanh(x)
        monkeypatch.setattr(F.activation.tanh.Tanh, 'forward', forward)
        F.tanh(x)
    row = found.functions['Tanh']
    assert list(row.reasons) == ['method forward was replaced']
    assert sorted(paths(row).values()) == [1, 1]


def test_double_backprop_and_grad():
    x = variable(3, 4)
    with taken() as found:
        y = F.sum(F.tanh(x))
        chainer.grad([y], [x], enable_double_backprop=True)
    assert list(found.functions['Tanh'].reasons) == ['enable_double_backprop']
    # What a gradient applies belongs to it.
    assert set(found.functions) == {'Tanh', 'Sum'}
    with taken() as found:
        chainer.grad([F.sum(F.tanh(x))], [x])
    assert list(found.functions['Tanh'].reasons) == ['chainer.grad']


def test_kernels():
    x = np.ones((2, 3, 5, 5), 'f')
    with taken() as found:
        backward(F.max_pooling_2d(chainer.Variable(x), 2))
    row, = [row for name, row in found.functions.items() if 'Pooling' in name]
    assert paths(row) == paths(row, 'backward') == {'compiled': 1}
    assert not row.reasons


@kernels.kernel(compiled=lambda x: x * 2 if x.dtype == 'f' else NotImplemented)
def doubled(x):
    return x + x


class Double(chainer.FunctionNode):

    def forward(self, inputs):
        return doubled(inputs[0]),


def test_kernel_that_declines():
    with taken() as found:
        Double().apply((np.ones(3, 'f'),))
        Double().apply((np.ones(3, np.float16),))
    row = found.functions['Double']
    assert paths(row) == {'compiled': 1, 'NumPy': 1}
    assert dict(row.reasons) == {'doubled: float16': 1}


class Pair(chainer.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.one, self.two = L.Linear(4, 4), L.Linear(4, 2)

    def forward(self, x):
        return self.two(F.relu(self.one(x)))


def test_links():
    model = L.Classifier(Pair())
    x, t = np.ones((5, 4), 'f'), np.zeros(5, 'i')
    with taken() as found:
        for _ in range(2):
            model(x, t).backward()
        F.tanh(x)
    assert [(path, row.kind, row.calls) for path, row in found.links.items()] == [
        (('Classifier',), 'Classifier', 2),
        (('Classifier', 'predictor'), 'Pair', 2),
        (('Classifier', 'predictor', 'one'), 'Linear', 2),
        (('Classifier', 'predictor', 'two'), 'Linear', 2)]
    whole, pair, one, two = found.links.values()
    assert whole.forward > pair.forward > one.forward > 0
    assert whole.backward > pair.backward > one.backward + two.backward > 0
    assert one.bytes == 2 * 5 * 4 * 4
    assert pair.bytes == one.bytes * 2 + two.bytes
    linear = found.functions['LinearFunction']
    assert one.backward + two.backward == linear.times['backward']


def test_everything_is_put_back():
    replaced = [place for place, *_ in loop._FUNCTIONS] + [
        chainer.dataset.Iterator, chainer.iterators.SerialIterator,
        chainer.GradientMethod, chainer.training.StandardUpdater,
        chainer.iterators.MultithreadIterator, importlib._bootstrap,
        chainer.training.trainer]

    def state():
        return (chainer.FunctionNode.apply, chainer.Link.__call__,
                backprop.backprop_step, vars(chainer.FunctionNode).get('apply'),
                vars(chainer.Link).get('__call__'),
                dict(vars(chainer.training.Trainer)),
                [dict(vars(place)) for place in replaced])

    before = state()
    with taken():
        assert state() != before
    assert state() == before
    with taken() as found:
        pass
    F.tanh(np.ones((2, 2), 'f'))
    assert not found.functions


SCRIPT = '''
    import sys, time
    import numpy as np
    import chainer
    import chainer.functions as F
    import chainer.links as L
    model = L.Classifier(L.Linear(4, 3))
    for _ in range(7):
        model(np.ones((5, 4), 'f'), np.zeros(5, 'i')).backward()
    print('arguments', sys.argv[1:])
'''


def run_script(tmp_path, end='', **options):
    script = tmp_path / 'script.py'
    script.write_text(textwrap.dedent(SCRIPT + end))
    return processes.start(
        '-m', 'chainer_fast', '--profile', script, 'one', '--two', **options)


def rows_of(text):
    return {line.split()[0]: line.split()[1:] for line in text.splitlines() if line}


@pytest.mark.parametrize('end, status, message', [
    ('', 0, ''), ('    sys.exit(3)', 3, ''), ('    1 / 0', 1, 'ZeroDivisionError')])
def test_program(tmp_path, end, status, message):
    process = run_script(tmp_path, end)
    assert process.returncode == status
    assert process.stdout == "arguments ['one', '--two']\n"
    error, _, table = process.stderr.partition('chainer_fast: ')
    assert message in error
    rows = rows_of(table)
    assert rows['LinearFunction'][0] == '7'
    assert rows['Classifier'][0] == '7'
    assert rows['predictor'][:2] == ['(Linear)', '7']


def test_interrupt(tmp_path):
    script = tmp_path / 'script.py'
    script.write_text(textwrap.dedent(
        SCRIPT + '    print(flush=True)\n    time.sleep(60)'))
    process = subprocess.Popen(
        [sys.executable, '-m', 'chainer_fast', '--profile', script],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=processes.ROOT)
    assert '\n' in iter(process.stdout.readline, '')
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert 'KeyboardInterrupt' in error
    assert rows_of(error.partition('chainer_fast: ')[2])['LinearFunction'][0] == '7'


def test_module(tmp_path):
    (tmp_path / 'program.py').write_text(textwrap.dedent(SCRIPT))
    process = processes.start(
        '-m', 'chainer_fast', '--profile', '-m', 'program', cwd=tmp_path)
    assert rows_of(process.stderr)['LinearFunction'][0] == '7'
    assert process.stderr.splitlines()[0].endswith(
        '; version ' + installation.versions())


@pytest.mark.posix('the program is forked')
def test_forked_processes_print_nothing(tmp_path):
    process = run_script(tmp_path, '''
    import os
    if os.fork() == 0:
        sys.exit()
    os.wait()''')
    assert process.stderr.count('chainer_fast: ') == 1


def test_short_rows_are_added_up():
    with taken() as found:
        x = variable(2, 2)
        for function in F.tanh, F.relu, F.sigmoid, F.exp:
            function(x)
    thread, = found.profile.threads
    thread.functions['Exp'].times['forward'] += 10 ** 12
    text = report.text(found.profile)
    assert '3 others' in text
    assert 'Tanh' not in text
    assert rows_of(text)['Exp'][0] == '1'


def test_functions_are_listed_however_long_the_rest_takes():
    with taken() as found:
        x = variable(2, 2)
        for function in F.tanh, F.relu, F.sigmoid, F.exp:
            function(x)
    thread, = found.profile.threads
    for row in thread.functions.values():
        row.times['forward'] = 1000
    found.profile.end += 10 ** 12
    assert rows_of(report.text(found.profile))['Tanh'][0] == '1'
