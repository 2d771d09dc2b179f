"""Which modules a build makes anew."""
import importlib.util
import os
import sys
import sysconfig
import types
from pathlib import Path

import pytest
import setuptools

ROOT = Path(__file__).resolve().parents[2]
HEADERS = [sysconfig.get_path('include')]
pytest.importorskip('Cython')


def load():
    spec = importlib.util.spec_from_file_location('of_the_build', ROOT / 'setup.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope='module')
def build():
    return load()


@pytest.fixture
def compiler(build):
    found = build.new_compiler()
    build.customize_compiler(found)
    return found


def test_only_what_was_written_for_present_modules_can_be_stale(
        build, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for age, name in enumerate(['removed.cpp', 'setup.py', 'present.cpp']):
        (tmp_path / name).write_text('')
        os.utime(name, (age, age))
    modules = [types.SimpleNamespace(sources=[each]) for each in (
        'present.pyx', 'never_translated.pyx')]
    assert not build.translated_before(modules)
    os.utime('setup.py', (9, 9))
    assert build.translated_before(modules)


def test_each_file_of_loops_becomes_part_of_a_module(build, monkeypatch):
    monkeypatch.chdir(ROOT)
    found = {Path(source) for extension in build.extensions()
             for source in extension.sources[1:]}
    assert len(found) > 5
    assert found == {*Path('chainer_fast').rglob('*.cc')}


def test_functions_of_numpy_do_not_depend_on_its_headers_version(build):
    # Headers of NumPy 2.2, the last for Python 3.10, leave out handlers of memory
    # unless a version is named.
    macros = dict(build.MACROS)
    assert macros['NPY_TARGET_VERSION'] == macros['NPY_NO_DEPRECATED_API']


def set_command(compiler, *command):
    for name in 'compiler_so', 'compiler_so_cxx', 'linker_so', 'linker_so_cxx':
        if hasattr(compiler, name):
            setattr(compiler, name, [*command, *getattr(compiler, name)[1:]])


def test_tools_of_this_machine_are_enough(build, compiler):
    build.check_tools(compiler, HEADERS)


def test_no_compiler(build, compiler):
    set_command(compiler, 'no-such-compiler')
    with pytest.raises(build.PlatformError, match='(?s)compiler: not found: no-such'
                       '-compiler.\nInstall one .*install.md'):
        build.check_tools(compiler, HEADERS)


def test_no_headers_of_python(build, compiler, tmp_path):
    with pytest.raises(build.PlatformError, match='(?s)no Python.h in .*python3-dev'):
        build.check_tools(compiler, [str(tmp_path)])


def test_compiler_of_an_earlier_standard(build, compiler, tmp_path):
    old = tmp_path / 'old'
    old.write_text('#!%s\nimport os, sys\nos.execvp("%s", ["c++"] + [arg.replace('
                   '"c++17", "c++11") for arg in sys.argv[1:]])\n' % (
                       sys.executable, compiler.compiler_so[0]))
    old.chmod(0o755)
    set_command(compiler, str(old))
    with pytest.raises(build.PlatformError, match='(?s)small module.*know C..17'):
        build.check_tools(compiler, HEADERS)


def test_jobs_are_as_many_as_the_memory_is_for(build, tmp_path, monkeypatch):
    (tmp_path / 'none').write_text('max\n')
    (tmp_path / 'some').write_text('%d\n' % (1 << 20))
    limits = [tmp_path / name for name in ('absent', 'none', 'some')]
    assert build.memory(limits) == 1 << 20
    assert build.memory(limits[:2]) == build.memory(()) > 1 << 28
    monkeypatch.setenv('CHAINER_FAST_JOBS', '37')
    assert load().JOBS == 37


@pytest.mark.parametrize('jobs, cure', [(1, 'close other'), (2, 'CHAINER_FAST_JOBS=1')])
def test_a_compiler_that_fails_may_lack_memory(build, jobs, cure, monkeypatch):
    command = build.Build(setuptools.Distribution())
    command.parallel = jobs

    def fail():
        raise build.CompileError('Killed')

    monkeypatch.setattr(command, '_build_extensions', fail)
    with pytest.raises(build.CompileError, match='Killed.*\n.*MiB; .*%s' % cure):
        command.build_extensions()
