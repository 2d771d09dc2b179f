import ctypes
import socket
import sys
import threading
import time

import pytest
from chainer_fast.mn._watchdog._heart import BEAT, Heart

from chainer_fast.mn._watchdog import _links


@pytest.fixture
def ends():
    """The two ends of a connection."""
    here, there = socket.socketpair()
    with here, there:
        there.settimeout(5)
        yield here, there


def received(made, seconds):
    """Return what comes within a time."""
    until, data = time.monotonic() + seconds, b''
    while time.monotonic() < until:
        made.settimeout(max(until - time.monotonic(), 1e-3))
        try:
            data += made.recv(1000)
        except TimeoutError:
            break
    return data


def test_beats_until_it_stops(ends):
    heart = Heart([ends[0]], .01)
    assert ends[1].recv(1) == BEAT
    assert ends[1].recv(1) == BEAT
    heart.stop()
    received(ends[1], .05)
    assert received(ends[1], .05) == b''
    heart.stop()


def test_no_interval(ends):
    heart = Heart([ends[0]], 0)
    assert received(ends[1], .05) == b''
    heart.stop()


@pytest.mark.skipif(sys.platform == 'win32', reason='usleep is of the others')
def test_beats_while_the_interpreter_is_blocked(ends):
    heart = Heart([ends[0]], .01)
    ctypes.PyDLL(None).usleep(300_000)      # with the lock of the interpreter
    # A thread of Python would have had one moment before, and one after that.
    assert len(ends[1].recv(1000)) >= 5
    heart.stop()


def test_messages_stay_whole(ends):
    heart = Heart([ends[0]], .0001)
    messages, reader = [], _links.Reader()

    def send():
        for number in range(200):
            with heart:
                for part in b'\0\0\0\3', b'%03d' % (100 + number):
                    ends[0].sendall(part)
                    time.sleep(.0002)

    thread = threading.Thread(target=send)
    thread.start()
    while len(messages) < 200:
        messages += reader.read(ends[1])
    thread.join()
    heart.stop()
    assert messages == list(range(100, 300))


def test_a_full_buffer_and_a_lost_connection(ends):
    heart = Heart([ends[0]], .0001)
    ends[0].setblocking(False)
    with heart:
        try:
            while True:
                ends[0].send(bytes(1000))
        except BlockingIOError:
            pass
    time.sleep(.01)
    ends[1].close()
    time.sleep(.01)
    heart.stop()
