"""Run stages: processes with limits of time, whose results are kept as they come."""
import argparse
import contextlib
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

from tests.card import page, stages

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What the commands need of the repository, beside the package.
NEEDED = 'tests', 'benchmarks', 'compat', 'pyproject.toml'


def clock(seconds):
    return '%d:%02d' % divmod(round(seconds), 60)


def say(text):
    print(text, flush=True)


def tree(out):
    """Return the folder in which commands run.

    In a repository that has not been built, the package's sources would be imported in
    place of the installed package. Commands then run in a copy of what they need.
    """
    if any((ROOT / 'chainer_fast/_core').rglob('*.so')) or any(
            (ROOT / 'chainer_fast/_core').rglob('*.pyd')):
        return ROOT
    copy = out / 'tree'
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    for name in NEEDED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name,
                            ignore=shutil.ignore_patterns('__pycache__'))
        else:
            shutil.copy(ROOT / name, copy / name)
    return copy


def environment(folder):
    """Return the variables of processes that run in a folder."""
    variables = {**os.environ, 'PYTHONUNBUFFERED': '1', 'PYTHONFAULTHANDLER': '1'}
    paths = [str(folder), *filter(None, [variables.get('PYTHONPATH')])]
    variables['PYTHONPATH'] = os.pathsep.join(paths)
    variables.pop('HOST_CUPY', None)    # it would put a stand-in in the card's place
    return variables


def execute(command, log, seconds, folder):
    """Run a command, with its output in a log and on standard output.

    Parameters
    ----------
    command : stages.Command
    log : pathlib.Path
    seconds : float
        After these, the process and its children are killed.
    folder : pathlib.Path
        Where to run it.

    Returns
    -------
    dict
        What became of it, for the results.
    """
    begin = time.monotonic()
    with open(log, 'wb', buffering=0) as file:
        process = subprocess.Popen(
            command.argv, cwd=folder, stdin=subprocess.DEVNULL,
            env={**environment(folder), **command.environment}, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        copying = threading.Thread(target=_copy, args=(process.stdout, file),
                                   daemon=True)
        copying.start()
        late = False
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            late = True
        finally:
            # Also what the process has left behind: it would hold the card.
            _end(process, late)
            copying.join(10)
    status = process.returncode
    if late:
        state = 'timed out'
    elif status < 0 or status > 128:
        state = 'died'
    else:
        state = 'failed' if status else 'passed'
    found = {'state': state, 'seconds': round(time.monotonic() - begin, 1)}
    if state == 'died':
        found['signal'] = _name(-status if status < 0 else status - 128)
    elif state == 'failed':
        found['status'] = status
    return found


def _copy(source, file):
    with source:
        while chunk := os.read(source.fileno(), 1 << 16):
            file.write(chunk)
            sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()


def _end(process, late):
    """Kill a process and its children, and wait for it.

    One that is late tells first where it is: Python does so when it is aborted.
    """
    first = signal.SIGABRT if late else signal.SIGTERM
    for number, patience in (first, 5), (signal.SIGKILL, None):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)


def _name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return 'signal %d' % number


class Results:
    """The lines about the commands of a stage, which are written as they come."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / 'results.jsonl'

    def add(self, name, **found):
        with open(self._path, 'a') as f:
            f.write(json.dumps({'command': name, **found}) + '\n')
            f.flush()
            os.fsync(f.fileno())


def run_stage(name, stage, context):
    """Run the commands of a stage, and return whether none of them went wrong."""
    folder = context.folder(name)
    if not context.resume:
        shutil.rmtree(folder, ignore_errors=True)
    before = page.states(folder)
    results = Results(folder)
    end = time.monotonic() + 60 * stage.minutes
    fine = True
    for command in stage.commands(context):
        if before.get(command.name, {}).get('state') == 'passed':
            continue
        left = end - time.monotonic()
        if command.missing:
            found = {'state': 'skipped', 'reason': command.missing}
        elif left <= 0:
            found = {'state': 'not run', 'reason': 'the time of the stage was over'}
        else:
            say('\n%s, %s ...' % (name, command.name))
            results.add(command.name, state='began')
            found = {'state': 'cut off'}
            try:
                found = execute(command, folder / (command.name + '.log'),
                                min(left, 60 * command.minutes), context.tree)
            finally:
                results.add(command.name, **found)
        if found['state'] in ('skipped', 'not run'):
            results.add(command.name, **found)
        say('%s, %s: %s' % (name, command.name, page.told(found)))
        fine = fine and found['state'] in ('passed', 'skipped')
    return fine


def ask_machine(context):
    """Return the facts of the machine; the driver is asked in a process of its own."""
    try:
        found = subprocess.run(
            [sys.executable, '-m', 'tests.card.machine'], cwd=context.tree, text=True,
            env=environment(context.tree), timeout=120, stdout=subprocess.PIPE)
        return json.loads(found.stdout.splitlines()[-1])
    except (subprocess.TimeoutExpired, ValueError, IndexError) as e:
        return {'card': None, 'error': str(e)}


def announce(chosen, context):
    """Tell what stages would do."""
    for number, (name, stage) in enumerate(stages.STAGES.items(), 1):
        if name in chosen:
            say('%d %-10s at most %d minutes: %s' % (
                number, name, stage.minutes, stage.title))
            missing = {}
            for command in stage.commands(context):
                if command.missing:
                    missing.setdefault(command.missing, []).append(command.name)
            for reason, commands in missing.items():
                say('    without %s: %s' % (', '.join(commands), reason))
    say('%d minutes at most, together' % sum(
        stages.STAGES[name].minutes for name in chosen))


def parse_args(argv):
    names = list(stages.STAGES)
    parser = argparse.ArgumentParser(
        prog='python -m tests.card', description=__doc__,
        epilog='Stages: ' + ', '.join(
            '%d %s' % pair for pair in enumerate(names, 1)))
    parser.add_argument('stages', nargs='*', help='names or numbers; all by default')
    parser.add_argument('--out', type=pathlib.Path, default='build/card',
                        help='folder of the results (default: %(default)s)')
    parser.add_argument('--chainer', type=pathlib.Path,
                        help='checkout of Chainer v7.8.1, for its tests')
    parser.add_argument('--resume', action='store_true',
                        help='leave out what has passed before, in the same folder')
    parser.add_argument('--announce', action='store_true',
                        help='only tell what it would do, as without a card')
    parser.add_argument('--tiny', action='store_true',
                        help='tiny sizes, on a stand-in where there is no card')
    args = parser.parse_intermixed_args(argv)
    chosen = []
    for each in args.stages:
        if each.isdigit() and 1 <= int(each) <= len(names):
            each = names[int(each) - 1]
        if each not in names:
            parser.error('stages are %s, not %s' % (', '.join(names), each))
        chosen.append(each)
    args.stages = chosen or names
    return args


def main(argv=None):
    args = parse_args(sys.argv[1:] if argv is None else argv)
    args.out = args.out.resolve()
    context = stages.Context(
        args.out, ROOT, args.tiny, args.resume,
        args.chainer and args.chainer.resolve())
    if args.announce:
        announce(args.stages, context)
        return 0
    args.out.mkdir(parents=True, exist_ok=True)
    context.tree = tree(args.out)
    machine = ask_machine(context)
    if not machine['card'] and not args.tiny:
        say('No card: %s. On a machine with one:' % machine['error'])
        announce(args.stages, context)
        return 0
    (args.out / 'machine.json').write_text(json.dumps(machine, indent=1))
    # A stop from outside is one like Ctrl-C: results and page are still written.
    for number in signal.SIGTERM, signal.SIGHUP:
        signal.signal(number, lambda *_: sys.exit(143))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(
        resource.RLIMIT_CORE)[1]))      # they would take long to write
    begin, wrong = time.monotonic(), []
    try:
        for name in args.stages:
            since = time.monotonic()
            fine = run_stage(name, stages.STAGES[name], context)
            say('\n%s: %s after %s minutes' % (
                name, 'fine' if fine else 'NOT FINE', clock(time.monotonic() - since)))
            wrong += [name] * (not fine)
            page.write(args.out)
    finally:
        say('\n%s; the page is %s' % (clock(time.monotonic() - begin),
                                      page.write(args.out)))
    say('NOT FINE: ' + ', '.join(wrong) if wrong else 'all fine')
    return int(bool(wrong))
