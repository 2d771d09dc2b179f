"""What code of the package, and other code, finds on the system without POSIX."""
import os
import subprocess
import sys

import pytest

ROOT = os.path.abspath(__file__ + '/../../../..')

# `package` executes statements as those of a module of the package.
HEAD = '''
import multiprocessing, os, subprocess, sys
import tests.doubles.without_posix

def package(text):
    scope = {'__name__': 'chainer_fast.x', '__package__': 'chainer_fast'}
    exec(text, scope)
    return scope

def refused(text, *errors):
    try:
        package(text)
    except errors:
        return
    raise AssertionError(text)
'''


def run(text, folder):
    """Run a program in a folder."""
    paths = os.pathsep.join([ROOT, os.environ.get('PYTHONPATH', '')])
    subprocess.run([sys.executable, '-c', HEAD + text], check=True, cwd=folder,
                   env=dict(os.environ, PYTHONPATH=paths), timeout=120)


def test_names_and_modules_do_not_exist_for_the_package(tmp_path):
    run('''
for name in 'fcntl', 'resource', 'pwd', 'termios', 'pty':
    __import__(name)
    refused('import ' + name, ModuleNotFoundError)
for name in ('os.fork', 'os.memfd_create', 'os.uname', 'os.O_DIRECTORY', 'os.getuid',
             'signal.SIGKILL', 'signal.setitimer', 'socket.AF_UNIX', 'select.poll',
             'time.tzset', 'selectors.PollSelector'):
    module, _, member = name.partition('.')
    assert hasattr(__import__(module), member)
    assert package('import %s; found = hasattr(%s, %r)' % (
        module, module, member))['found'] is False
    refused('import %s; %s' % (module, name), AttributeError)
    refused('from %s import %s' % (module, member), ImportError)
scope = package('import os, sys, signal\\nfrom os import path, name')
assert (scope['name'], scope['sys'].platform) == ('nt', 'win32')
assert scope['path'] is os.path and scope['os'].environ is os.environ
assert 'SIGKILL' not in scope['signal'].Signals.__members__
assert os.name == 'posix' and sys.platform != 'win32'
assert __import__('os', [], []) is os   # some libraries pass no dict of globals
''', tmp_path)


def test_a_name_that_a_test_replaces_is_replaced_for_the_package(tmp_path):
    run('''
os.getcwd, os.rename = (lambda: 'replaced'), (lambda *names: names)
scope = package('import os; found = os.getcwd(), os.rename(1, 2); os.added = 3')
assert scope['found'] == ('replaced', (1, 2)) and os.added == 3
''', tmp_path)


@pytest.mark.parametrize('action', [
    "os.remove('a')", "os.replace('a', 'b')", "os.replace('b', 'a')",
    "os.rename('folder', 'other')", "os.remove('folder/c')"])
def test_open_files_stay_where_they_are(action, tmp_path):
    run('''
action = %r
def make():
    os.makedirs('folder', exist_ok=True)
    for name in 'a', 'b', 'folder/c':
        open(name, 'w').close()
make()
files = [open('a'), open('folder/c')]
refused('import os; ' + action, PermissionError)
if action == "os.remove('a')":      # another process has it open, too
    child = subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=files[0])
    files[0].close()
    refused('import os; ' + action, PermissionError)
    child.communicate()
for file in files:
    file.close()
package('import os; ' + action)
if os.path.exists('other'):
    os.rename('other', 'folder')
make()
files = open('a'), open('folder/c')
exec(action)
''' % action, tmp_path)


def test_calls_in_libraries_are_those_of_the_package(tmp_path):
    run('''
open('a', 'w').close()
file = open('a')
refused('import shutil; shutil.move("a", "b")', PermissionError)
refused('import pathlib; pathlib.Path("a").unlink()', PermissionError)
''', tmp_path)


def test_names_of_files(tmp_path):
    run('''
for name in 'a:b', 'a*', 'con.txt', 'a.', 'a ':
    refused('open(%r, "w")' % name, OSError)
    refused('import os; os.mkdir(%r)' % name, OSError)
package('open("Name", "w").close(); open("Name", "a").close()')
refused('open("name", "w")', FileExistsError)
open('name', 'w').close()
''', tmp_path)


def test_files_of_the_kernel_folders_and_links(tmp_path):
    run('''
for text in ('open("/proc/self/maps")', 'open("/dev/null", "w")',
             'import os; os.listdir("/proc")', 'import os; os.stat("/proc/self/ns")',
             'import subprocess; subprocess.call(["/bin/sh", "-c", ""])'):
    refused(text, FileNotFoundError)
open('a', 'w').close(), open('b', 'w').close()
refused('import os; os.open(".", os.O_RDONLY)', PermissionError)
refused('import os; os.symlink("a", "c")', OSError)
refused('import os; os.rename("a", "b")', FileExistsError)
descriptor = os.open('a', os.O_RDONLY)
refused('import os; os.fsync(%d)' % descriptor, OSError)
os.close(descriptor)
package('import os; os.replace("a", "b"); os.fsync(os.open("b", os.O_RDWR))')
''', tmp_path)


def test_other_libraries_read_files_of_the_kernel(tmp_path):
    run('''
import threadpoolctl
package('import threadpoolctl; threadpoolctl.threadpool_info()')
refused('import pathlib; pathlib.Path("/proc/stat").read_text()', FileNotFoundError)
''', tmp_path)


def test_warnings_name_the_line_of_an_import(tmp_path):
    (tmp_path / 'warned_of.py').write_text(
        'import warnings; warnings.warn("as in old modules", stacklevel=2)')
    run('''
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    import warned_of
assert caught[0].filename == '<string>', caught
''', tmp_path)


def test_processes_are_spawned_and_know_it(tmp_path):
    run('''
assert multiprocessing.get_all_start_methods() == ['spawn']
assert multiprocessing.get_start_method() == 'spawn'
refused('import multiprocessing; multiprocessing.get_context("fork")', ValueError)
text = """
import sys, chainer_fast.iterators._worker as module
assert module.sys.platform == 'win32' and not module.HAS_SHARED_MEMORY
"""
subprocess.run([sys.executable, '-c', text], check=True)
''', tmp_path)
