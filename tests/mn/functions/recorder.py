"""A communicator that records what it is asked, and answers as told."""
import collections

from chainer_fast.mn import CommunicatorBase


class Recorder(CommunicatorBase):
    """Stands for one of several processes, without the others.

    It cannot know whether the others would send what the test lets it receive.

    Parameters
    ----------
    rank, size : int
        Of the process.

    Attributes
    ----------
    asked : list of tuple
        Calls: name, and arguments.
    answers : collections.deque
        Results of the next calls that have one. A call without one is an error.
    """

    def __init__(self, rank=0, size=2):
        super().__init__()
        self.asked, self.answers = [], collections.deque()
        self._rank, self._size = rank, size

    rank = property(lambda self: self._rank)
    size = property(lambda self: self._size)

    def answer(self, *answers):
        """Set what the next calls return."""
        self.asked.clear()
        self.answers.extend(answers)

    def _ask(self, *call):
        self.asked.append(call)
        return self.answers.popleft()

    def send(self, data, dest, tag):
        self.asked.append(('send', data, dest, tag))

    def recv(self, source, tag):
        return self._ask('recv', source, tag)

    def bcast(self, data, max_buf_len=None, root=0):
        return self._ask('bcast', data, root)

    def gather(self, data, root=0):
        return self._ask('gather', data, root)

    def scatter(self, xs, root=0):
        return self._ask('scatter', xs, root)

    def allgather(self, x):
        return self._ask('allgather', x)

    def alltoall(self, xs):
        return self._ask('alltoall', xs)

    def allreduce(self, data):
        return self._ask('allreduce', data)

    def _refuse(self, *args, **kwargs):
        raise AssertionError('functions exchange arrays only')

    split = send_obj = recv_obj = bcast_obj = gather_obj = _refuse
    allreduce_obj = bcast_data = multi_node_mean_grad = _refuse
