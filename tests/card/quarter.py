"""Ask a machine that is there for a quarter of an hour, in two visits.

    python -m tests.card.quarter first          # eight minutes
    python -m tests.card.quarter second         # the rest

Each begins on a bare machine: it installs the wheels that ``make card-wheels`` has
made, into a folder of its own, and runs in a copy of the repository. ``visits`` has the
table of the stages. A page and one archive of all results are in the folder that the
variable ``OUT`` names, and are written anew all the time. Nothing resets the card or
changes its settings.

The second visit runs again what failed in the first one, whose archive it reads. Where
the time is short, it is given as ``--minutes``.
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile
import threading

from tests.card import archive, page, process, run, visits
from tests.doubles import host_cupy

BUILD = process.ROOT / 'build'
MINUTES = {'first': 8, 'second': 5.5}
#: Seconds that the end of a visit needs: for processes to end, and for the archive.
LAST = 20
OFTEN = 20      # seconds from one archive to the next, in the midst of a stage


def parse_args(argv):
    parser = argparse.ArgumentParser(
        prog='python -m tests.card.quarter', description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('visit', choices=list(visits.VISITS))
    parser.add_argument('--minutes', type=float,
                        help='what the visit may take (default: %s)' % ', '.join(
                            '%s %g' % each for each in MINUTES.items()))
    parser.add_argument('--out', type=pathlib.Path,
                        default=os.environ.get('OUT', 'build/quarter'),
                        help='folder of page and archive (default: %(default)s)')
    parser.add_argument('--wheels', type=pathlib.Path, default=BUILD / 'card-wheels',
                        help='folder of the wheels (default: %(default)s)')
    parser.add_argument('--first', type=pathlib.Path,
                        default=BUILD / 'card-first' / archive.NAME,
                        help='archive of the first visit (default: %(default)s)')
    parser.add_argument('--announce', action='store_true',
                        help='only tell what it would do')
    parser.add_argument('--rehearse', action='store_true',
                        help='tiny sizes, on the stand-ins where there is no card')
    args = parser.parse_args(argv)
    args.minutes = args.minutes or MINUTES[args.visit]
    return args


def visit(args, work):
    """Make a visit, in a folder for its work, and return whether all went well."""
    context = make_context(args, work)
    context.out.mkdir()
    process.copy_tree(context.tree)
    os.environ['PYTHONPATH'] = os.pathsep.join(
        filter(None, [str(context.site), os.environ.get('PYTHONPATH')]))
    sys.path.insert(0, str(context.site))
    stages = visits.VISITS[args.visit]
    if args.visit == 'second' and context.first is None:
        run.say('There is no archive of the first visit at %s: nothing is run again.'
                % args.first)
    there = args.rehearse or host_cupy.has_gpu()
    if not there:
        run.say('There is no card, or no CuPy that finds it: only the doctor is asked.')
        stages = {'start': visits.SECOND['start']}
    lock, ended = threading.Lock(), threading.Event()

    def leave():
        with lock:
            note_machine(context)
            return archive.leave(context.out, args.out, chosen=stages,
                                 title='A card, the %s visit' % args.visit)

    def leave_often():
        while not ended.wait(OFTEN):
            leave()

    leaving = threading.Thread(target=leave_often, daemon=True)
    leaving.start()
    try:
        fine = run.run_stages(stages, context, leave, 60 * args.minutes - LAST)
    finally:
        ended.set()
        leaving.join()
    return fine and there


def make_context(args, work):
    return visits.Context(
        work / 'results', work / 'tree', tiny=args.rehearse,
        wheels=args.wheels.resolve(), site=work / 'site',
        first=args.first.resolve() if args.first.exists() else None)


def note_machine(context):
    """Put what the machine has said of itself where the page looks for it."""
    for facts in page.lines_of(context.out / 'start' / 'versions.log'):
        # The copy of the repository need not know.
        commit = context.wheels / 'commit'
        if commit.exists():
            facts['commit'] = commit.read_text().strip()
        (context.out / 'machine.json').write_text(json.dumps(facts, indent=1))


def main(argv=None):
    args = parse_args(sys.argv[1:] if argv is None else argv)
    with tempfile.TemporaryDirectory(
            prefix='card-', ignore_cleanup_errors=True) as folder:
        work = pathlib.Path(folder)
        if args.announce:
            run.announce(visits.VISITS[args.visit], make_context(args, work))
            return 0
        return int(not visit(args, work))


if __name__ == '__main__':
    sys.exit(main())
