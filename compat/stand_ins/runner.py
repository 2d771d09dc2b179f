"""Runs scripts in separate folders, without network, for a limited time."""
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time

from stand_ins import mpi
from stand_ins.run import Run

HERE = pathlib.Path(__file__).resolve().parent
PASSED, FAILED, EXCUSED = 'passed', 'failed', 'excused'
# Nothing listens there, so that downloads fail at once.
NOWHERE = 'http://127.0.0.1:9'
# Prints those of its arguments, 'MODULE' or 'MODULE<VERSION', that cannot be imported
# or are too new.
_FIND = """
import importlib.metadata, importlib.util, json, re, sys

def there(need):
    name, _, limit = need.partition('<')
    if importlib.util.find_spec(name) is None:
        return False
    def number(version):
        return [int(n) for n in re.findall('[0-9]+', version)]
    return not limit or number(importlib.metadata.version(name)) < number(limit)

print(json.dumps([need for need in sys.argv[1:] if not there(need)]))
"""
# Frames of a traceback, progress bars and the last lines of MPI are not messages.
_NO_MESSAGE = re.compile(
    r'\s|\[?\d*%|.*it/s|-{20}|prterun |thus causing|.*PMIX ERROR')


@dataclasses.dataclass
class Result:
    """Result of a run: the outcome, the seconds it took, and the reason if any."""

    run: Run
    outcome: str
    seconds: float = 0.
    reason: str = ''
    log: pathlib.Path | None = None


class Runner:
    """Makes the runs of a checkout.

    Parameters
    ----------
    checkout : pathlib.Path
        The folder that holds ``examples/``, which is only read.
    work : pathlib.Path
        Folder for the folders of the runs.
    command : list of str
        Command before the name of a script: ``[PYTHON, '-m', 'chainer_fast']``.
    timeout : float
        Seconds after which a script is ended.
    report : callable
        Called with each run that starts, and with each :class:`Result`.
    """

    def __init__(self, checkout, work, command, timeout, report):
        self.examples = checkout / 'examples'
        self.work = work
        self.command = command
        self.timeout = timeout
        self.report = report
        self.missing = set()
        self._shared_home = work / 'home'
        self._interrupted = threading.Event()

    def all(self, runs, jobs):
        """Return the results of the runs, including those that follow them."""
        self._find_missing(runs)
        self._shared_home.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            futures = [pool.submit(self._chain, i, run) for i, run in enumerate(runs)]
            try:
                return [result for future in futures for result in future.result()]
            except BaseException:       # an interrupt: end the running scripts
                self._interrupted.set()
                pool.shutdown(cancel_futures=True)
                raise

    def _find_missing(self, runs):
        needs = {name for run in runs for r in run.chain() for name in r.needs}
        found = subprocess.run(
            [self.command[0], '-c', _FIND, *sorted(needs)], capture_output=True,
            text=True, check=True, cwd=self.work)
        self.missing = set(json.loads(found.stdout))

    def _chain(self, number, first):
        name = '%02d-%s' % (number, first.script.replace('/', '-').removesuffix('.py'))
        base = self.work / name
        results = []
        self._follow(base, first, None, results)
        return results

    def _follow(self, base, run, before, results):
        """Make a run, then those after it; ``before`` is the result it depends on."""
        if before and before.outcome != PASSED and not run.excused:
            reason = before.reason
            if before.outcome == FAILED:
                reason = '%s failed before it' % before.run.script
            result = Result(run, before.outcome, reason=reason)
        else:
            self.report(run)
            result = self._one(base, run, len(results))
        results.append(result)
        self.report(result)
        for later in run.then:
            self._follow(base, later, result, results)

    def _one(self, base, run, number):
        missing = sorted(self.missing.intersection(run.needs))
        if run.excused or missing:
            needed = 'needs ' + ', '.join(missing) + (run.note and ': ' + run.note)
            return Result(run, EXCUSED, reason=run.excused or needed)
        start = mpi.start(self.command[0], run.processes) if run.processes else []
        if start is None:
            return Result(run, EXCUSED, reason='needs mpiexec')
        source = self.examples / run.script
        if not source.is_file():
            return Result(run, FAILED, reason='the checkout has no such script')
        folder = base / source.parent.relative_to(self.examples)
        cache = base / 'dataset'
        try:
            if not folder.exists():
                shutil.copytree(source.parent, folder)
                cache.mkdir()
                (base / 'tmp').mkdir()
            if run.prepare:
                run.prepare(folder, cache)
        except Exception as e:
            return Result(run, FAILED, reason='no stand-in data: %r' % e)
        log = base / ('%d.log' % number)
        begin = time.monotonic()
        reason = self._execute(run, start, folder, self._environment(base, run), log)
        outcome = FAILED if reason else PASSED
        if reason and run.own_fault:
            # Lines of other processes may come after the message.
            fault = re.search(
                run.own_fault, read_log(log) if run.processes else reason)
            if fault and re.search(run.prints, read_log(log)):
                outcome = EXCUSED
                reason = 'fails with Chainer too: ' + (
                    fault.group() if run.processes else reason)
        return Result(run, outcome, time.monotonic() - begin, reason or run.note, log)

    def _environment(self, base, run):
        inherited = os.environ.get('PYTHONPATH', '').split(os.pathsep)
        paths = [str(HERE / path) for path in run.paths]
        paths += [os.path.abspath(path) for path in inherited if path]
        environment = {
            name: value for name, value in os.environ.items()
            if not name.startswith(('CHAINER', 'PYTHON', 'CUDA', 'CUPY', 'XDG_'))
            and not name.lower().endswith('_proxy')}
        environment.update(
            mpi.ENVIRONMENT, PYTHONPATH=os.pathsep.join(paths), PYTHONUNBUFFERED='1',
            CHAINER_DATASET_ROOT=str(base / 'dataset'),
            NLTK_DATA=str(base / 'dataset' / 'nltk_data'),
            # Shared by all, as Matplotlib takes seconds to fill its cache of fonts.
            HOME=str(self._shared_home), TMPDIR=str(base / 'tmp'), MPLBACKEND='Agg',
            CUDA_VISIBLE_DEVICES='', OMP_NUM_THREADS='1', OPENBLAS_NUM_THREADS='1',
            http_proxy=NOWHERE, https_proxy=NOWHERE, ftp_proxy=NOWHERE)
        return environment

    def _wait(self, process, run, log):
        """Return the exit status: 0 if the script did enough, None after a timeout."""
        end = time.monotonic() + self.timeout
        while time.monotonic() < end and not self._interrupted.is_set():
            try:
                return process.wait(min(.2, max(end - time.monotonic(), 0)))
            except subprocess.TimeoutExpired:
                if run.enough and re.search(run.enough, read_log(log)):
                    return 0
        return None

    def _execute(self, run, start, folder, environment, log):
        """Run the script; return what went wrong, or None."""
        script = pathlib.PurePosixPath(run.script).name
        typed = log.with_suffix('.in')
        typed.write_text(run.typed, encoding='utf-8')
        with open(log, 'wb') as output, open(typed, 'rb') as keyboard:
            process = subprocess.Popen(
                [*start, *self.command, script, *run.arguments], cwd=folder,
                env=environment, stdin=keyboard, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True)
            try:
                status = self._wait(process, run, log)
            finally:
                if start and process.poll() is None:
                    # It has to end its processes itself: they have their own groups.
                    process.terminate()
                    process.wait()
                # This also ends processes that it left running.
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except OSError:
                    pass
                process.wait()
        if status is None:
            return 'not at its end after %g s' % self.timeout
        if status < 0:
            return 'ended by %s' % signal.Signals(-status).name
        text = read_log(log)
        if status:
            return last_message(text) or 'exit status %d' % status
        for pattern in run.produces:
            if not any(folder.glob(pattern)):
                return 'left no file %s' % pattern
        if not re.search(run.prints, text):
            return 'printed nothing like %r' % run.prints
        return None


def read_log(log):
    """Return the text of a log without overwritten parts of lines."""
    text = log.read_bytes().decode('utf-8', 'replace')
    text = re.sub(r'\x1b\[[0-9;]*[A-Za-z]', '', text).replace('\r\n', '\n')
    return '\n'.join(line.rsplit('\r', 1)[-1] for line in text.split('\n'))


def last_message(text):
    """Return the last line with a message, which in a traceback is the error."""
    lines = [line for line in text.splitlines() if line.strip()]
    said = [line for line in lines if not _NO_MESSAGE.match(line)]
    return (said or lines or [''])[-1].strip()
