"""The length of a variable in version 1: the number of its elements."""
from chainer_fast.legacy import _frames, _report
from chainer_fast.variable import Variable


def install(patches):
    """Count the elements, where the program asks and has named version 1."""
    if 'v1' not in patches.named:
        return
    length = Variable.__len__

    def count(self):
        if not _frames.is_called_by_program():
            return length(self)
        _report.adapted('chainer.Variable.__len__')
        return self.size
    patches.set(Variable, '__len__', count)
