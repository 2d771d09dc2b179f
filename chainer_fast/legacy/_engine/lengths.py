"""The length of a variable in version 1, which was the number of its elements."""
from chainer_fast.legacy import _frames, _report
from chainer_fast.variable import Variable


def install(patches):
    """Return the number of elements to the program if version 1 is named."""
    if 'v1' not in patches.named:
        return
    length = Variable.__len__

    def count(self):
        if not _frames.is_called_by_program():
            return length(self)
        _report.adapted('chainer.Variable.__len__')
        return self.size
    patches.set(Variable, '__len__', count)
