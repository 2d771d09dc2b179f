"""The thread of a process that receives the ends of others and announces its own.

Messages are JSON objects, which every process forwards to its other neighbours:

- ``left``: a process has ended its program, after a number of collective
  operations;
- ``failed``: a process raised an exception, disappeared, or will never do what
  others wait for;
- ``told``: a process has printed why the job fails.

Heartbeats are sent between messages. A neighbour without heartbeats is stopped, or its
machine has crashed or the network is broken: the connection alone does not reveal that.

The first failure ends the job. A process ends when all others have printed the
failure, since a launcher kills the others as soon as one process ends with an error.
"""
import contextlib
import math
import os
import queue
import selectors
import socket
import sys
import threading
import time
import traceback

from chainer_fast.mn._watchdog import _heart, _launcher, _links, _waits

#: Seconds to wait for the others' ``told``, and for the main thread after that.
TELLING, MOURNING = 2, 5

#: Seconds that neighbours have to receive the last messages.
PARTING = 10

# Less than a connection buffers when the peer does not read.
_LONGEST_TRACE = 20_000


def in_time(seconds, function, *args):
    """Call a function that might not return; continue after a timeout."""
    thread = threading.Thread(target=function, args=args, daemon=True)
    try:
        thread.start()
    except RuntimeError:    # Python 3.12 starts no threads while it shuts down
        return function(*args)
    thread.join(seconds)


def end(status):
    """End this process at once, without waiting for threads and without MPI."""
    in_time(1, _tidy)
    os._exit(status)


def _tidy():
    multiprocessing = sys.modules.get('multiprocessing')
    if multiprocessing is not None:
        for worker in multiprocessing.active_children():
            if worker.daemon:
                worker.terminate()
    for stream in sys.stdout, sys.stderr:
        stream.flush()


class Channel:
    """Connections with neighbours, and a thread that listens to them.

    Parameters
    ----------
    rank : int
        Rank of this process in the job.
    people : dict
        Descriptions of the processes of the channel, by rank.
    neighbours : dict
        Sockets by rank.
    patience : float
        Seconds without a heartbeat after which a neighbour is considered lost; 0 for
        no limit.
    """

    def __init__(self, rank, people, neighbours, patience=0):
        self.rank, self.people = rank, people
        self._neighbours = neighbours
        self._patience, self._interval = patience, min(1, patience / 10)
        self._heart = _heart.Heart([*neighbours.values()], self._interval)
        self._silence = dict.fromkeys(neighbours, 0.)
        self._readers = {neighbour: _links.Reader() for neighbour in neighbours}
        self._own = queue.SimpleQueue()
        self._bell, self._ring = socket.socketpair()
        self._ended, self._told = {}, set()
        self._failure, self._until = None, math.inf
        self._raised_here = self.left = False
        self.all_ended, self.all_told = threading.Event(), threading.Event()
        self._thread = threading.Thread(
            target=self._run, name='chainermn watchdog', daemon=True)
        self._thread.start()

    def say(self, **message):
        """Send a message of this process to all others."""
        self._own.put(dict(message, rank=message.get('rank', self.rank)))
        self._ring.send(b'.')

    @property
    def fails(self):
        """Whether the job is about to end with an error."""
        return self._failure is not None

    def close(self):
        """Close the connections, at the end or in a forked process.

        Others notice the closed connection only when no process has it open any more.
        """
        for one in *self._neighbours.values(), self._bell, self._ring:
            one.close()

    def _run(self):
        selector = getattr(selectors, 'PollSelector', selectors.SelectSelector)()
        selector.register(self._bell, selectors.EVENT_READ, None)
        for neighbour, made in self._neighbours.items():
            selector.register(made, selectors.EVENT_READ, neighbour)
        now = time.monotonic()
        while True:
            heard = set()
            for key, _ in selector.select(self._pause()):
                if key.data is None:
                    self._bell.recv(1)
                    self._hear(self._own.get(), None)
                elif self._listen(key.data):
                    heard.add(key.data)
                else:
                    selector.unregister(key.fileobj)
            before, now = now, time.monotonic()
            if self._failure is None:
                if len(self._ended) == len(self.people):
                    self._heart.stop()
                    self._part()
                    self.close()
                    return self.all_ended.set()
                self._judge(now)
                self._miss(heard, now - before)
            elif now >= self._until or self._told >= set(self.people):
                return self._finish()

    def _pause(self):
        """Return the seconds to sleep, or None to wait for the neighbours only."""
        if self._failure is not None:
            return max(self._until - time.monotonic(), 0)
        return self._interval or (.5 if self._ended else None)

    def _listen(self, neighbour):
        """Read messages; return whether more may follow."""
        reason = 'it was killed, crashed or called os._exit'
        try:
            messages = self._readers[neighbour].read(self._neighbours[neighbour])
        except OSError as error:
            messages, reason = None, str(error)
        for message in messages or ():
            self._hear(message, neighbour)
        if messages is not None:
            return True
        self._told.add(neighbour)
        if neighbour not in self._ended:
            self._hear({'kind': 'failed', 'rank': neighbour, 'gone': [neighbour],
                        'what': 'ended without notice: ' + reason}, neighbour)
        return False

    def _miss(self, heard, passed):
        """Accumulate how long each neighbour has been silent.

        Long iterations of this loop do not count in full: this process may have been
        stopped together with the others, and must read messages before it decides.
        """
        if not self._interval:
            return
        for neighbour in self._silence:
            if neighbour in heard or neighbour in self._ended:
                self._silence[neighbour] = 0.
            else:
                self._silence[neighbour] += min(passed, 2 * self._interval)
        if max(self._silence.values(), default=0.) < self._patience:
            return
        # The processes of one machine become silent together.
        gone = [neighbour for neighbour, seconds in sorted(self._silence.items())
                if seconds >= self._patience - 2 * self._interval]
        others = ''.join(', as did ' + self.people[rank] for rank in gone[1:])
        self._hear({
            'kind': 'failed', 'rank': gone[0], 'gone': gone, 'silent': True, 'what':
            'ended without notice%s: %s received nothing for %.3g s; a process or its '
            'machine is stopped or has crashed, or the network is broken' % (
                others, self.people[self.rank], self._patience)}, None)

    def _hear(self, message, source):
        kind, rank = message['kind'], message['rank']
        if kind == 'failed':
            if self._failure is not None:
                return      # by now all processes have received one
            self._failure = message
            self._until = time.monotonic() + TELLING
            self._raised_here = source is None and rank == self.rank
            self._told.update(message.get('gone', ()))
        elif kind == 'left':
            self._ended[rank] = time.monotonic(), message['counts']
        else:
            self._told.add(rank)
        self._hand_on(message, source)
        if kind == 'failed':
            if not self._raised_here:       # Python has printed it
                in_time(1, self._report, message)
            self._told.add(self.rank)
            self._hand_on({'kind': 'told', 'rank': self.rank}, None)

    def _hand_on(self, message, source):
        with self._heart:
            for neighbour, made in self._neighbours.items():
                if neighbour != source:
                    try:
                        _links.send(made, message)
                    except OSError:     # it is closed, which the next read detects
                        continue

    def _judge(self, now):
        found = _waits.awaited(self._ended, now)
        if found is not None:
            rank, operation = found
            self._hear({
                'kind': 'failed', 'rank': rank, 'what':
                'has ended its program, and %s waits for it in %s: it called sys.exit, '
                'or its program has fewer operations' % (
                    self.people[self.rank], operation)}, None)

    def _report(self, failure):
        waits = _waits.names()
        lines = ['', 'ChainerMN: %s ends%s, because' % (
            self.people[self.rank], ', waiting in ' + waits[-1] if waits else '')]
        lines.append('%s %s' % (self.people[failure['rank']], failure['what']))
        trace = failure.get('trace')
        if trace:
            lines.append(trace.rstrip())
        os.write(2, ('\n'.join(lines) + '\n').encode(errors='replace'))

    def _part(self):
        """Wait until the neighbours have received all messages.

        Closing a connection while heartbeats still arrive resets it, and messages in
        flight are lost, including the last one.
        """
        until = time.monotonic() + PARTING
        for made in self._neighbours.values():
            with contextlib.suppress(OSError):      # it may have closed by now
                made.shutdown(socket.SHUT_WR)
        for made in self._neighbours.values():
            with contextlib.suppress(OSError):
                made.settimeout(max(until - time.monotonic(), .01))
                while time.monotonic() < until and made.recv(1 << 16):
                    continue

    def _finish(self):
        """End this process; if it is the one that failed, let it end by itself."""
        self._heart.stop()
        self.all_told.set()
        if self._raised_here:
            time.sleep(MOURNING)
        if self._failure is not None and self._failure.get('silent'):
            in_time(1, _launcher.hurry)
        end(1)


def describe(exception):
    """Return the text and the traceback of an exception."""
    text = ''.join(traceback.format_exception(
        type(exception), exception, exception.__traceback__))
    return 'raised ' + type(exception).__name__, text[-_LONGEST_TRACE:]
