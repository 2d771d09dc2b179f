"""Files as Windows treats them, for the calls of chainer_fast.

Hooks of Python's audit see the calls, also those in the standard library and in other
libraries that the package calls. They raise the error that Windows would report.
"""
import errno
import os
import stat
import sys
import sysconfig
import threading

from lesser_system import modules

_KERNEL = '/proc', '/sys', '/dev'
_REFUSED = set('<>:"|?*\\') | set(map(chr, range(32)))
_DEVICES = {'con', 'prn', 'aux', 'nul', *[
    name + str(i) for name in ('com', 'lpt') for i in range(1, 10)]}
_LIBRARIES = tuple({sysconfig.get_path(name) + os.sep for name in (
    'stdlib', 'platstdlib', 'purelib', 'platlib')}) + ('<frozen', os.path.dirname(
        os.path.abspath(__file__)))
_OF_OTHERS = tuple({
    sysconfig.get_path(name) + os.sep for name in ('purelib', 'platlib')})


class _Local(threading.local):
    checks = False      # in this thread, whose own calls are not checked


_local = _Local()


def install():
    """Check all calls from now on; hooks cannot be removed."""
    sys.addaudithook(_audit)


def _audit(event, arguments):
    check = _CHECKS.get(event)
    if check is None or _local.checks:
        return
    caller = sys._getframe().f_back     # None at the end of Python
    if not _is_of_package(caller):
        return
    _local.checks = True
    try:
        check(*arguments)
        if event in _DIRECT and modules.is_of_package(caller.f_globals):
            _DIRECT[event](*arguments)
    finally:
        _local.checks = False


def _is_of_package(frame):
    """Return whether the first caller outside of libraries is of the package."""
    while frame is not None:
        if modules.is_of_package(frame.f_globals):
            return True
        if not frame.f_code.co_filename.startswith(_LIBRARIES):
            return False
        frame = frame.f_back
    return False


def _is_of_others(frame):
    """Return whether the package has called another library, which makes a call."""
    while frame is not None and not modules.is_of_package(frame.f_globals):
        if frame.f_code.co_filename.startswith(_OF_OTHERS):
            return True
        frame = frame.f_back
    return False


def refuse_kernel(path):
    """Raise if a file is one that the kernel of Linux makes.

    Other libraries than Python's see the system as it is, and choose such files by it.
    """
    if (not isinstance(path, int)
            and os.path.abspath(os.fsdecode(path)).startswith(_KERNEL)
            and not _is_of_others(sys._getframe())):
        raise FileNotFoundError(errno.ENOENT, 'Windows has no such file', path)


def _place(path, folder=-1):
    """Return the path of a file in a folder that is a descriptor."""
    path = os.fsdecode(path)
    if folder not in (-1, None):
        path = os.path.join(os.readlink('/proc/self/fd/%d' % folder), path)
    return os.path.join(os.path.realpath(os.path.dirname(os.path.abspath(path))),
                        os.path.basename(path))


def _open(path, mode, flags):
    if path is None or isinstance(path, int):
        return
    if path != os.devnull:      # its name differs; the standard library knows it
        refuse_kernel(path)
    place = _place(path)
    if flags & os.O_CREAT and not os.path.exists(place):
        _check_name(place)


def _refuse_others(path, *_):
    """Raise if a file is none of Windows that can be opened."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        return
    refuse_kernel(path)
    if os.path.isdir(path):
        raise PermissionError(errno.EACCES, 'Windows opens no folders', path)


def _check_name(place):
    """Raise if Windows refuses the name, or would use another file of that name."""
    folder, name = os.path.split(place)
    if (_REFUSED & set(name) or name.endswith((' ', '.'))
            or name.partition('.')[0].lower() in _DEVICES):
        raise OSError(errno.EINVAL, 'Windows allows no such name', place)
    if os.path.isdir(folder):
        for other in os.listdir(folder):
            if other != name and other.lower() == name.lower():
                raise OSError(
                    errno.EEXIST, 'for Windows, this is the file %r' % other, place)


def _rename(src, dst, src_folder, dst_folder):
    for place in _place(src, src_folder), _place(dst, dst_folder):
        _refuse_open(place)
    if os.path.basename(place).lower() != os.path.basename(_place(src)).lower():
        _check_name(place)


def _remove(path, folder):
    place = _place(path, folder)
    _refuse_open(place)
    if os.path.isfile(place) and not os.stat(place).st_mode & stat.S_IWUSR:
        raise PermissionError(errno.EACCES, 'the file is read-only', path)


def _refuse_open(place):
    """Raise if any process has a file or a file below a folder open."""
    below = os.path.join(place, '')
    for pid in filter(str.isdigit, os.listdir('/proc')):
        for found in _open_in(pid):
            if found == place or found.startswith(below):
                raise PermissionError(
                    errno.EACCES, 'process %s has it open' % pid, place)


def _open_in(pid):
    """Yield the paths of the files that a process has open or mapped."""
    try:
        for number in os.listdir('/proc/%s/fd' % pid):
            try:
                found = os.readlink('/proc/%s/fd/%s' % (pid, number))
            except OSError:
                continue
            if found.startswith('/') and not os.path.isdir(found):
                yield found
        if int(pid) == os.getpid():
            with open('/proc/self/maps', encoding='utf-8') as file:
                yield from {line.split(maxsplit=5)[-1].rstrip('\n') for line in file}
    except OSError:
        return


def _make_folder(path, mode, folder):
    _check_name(_place(path, folder))


def _link(src, dst, *folders):
    raise OSError(errno.EPERM, 'users of Windows may make no symbolic links', src)


def _list(path='.'):
    if path is not None:
        refuse_kernel(path)


def _start(executable, arguments, folder, environment):
    if os.fsdecode(executable).startswith(('/bin', '/usr/bin', *_KERNEL)):
        raise FileNotFoundError(
            errno.ENOENT, 'Windows has no such program', executable)


def _kill(pid, number):
    if number not in (2, 15):
        raise ValueError('os.kill ends a process of Windows, whatever the signal')


_CHECKS = {
    'open': _open, 'os.rename': _rename, 'os.remove': _remove, 'os.mkdir': _make_folder,
    'os.symlink': _link, 'os.listdir': _list, 'os.scandir': _list,
    'subprocess.Popen': _start, 'os.kill': lambda *_: None,
}
# Without the calls of the standard library, which opens folders to remove them, and on
# Windows ends processes without os.kill.
_DIRECT = {'open': _refuse_others, 'os.kill': _kill}
