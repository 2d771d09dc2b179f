"""Small graphs and models, for the cost of the engine itself."""
import worker
import workloads

NAMES = [
    'add', 'small_forward', 'small', 'fan_out', 'perceptron_sgd', 'perceptron_adam',
    'gradient_penalty', 'predict']


class Steps:
    """One step of each workload."""

    params = NAMES
    param_names = ['workload']
    side = 'chainer_fast'

    def setup(self, workload):
        self.step = getattr(workloads.load(self.side), 'make_' + workload)()
        self.step()

    def time_step(self, workload):
        self.step()


class ChainerxSteps(Steps):
    """The same over arrays of ChainerX."""

    side = 'chainerx'


class Memory:
    """Memory of a graph."""

    unit = 'bytes'
    params = ['chainer_fast', 'chainerx']
    param_names = ['arrays']

    def track_bytes_per_function(self, arrays):
        return worker.bytes_per_function(workloads.load(arrays).make_graph)


class Import:
    """Time of the import, in a fresh process."""

    def timeraw_import(self):
        return 'import chainer_fast'
