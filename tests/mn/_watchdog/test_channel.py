"""Several channels in one process, between which there are real sockets."""
import ctypes
import socket
import sys
import time

import pytest

from chainer_fast.mn._watchdog import _channel, _heart, _links, _waits


@pytest.fixture
def ends(monkeypatch):
    """Record ends of the process; only the thread ends then."""
    recorded = []

    monkeypatch.setattr(_channel, 'end', recorded.append)
    monkeypatch.setattr(_channel, 'TELLING', .5)
    monkeypatch.setattr(_channel, 'MOURNING', .5)
    return recorded


@pytest.fixture
def patience():
    """How long a neighbour may be silent."""
    return 0


@pytest.fixture
def channels(patience):
    """Three channels: 1 and 2 are neighbours of 0."""
    one, two = socket.socketpair(), socket.socketpair()
    people = {rank: 'rank %d (here, process 1)' % rank for rank in range(3)}
    made = [_channel.Channel(0, people, {1: one[0], 2: two[0]}, patience),
            _channel.Channel(1, people, {0: one[1]}, patience),
            _channel.Channel(2, people, {0: two[1]}, patience)]
    yield made
    for channel in made:
        channel._thread.join(5)
        assert not channel._thread.is_alive()
        channel.close()


def wait_for(condition, seconds=5):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(.01)


def test_all_end_normally(channels, ends, capfd):
    for channel in channels:
        assert not channel.all_ended.is_set()
        channel.say(kind='left', counts={})
    for channel in channels:
        assert channel.all_ended.wait(5)
    assert ends == [] and capfd.readouterr().err == ''


def test_an_exception_is_told_to_all(channels, ends, capfd):
    channels[1].say(kind='failed', what='raised ValueError', trace='the trace\n')
    assert channels[1].all_told.wait(5)
    wait_for(lambda: ends == [1, 1, 1])
    text = capfd.readouterr().err
    for rank in 0, 2:
        assert text.count(
            'ChainerMN: rank %d (here, process 1) ends, because\n'
            'rank 1 (here, process 1) raised ValueError\nthe trace\n' % rank) == 1
    assert 'rank 1 (here, process 1) ends' not in text


def test_a_death_is_told_to_all(channels, ends, capfd):
    with _waits.Wait('allreduce', None, None):
        channels[1]._neighbours[0].shutdown(socket.SHUT_RDWR)
        wait_for(lambda: ends == [1, 1, 1])
    text = capfd.readouterr().err
    for rank in 0, 2:
        assert text.count(
            'rank %d (here, process 1) ends, waiting in allreduce, because\n'
            'rank 1 (here, process 1) ended without notice' % rank) == 1


def test_a_connection_that_is_lost_after_a_farewell(channels, ends):
    channels[1].say(kind='left', counts={})
    wait_for(lambda: 1 in channels[2]._ended)
    channels[1]._neighbours[0].shutdown(socket.SHUT_WR)
    for channel in channels[0], channels[2]:
        channel.say(kind='left', counts={})
    for channel in channels:    # the other direction is not lost
        assert channel.all_ended.wait(5)
    assert ends == []


def test_farewells_are_not_lost_to_signs_of_life(ends):
    # Between processes that end at about the same time, these cross on the way.
    with socket.create_server(('127.0.0.1', 0)) as listener:
        neighbour = socket.create_connection(listener.getsockname(), 5)
        channel = _channel.Channel(0, {0: 'zero', 1: 'one'}, {1: listener.accept()[0]})
    with neighbour:
        channel.say(kind='left', counts={})
        _links.send(neighbour, {'kind': 'left', 'rank': 1, 'counts': {}})
        wait_for(lambda: len(channel._ended) == 2)
        time.sleep(.1)
        neighbour.sendall(_heart.BEAT)
        time.sleep(.1)
        neighbour.sendall(_heart.BEAT)      # a closed connection has been reset by now
        reader = _links.Reader()
        assert reader.read(neighbour) == [{'kind': 'left', 'rank': 0, 'counts': {}}]
        assert reader.read(neighbour) is None
        assert not channel.all_ended.is_set()
    assert channel.all_ended.wait(5)
    assert ends == []


def test_a_neighbour_that_never_hangs_up(ends, monkeypatch):
    monkeypatch.setattr(_channel, 'PARTING', .1)
    here, there = socket.socketpair()
    with there:
        channel = _channel.Channel(0, {0: 'zero', 1: 'one'}, {1: here})
        channel.say(kind='left', counts={})
        _links.send(there, {'kind': 'left', 'rank': 1, 'counts': {}})
        assert channel.all_ended.wait(5)
    assert ends == []


def test_who_waits_in_vain_ends_the_job(channels, ends, capfd, monkeypatch):
    monkeypatch.setattr(_waits, 'awaited', lambda ended, now: (
        (2, 'allgather') if 2 in ended and len(ends) == 0 else None))
    channels[2].say(kind='left', counts={'a': 1})
    wait_for(lambda: ends == [1, 1, 1])
    assert 'rank 2 (here, process 1) has ended its program, and rank' in (
        capfd.readouterr().err)


def test_only_the_first_failure_is_told(channels, ends, capfd):
    channels[1].say(kind='failed', what='raised ValueError', trace='')
    wait_for(lambda: channels[2].fails)
    channels[2].say(kind='failed', what='raised KeyError', trace='')
    wait_for(lambda: ends == [1, 1, 1])
    assert 'KeyError' not in capfd.readouterr().err


def test_long_traces_keep_their_end():
    what, trace = _channel.describe(ValueError('x' * 10**6 + 'the end'))
    assert what == 'raised ValueError'
    assert len(trace) <= _channel._LONGEST_TRACE and trace.endswith('the end\n')


def test_no_thread_can_be_started(monkeypatch):
    def refuse(self):
        raise RuntimeError("can't create new thread at interpreter shutdown")

    called = []
    monkeypatch.setattr(_channel.threading.Thread, 'start', refuse)
    _channel.in_time(1, called.append, 3)
    assert called == [3]


def test_a_function_that_does_not_return():
    began = time.monotonic()
    _channel.in_time(.05, time.sleep, 1)
    assert time.monotonic() - began < .9


class TestSilence:
    """Channels whose neighbours may be silent for a time."""

    @pytest.fixture
    def patience(self):
        return .5

    def test_a_silent_neighbour_is_told_to_all(self, channels, ends, capfd):
        channels[1]._heart.stop()
        wait_for(lambda: ends == [1, 1, 1])
        text = capfd.readouterr().err
        for rank in 0, 2:
            assert text.count(
                'rank %d (here, process 1) ends, because\n'
                'rank 1 (here, process 1) ended without notice: '
                'rank 0 (here, process 1) received nothing for 0.5 s; a process or its '
                'machine is stopped or has crashed, or the network is '
                'broken' % rank) == 1

    def test_several_silent_neighbours(self, channels, ends, capfd):
        channels[1]._heart.stop()
        channels[2]._heart.stop()
        wait_for(lambda: ends == [1, 1, 1])
        assert (
            'rank 0 (here, process 1) ends, because\n'
            'rank 1 (here, process 1) ended without notice, as did '
            'rank 2 (here, process 1): ') in capfd.readouterr().err

    def test_nobody_is_silent(self, channels, ends):
        time.sleep(1.2)
        assert not any(channel.fails for channel in channels)
        for channel in channels:
            channel.say(kind='left', counts={})
        for channel in channels:
            assert channel.all_ended.wait(5)
        assert ends == []

    def test_who_has_ended_may_be_silent(self, channels, ends):
        channels[1].say(kind='left', counts={})
        wait_for(lambda: 1 in channels[2]._ended)
        channels[1]._heart.stop()
        time.sleep(1.2)
        assert not any(channel.fails for channel in channels)
        for channel in channels[0], channels[2]:
            channel.say(kind='left', counts={})
        for channel in channels:
            assert channel.all_ended.wait(5)
        assert ends == []

    @pytest.mark.skipif(sys.platform == 'win32', reason='usleep is of the others')
    def test_a_process_that_was_stopped_listens_before_it_judges(self, channels, ends):
        # All threads of Python stand still, as after SIGSTOP; signs of life go on.
        ctypes.PyDLL(None).usleep(1_200_000)
        time.sleep(.1)
        assert not any(channel.fails for channel in channels)
        for channel in channels:
            channel.say(kind='left', counts={})
        for channel in channels:
            assert channel.all_ended.wait(5)
        assert ends == []

    def test_all_were_stopped(self, channels, ends, monkeypatch):
        """Nobody has sent anything, so time alone tells nothing."""
        stopped = 1000.
        clock = time.monotonic
        monkeypatch.setattr(
            _channel.time, 'monotonic', lambda: clock() + stopped)
        time.sleep(.2)
        assert not any(channel.fails for channel in channels)
        for channel in channels:
            channel.say(kind='left', counts={})
        for channel in channels:
            assert channel.all_ended.wait(5)
        assert ends == []
