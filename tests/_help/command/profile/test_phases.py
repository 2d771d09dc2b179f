"""The phases of programs in a profile, and how they add up."""
import functools
import importlib
import os
import re
import threading
import time
import warnings

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import iterators, training
from chainer_fast._help.command.profile import loop, report
from chainer_fast.dataset import convert
from chainer_fast.training import extensions
from chainer_fast.training.extensions import snapshot_writers
from tests._help.command.profile.taken import taken
from tests.compat import processes

LEAST = 50          # milliseconds that a test sleeps
DATA = [(np.ones(4, 'f'), np.int32(0))] * 20


def is_counted(row):
    """Return whether a row has the time of one sleep."""
    return row.host >= LEAST * 1e6


def sleep(*_):
    time.sleep(LEAST / 1e3)


def make_trainer(tmp_path, iterator, n_iterations=4):
    optimizer = chainer.optimizers.Adam().setup(L.Classifier(L.Linear(4, 3)))
    updater = training.StandardUpdater(iterator, optimizer, device='@numpy')
    return training.Trainer(updater, (n_iterations, 'iteration'), str(tmp_path))


class Slow(training.Extension):

    def initialize(self, trainer):
        sleep()

    def __call__(self, trainer):
        F.relu(np.ones(3, 'f'))
        sleep()

    def finalize(self):
        sleep()


def test_trainer(tmp_path):
    trainer = make_trainer(tmp_path, iterators.SerialIterator(DATA, 5))
    trainer.extend(extensions.Evaluator(iterators.SerialIterator(
        DATA, 5, repeat=False), trainer.updater.get_optimizer('main').target))
    trainer.extend(extensions.snapshot())
    trainer.extend(Slow(), name='plot', trigger=(2, 'iteration'))
    trainer.extend(sleep, trigger=(3, 'iteration'))
    with taken() as found:
        trainer.run()
    phases = found.phases
    for phase in 'iterator', 'converter', 'forward', 'backward', 'update':
        assert phases[phase].calls == 4
    assert phases['transfer'].calls == 8
    assert phases[loop.UPDATER].calls == 4
    validation = 'validation (Evaluator)'
    assert phases[validation, None].calls == 1
    assert phases[validation, 'forward'].calls == 4
    # The last one tells that there are no more.
    assert phases[validation, 'iterator'].calls == 5
    assert phases['_Snapshot', loop.FILES].host > 0
    assert phases['plot (Slow)', None].calls == phases['plot (Slow)', 'forward'].calls
    assert phases['plot (Slow)', None].calls == phases['plot (Slow)', loop.SETUP].calls
    assert phases['plot (Slow)', None].calls == 2
    assert is_counted(phases['plot (Slow)', None])
    assert phases['sleep', None].calls == 1 and is_counted(phases['sleep', None])
    assert found.profile.elapsed == sum(row.host for row in phases.values())


def seconds_of(text):
    """Return the seconds in the lines of a table of phases by their names."""
    text = text[text.index('phase '):].partition('\n\n')[0]
    return {line[:line.index('  ', 2)]: float(re.search(r'\d+\.\d{3}', line)[0])
            for line in text.splitlines()[1:]}


def test_table_adds_up(tmp_path):
    trainer = make_trainer(tmp_path, iterators.SerialIterator(DATA, 5))
    trainer.extend(Slow())
    trainer.extend(extensions.LogReport())
    with taken() as found:
        trainer.run()
        sleep()
    seconds = seconds_of(report.text(found.profile))
    whole = seconds.pop('all')
    assert whole == pytest.approx(found.profile.elapsed / 1e9, abs=.001)
    assert list(seconds)[-1] == 'else' and seconds['else'] >= LEAST / 1e3
    outer = {name: value for name, value in seconds.items() if name[0] != ' '}
    assert set(outer) == {
        'iterator', 'converter', 'transfer', 'forward', 'backward', 'update', 'Slow',
        'LogReport', "updater's own", 'else'}
    assert sum(outer.values()) == pytest.approx(whole, abs=.0005 * len(outer))
    inner = [seconds['  its own'], seconds['  ' + loop.SETUP]]
    # Each of the three is rounded to a millisecond.
    assert 6 * LEAST / 1e3 <= sum(inner) < seconds['Slow'] + .002


def test_loop_without_trainer(tmp_path):
    model = L.Linear(4, 3)
    optimizer = chainer.optimizers.SGD().setup(model)
    iterator = iterators.SerialIterator(DATA, 5, repeat=False)
    path = str(tmp_path / 'model')
    with taken() as found:
        for batch in iterator:
            x, t = chainer.dataset.concat_examples(batch)
            loss = F.softmax_cross_entropy(model(x), t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
        optimizer.update(lambda: sleep() or F.sum(model(x)))
        chainer.grad([model(x)[0, 0] * 2], [model.W])
        chainer.serializers.save_npz(path, model)
        chainer.serializers.load_npz(path, model)
    phases = found.phases
    assert phases['iterator'].calls == 5
    assert phases['converter'].calls == 4
    assert phases['backward'].calls == phases['update'].calls + 1
    # The link, the loss; in the end the link, an index, a product.
    assert phases['forward'].calls == 4 * 2 + 1 + 3
    assert is_counted(phases['forward'])
    assert phases[loop.FILES].host > 0


class Own(chainer.dataset.Iterator):
    """An iterator of a program, known before the profile."""

    def __next__(self):
        sleep()


def test_iterators_and_updaters_of_the_program():
    with taken() as found:
        class Later(Own):

            def __next__(self):
                return super().__next__()

        class Updater(training.updater.Updater):
            update = sleep

        Own().next()
        next(Later())
        Updater().update()
    assert found.phases['iterator'].calls == 2
    assert found.phases[loop.UPDATER].calls == 1
    assert is_counted(found.phases[loop.UPDATER])
    n_calls = found.phases['iterator'].calls
    Own().next()
    assert found.phases['iterator'].calls == n_calls


def test_import(tmp_path, monkeypatch):
    (tmp_path / 'slowly_imported.py').write_text(
        'import time\ntime.sleep(%f)\nimport warned_of' % (LEAST / 1e3))
    (tmp_path / 'warned_of.py').write_text(
        'import warnings\nwarnings.warn("as in old modules", stacklevel=2)')
    monkeypatch.syspath_prepend(tmp_path)
    with taken(traced=True) as found, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        import slowly_imported  # noqa: F401
        importlib.import_module('slowly_imported')
        with pytest.raises(ModuleNotFoundError):
            import there_is_no_such_module  # noqa: F401
    assert found.phases['import'].calls == 2
    assert is_counted(found.phases['import'])
    assert [name for name, *_ in found.profile.threads[0].spans.events] == [
        'warned_of', 'slowly_imported', 'there_is_no_such_module']
    # The profile stands between no warning and the line that it is about.
    assert caught[0].filename == str(tmp_path / 'slowly_imported.py')


class SlowData:

    def __init__(self, seconds):
        self.seconds = seconds

    def __len__(self):
        return 4

    def __getitem__(self, index):
        time.sleep(self.seconds)
        return index


@pytest.mark.parametrize('iterator_class', [
    iterators.MultithreadIterator, functools.partial(
        iterators.MultiprocessIterator, n_processes=1, shared_mem=100)])
def test_prefetch(iterator_class):
    with taken(traced=True) as found:
        iterator = iterator_class(SlowData(LEAST / 1e3), 2, repeat=False)
        assert [len(batch) for batch in iterator] == [2, 2]
        iterator.finalize()
    assert is_counted(found.phases['waiting'])
    text = report.text(found.profile)
    beside = dict(re.findall(r'^(.*\S) +\d+ +(\d+\.\d+)$', text[
        text.index('beside it'):].partition('\n\n')[0], re.MULTILINE))
    own = [name for name in beside if name.startswith('thread ')]
    assert own
    if found.profile.workers:
        (number, tasks), = found.profile.workers
        assert number != os.getpid()
        assert len(tasks) == 4
        assert sum(end - begin for begin, end in tasks) >= LEAST * 4e6
        assert float(beside['1 processes that read examples']) >= 4 * LEAST / 1e3
    else:
        assert float(beside[own[0]]) >= 4 * LEAST / 1e3


def test_wait_for_writer(tmp_path):
    def save(path, target):
        for _ in range(4):      # the thread may be ahead of the one that waits for it
            sleep()
        open(path, 'w').close()

    writer = snapshot_writers.ThreadWriter(save)
    with taken() as found:
        writer('name', str(tmp_path), {})
        writer.finalize()
    assert is_counted(found.phases['waiting'])


def test_threads_are_told_apart():
    def compute():
        F.relu(np.ones(3, 'f'))
        sleep()

    with taken() as found:
        threads = [threading.Thread(target=compute) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert 'forward' not in found.phases
    assert len(found.profile.threads) == 3
    assert re.search(r'^thread Thread-N.*: forward +2 ', report.text(
        found.profile), re.MULTILINE)


def test_converters():
    class Converter(chainer.dataset.Converter):

        def __call__(self, batch, device):
            sleep()

    def plain(batch, device):
        sleep()

    with taken() as found:
        convert._call_converter(Converter(), DATA, None)
        convert._call_converter(plain, DATA, None)
        chainer.dataset.ConcatWithAsyncTransfer()(DATA, -1)
    assert found.phases['converter'].calls == 3
    assert found.phases['converter'].host >= 2e6 * LEAST


def test_trainer_that_fails(tmp_path):
    trainer = make_trainer(tmp_path, iterators.SerialIterator(DATA, 5))
    trainer.extend(lambda trainer: 1 / 0, name='failing')
    with taken() as found, pytest.raises(ZeroDivisionError):
        trainer.run(show_loop_exception_msg=False)
    thread, = found.profile.threads
    assert thread.spans.place == ((), None)
    assert found.phases['failing', None].calls == 1


def test_digits(tmp_path):
    process = processes.start(
        '-m', 'chainer_fast', '--profile',
        os.path.join(processes.ROOT, 'examples', 'mnist', 'train_mnist.py'), '-e', '1',
        cwd=tmp_path)
    assert process.returncode == 0, process.stderr
    seconds = seconds_of(process.stderr)
    assert seconds['else'] < .05 * seconds['all']
    assert {'import', 'iterator', 'forward', 'backward', 'update', 'PlotReport',
            'PlotReport_1 (PlotReport)', 'validation (Evaluator)', '_Snapshot',
            'dump_graph (DumpGraph)'} <= set(seconds)
