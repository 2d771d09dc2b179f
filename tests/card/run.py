"""Run stages: processes with limits of time, whose results are kept as they come."""
import argparse
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time

from tests.card import outcomes, page, process, stages
from tests.card.commands import Context, together


def clock(seconds):
    return '%d:%02d' % divmod(round(seconds), 60)


def say(text):
    print(text, flush=True)


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


def run_stage(name, stage, context, seconds=float('inf')):
    """Run the commands of a stage, and return whether none of them went wrong.

    Parameters
    ----------
    name : str
    stage : commands.Stage
    context : commands.Context
    seconds : float
        What it may take, if that is less than the stage's own limit.
    """
    folder = context.folder(name)
    if not context.resume:
        shutil.rmtree(folder, ignore_errors=True)
    before = page.states(folder)
    results = Results(folder)
    end = time.monotonic() + min(seconds, 60 * stage.minutes)
    fine = True
    for each in stage.commands(context):
        commands = [command for command in together(each)
                    if before.get(command.name, {}).get('state') != 'passed']
        found = _run(name, commands, context, results, end)
        for command in commands:
            results.add(command.name, **found[command.name])
            say('%s, %s: %s' % (name, command.name, page.told(found[command.name])))
        fine = fine and all(line['state'] in page.FINE for line in found.values())
    return fine


def _run(stage, commands, context, results, end):
    """Run commands at the same time, and return what became of each, by their names."""
    found, running = {}, {}
    left = end - time.monotonic()
    try:
        for command in commands:
            if command.missing:
                found[command.name] = {'state': 'skipped', 'reason': command.missing}
            elif left <= 0:
                found[command.name] = {
                    'state': 'not run', 'reason': 'the time of the stage was over'}
            else:
                say('\n%s, %s ...' % (stage, command.name))
                results.add(command.name, state='began')
                log = context.folder(stage) / (command.name + '.log')
                try:
                    running[command.name] = process.Process(
                        command, log, min(left, 60 * command.minutes), context.tree)
                except OSError as e:
                    found[command.name] = {'state': 'failed', 'reason': str(e)}
        for command in commands:
            if command.name in running:
                found[command.name] = running[command.name].wait()
                _open_end(command, found[command.name])
    finally:
        for name, each in running.items():
            if name not in found:
                each.kill()
                results.add(name, state='cut off')
    return found


def _open_end(command, found):
    """Correct what became of a command that was to end with its time."""
    if command.open_end and found['state'] == 'timed out' and 'reason' not in found:
        path = command.environment['CARD_OUTCOMES']
        known = set(outcomes.read(path).values() if os.path.exists(path) else ())
        if known.intersection(outcomes.BAD):
            found.update(state='failed', reason='tests failed, before it was stopped')
        elif 'passed' in known:         # without any, it has hung
            found['state'] = 'stopped'


def run_stages(chosen, context, write_page, seconds=float('inf')):
    """Run stages one after another, with a page after each.

    Parameters
    ----------
    chosen : dict of str to commands.Stage
    context : commands.Context
    write_page : callable
        Writes the page of the results so far, and returns its path.
    seconds : float
        What all of them may take.

    Returns
    -------
    bool
        Whether nothing went wrong.
    """
    # A stop from outside is one like Ctrl-C: results and page are still written.
    for number in signal.SIGTERM, signal.SIGHUP:
        signal.signal(number, lambda *_: sys.exit(143))
    # The system's images of processes that died would take long to write.
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
    begin, wrong = time.monotonic(), []
    try:
        for name, stage in chosen.items():
            since = time.monotonic()
            fine = run_stage(name, stage, context, begin + seconds - since)
            say('\n%s: %s after %s minutes' % (
                name, 'fine' if fine else 'NOT FINE', clock(time.monotonic() - since)))
            wrong += [name] * (not fine)
            write_page()
    finally:
        say('\n%s; the page is %s' % (clock(time.monotonic() - begin), write_page()))
    say('NOT FINE: ' + ', '.join(wrong) if wrong else 'all fine')
    return not wrong


def ask_machine(context):
    """Return the facts of the machine; the driver is asked in a process of its own."""
    try:
        found = subprocess.run(
            [sys.executable, '-m', 'tests.card.machine'], cwd=context.tree, text=True,
            env=process.environment(context.tree), timeout=120, stdout=subprocess.PIPE)
        return json.loads(found.stdout.splitlines()[-1])
    except (subprocess.TimeoutExpired, ValueError, IndexError) as e:
        return {'card': None, 'error': str(e)}


def announce(chosen, context):
    """Tell what stages would do."""
    numbers = {name: '%d ' % n for n, name in enumerate(stages.STAGES, 1)}
    for name, stage in chosen.items():
        say('%s%-10s at most %g minutes: %s' % (
            numbers.get(name, ''), name, stage.minutes, stage.title))
        missing = {}
        for each in stage.commands(context):
            for command in together(each):
                if command.missing:
                    missing.setdefault(command.missing, []).append(command.name)
        for reason, names in missing.items():
            say('    without %s: %s' % (', '.join(names), reason))
    say('%g minutes at most, together' % sum(
        stage.minutes for stage in chosen.values()))


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
    context = Context(args.out, process.ROOT, args.tiny, args.resume,
                      args.chainer and args.chainer.resolve())
    chosen = {name: stages.STAGES[name] for name in args.stages}
    if args.announce:
        announce(chosen, context)
        return 0
    args.out.mkdir(parents=True, exist_ok=True)
    if not process.built():
        context.tree = process.copy_tree(args.out / 'tree')
    machine = ask_machine(context)
    if not machine['card'] and not args.tiny:
        say('No card: %s. On a machine with one:' % machine['error'])
        announce(chosen, context)
        return 0
    (args.out / 'machine.json').write_text(json.dumps(machine, indent=1))
    return int(not run_stages(chosen, context, lambda: page.write(args.out)))
