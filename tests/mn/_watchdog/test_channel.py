"""Several channels in one process, between which there are real sockets."""
import socket
import time

import pytest

from chainer_fast.mn._watchdog import _channel, _waits


@pytest.fixture
def ends(monkeypatch):
    """Record ends of the process; only the thread ends then."""
    recorded = []

    monkeypatch.setattr(_channel, 'end', recorded.append)
    monkeypatch.setattr(_channel, 'TELLING', .5)
    monkeypatch.setattr(_channel, 'MOURNING', .5)
    return recorded


@pytest.fixture
def channels():
    """Three channels: 1 and 2 are neighbours of 0."""
    one, two = socket.socketpair(), socket.socketpair()
    people = {rank: 'rank %d (here, process 1)' % rank for rank in range(3)}
    made = [_channel.Channel(0, people, {1: one[0], 2: two[0]}),
            _channel.Channel(1, people, {0: one[1]}),
            _channel.Channel(2, people, {0: two[1]})]
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
            'rank 1 (here, process 1) is gone without a farewell' % rank) == 1


def test_a_connection_that_is_lost_after_a_farewell(channels, ends):
    channels[1].say(kind='left', counts={})
    wait_for(lambda: 1 in channels[2]._ended)
    channels[1]._neighbours[0].shutdown(socket.SHUT_WR)
    for channel in channels[0], channels[2]:
        channel.say(kind='left', counts={})
    for channel in channels:    # the other direction is not lost
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
