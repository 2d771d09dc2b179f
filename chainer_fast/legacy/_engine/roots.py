"""The gradient of the variable that ``backward`` starts from, kept up to version 5."""
from chainer_fast._core.graphs.graph import VariableBase
from chainer_fast.legacy import _frames, _report
from chainer_fast.variable import Variable

_KEY = '_grad_of_root'


def install(patches):
    """Keep it until the gradient is set or cleared."""
    grad = vars(VariableBase)['grad']
    backward, cleargrad = Variable.backward, Variable.cleargrad

    def get(self):
        """Gradient, an array; None if it is not known."""
        found = grad.__get__(self)
        if found is None and _KEY in self.__dict__ and _frames.is_called_by_program():
            _report.adapted('gradient of the variable that backward() starts from')
            return self.__dict__[_KEY]
        return found

    def put(self, value):
        self.__dict__.pop(_KEY, None)
        grad.__set__(self, value)

    def run_backward(self, *arguments, **options):
        start = grad.__get__(self)
        if start is None:
            start = self.__dict__.pop(_KEY, None)
            grad.__set__(self, start)
        backward(self, *arguments, **options)
        if self.creator_node is not None:
            if start is None and self.size == 1:
                start = self.xp.ones_like(self.array)
            self.__dict__[_KEY] = start

    def clear(self):
        self.__dict__.pop(_KEY, None)
        cleargrad(self)

    run_backward.__doc__, clear.__doc__ = backward.__doc__, cleargrad.__doc__
    patches.set(Variable, 'grad', property(get, put))
    patches.set(Variable, 'backward', run_backward)
    patches.set(Variable, 'cleargrad', clear)
