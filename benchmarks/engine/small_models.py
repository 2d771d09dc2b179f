"""Small graphs and models, for the cost of the engine itself."""
import worker
import workloads

NAMES = [
    'small_forward', 'small', 'fan_out', 'perceptron_sgd', 'perceptron_adam',
    'gradient_penalty', 'predict']


class Steps:
    """One step of each workload."""

    params = NAMES
    param_names = ['workload']

    def setup(self, workload):
        self.step = getattr(workloads.load('chainer_fast'), 'make_' + workload)()
        self.step()

    def time_step(self, workload):
        self.step()


class Memory:
    """Memory of a graph."""

    unit = 'bytes'

    def track_bytes_per_function(self):
        return worker.bytes_per_function(workloads.load('chainer_fast').make_graph)


class Import:
    """Time of the import, in a fresh process."""

    def timeraw_import(self):
        return 'import chainer_fast'
