"""Files of Chainer 1.24 to 7.8.1: values, outputs, and how training goes on."""
import contextlib
import importlib
import io
import lzma
import os
import pickle
import sys
import tarfile
import warnings

import pytest

from chainer_fast import alias, legacy, serializers
from chainer_fast.serializers import load_pickle

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, os.pardir, os.pardir, 'compat', 'old_files')
VERSIONS = [
    '1.24.0-py2.7', '1.24.0-py3.6', '2.1.0-py2.7', '2.1.0-py3.6', '3.5.0-py3.6',
    '4.5.0-py3.6', '5.4.0-py3.6', '6.7.0-py3.7', '7.8.1-py3.7']


@contextlib.contextmanager
def imported_as_chainer():
    """Let modules import chainer, as those of users do; and no longer afterwards."""
    had_alias = 'chainer' in sys.modules
    alias.install()
    sys.path.insert(0, SOURCES)
    try:
        yield
    finally:
        sys.path.remove(SOURCES)
        if not had_alias:
            alias.uninstall()


@pytest.fixture(scope='module')
def archives():
    """Return the archives by version."""
    path = os.path.join(HERE, 'old_files', 'old_files.tar.xz')
    with lzma.open(path) as file, tarfile.open(fileobj=file, mode='r|') as archive:
        return {info.name[:-len('.tar')]: archive.extractfile(info).read()
                for info in archive}


@pytest.fixture(scope='module')
def old_cases():
    with imported_as_chainer():
        return importlib.import_module('old_cases')


@pytest.fixture(scope='module', params=VERSIONS)
def files(request, archives, old_cases):
    """Return the facts, and the contents of the files by name."""
    return old_cases.members(io.BytesIO(archives[request.param]))


@pytest.fixture(autouse=True)
def quiet():
    # A trainer warns of states that the file does not have.
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        yield


def expectation(old_cases, name, facts):
    """Return what a loaded object should do: mostly what the version said of it."""
    version = old_cases.version(facts)
    if version == 2 and name.startswith('optimizers.Adam.'):
        # Chainer 2 forgot the counts of the rules, so that Adam began anew; the pickle
        # goes on as without an interruption.
        name = 'optimizers.Adam.p2'
    if name.startswith('optimizers.MSVAG.'):
        # Nor did any version save the power of beta.
        name = 'optimizers.MSVAG.p2'
    expected = dict(old_cases.facts_of(name, facts))
    if name == 'trainer.npz' and version in (3, 4):
        # A trigger forgot when it had fired, so that the log had other rows.
        del expected['log_after']
    if name.startswith('iterators.MultiprocessIterator.') and version == 4:
        # The order of the next epoch was drawn by then, and is not in the file.
        del expected['batches'], expected['after']
    return expected


def compare(old_cases, facts, name, case, obj):
    """Return the difference, as text."""
    old_cases.go_on_as_then(obj, facts)
    expected = expectation(old_cases, name, facts)
    found = {key: value for key, value in case.facts(obj).items() if key in expected}
    return old_cases.difference(found, expected)


def differences(old_cases, files, suffixes, load):
    """Return the differences of all files with these suffixes, and their number."""
    facts, contents = files
    found, count = {}, 0
    cases = old_cases.cases()
    for name, content in contents.items():
        key, _, suffix = name.rpartition('.')
        if suffix in suffixes:
            count += 1
            text = compare(
                old_cases, facts, name, cases[key],
                load(io.BytesIO(content), cases[key]))
            if text:
                found[name] = text
    return found, count


def test_npz(files, old_cases):
    def load(file, case):
        obj = case.target()
        serializers.load_npz(file, obj)
        return obj

    found, count = differences(old_cases, files, ['npz'], load)
    assert found == {}
    assert count > 40


def test_hdf5(files, old_cases):
    pytest.importorskip('h5py')

    def load(file, case):
        obj = case.target()
        serializers.load_hdf5(file, obj)
        return obj

    found, count = differences(old_cases, files, ['h5'], load)
    assert found == {}
    assert count >= 14


@pytest.mark.parametrize('protocol', ['p0', 'p2', 'p4'])
def test_pickles(files, old_cases, protocol):
    def load(file, case):
        return load_pickle(file, allow='old_models.*')

    found, count = differences(old_cases, files, [protocol], load)
    assert found == {}
    # Python 2 has no later protocol.
    assert count > 90 or (protocol == 'p4' and 'Python 2' in files[0]['made_by'])


@pytest.mark.parametrize('read', [
    lambda file: pickle.load(file), lambda file: pickle.loads(file.read()),
    lambda file: pickle.Unpickler(file).load()])
@pytest.mark.parametrize('protocol', ['p0', 'p2', 'p4'])
def test_pickles_that_an_old_program_reads_by_itself(
        files, old_cases, protocol, read):
    legacy.enable('v6', 'python3')
    try:
        found, count = differences(
            old_cases, files, [protocol], lambda file, case: read(file))
    finally:
        legacy.disable()
    assert found == {}
    assert count > 90 or (protocol == 'p4' and 'Python 2' in files[0]['made_by'])


def test_pickled_trainer_goes_on(files, old_cases):
    """In Chainer its reporter no longer knew the links, so that it could not."""
    facts, contents = files
    trainer = load_pickle(
        io.BytesIO(contents['pickled_trainer.p2']), allow='old_models.*')
    iterator = trainer.updater.get_iterator('main')
    # Since Chainer 5 a copy has random numbers of its own.
    iterator.order_sampler = type(iterator.order_sampler)()
    old_cases.go_on_as_then(trainer, facts)
    trainer._done = False
    found = old_cases.cases()['trainer'].facts(trainer)
    expected = expectation(old_cases, 'trainer.npz', facts)
    expected.pop('log_after', None)     # mean values of rows that it had begun
    assert expected['steps']
    found = {key: found[key] for key in expected}
    # The hyperparameter is in the pickle, and set from the file by the first step.
    found['lr'] = expected['lr']
    assert old_cases.difference(found, expected) == ''


def test_pickled_model_is_one_of_today(files, old_cases):
    """It is saved, copied, trained and pickled as a new one."""
    obj = load_pickle(
        io.BytesIO(files[1]['optimizers.Adam.p2']), allow=['old_models.*'])
    case = old_cases.cases()['optimizers.Adam']
    file = io.BytesIO()
    serializers.save_npz(file, obj)
    file.seek(0)
    again = case.target()
    serializers.load_npz(file, again)
    assert old_cases.difference(case.facts(obj), case.facts(again)) == ''
    assert obj.model.copy('init').predictor.l1.W.array.shape == (4, 3)
    assert type(obj.model.predictor).__module__ == 'old_models'
