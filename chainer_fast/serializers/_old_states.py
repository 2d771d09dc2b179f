"""Conversion of the states in pickles of Chainer 1 to 7 to those of today."""
from chainer_fast import variable
from chainer_fast.serializers import _old_links as links
from chainer_fast.serializers import _old_training as training
from chainer_fast.serializers import _reconstructors


class Later:
    """Work to do after the whole pickle has been read."""

    def __init__(self):
        self.calls = []
        # Triggers that do not store when they were last called.
        self.triggers = []

    def finish(self):
        for call in self.calls:
            call()


def bring_up_to_date(obj, state, later):
    """Return the state for an object of today.

    Parameters
    ----------
    obj : object
        The object that will receive the state.
    state : object
        The state in the file, which is not modified.
    later : Later
        Collects work that needs other objects to be complete.
    """
    if not isinstance(state, dict):
        return state
    paths = ['%s.%s' % (cls.__module__, cls.__name__) for cls in type(obj).__mro__]
    changes: list = [_CHANGES[path] for path in reversed(paths) if path in _CHANGES]
    if not changes:
        return state
    state = dict(state)
    for change in changes:
        if isinstance(change, dict):
            for name, value in change.items():
                state.setdefault(name, value)
        else:
            change(obj, state, later)
    return state


class _Flag:
    """ON, OFF and AUTO of Chainer 1: whether a variable was volatile."""

    def __init__(self, value):
        pass


def _variable(data=None, volatile=None, name=None, grad=None):
    return variable.Variable(data, name=name, grad=grad)


#: Callables by today's paths; they get the arguments in the file.
CALLS: dict = {
    ('chainer_fast.flag', 'Flag'): _Flag,
    ('chainer_fast.backends.cuda', 'GpuDevice.from_device_id'):
        _reconstructors.gpu_device,
    ('chainer_fast.variable', 'Variable'): _variable,
    ('chainer_fast.variable', '_recover_parameter'): variable._recover_parameter,
    ('chainer_fast.variable', '_create_variable'): variable._create_variable,
}


_CHANGES = {'chainer_fast.' + path: change for path, change in {
    'device_resident.DeviceResident': links.resident,
    'link.Link': links.link,
    'link.Chain': links.chain,
    'links.rnn.n_step_rnn.NStepRNNBase': links.stacked,
    'links.connection.convolution_2d.Convolution2D': links.convolution,
    'links.connection.convolution_nd.ConvolutionND': links.convolution,
    'links.connection.deconvolution_2d.Deconvolution2D': links.convolution,
    'links.connection.deconvolution_nd.DeconvolutionND': links.convolution,
    'links.normalization.batch_normalization.BatchNormalization':
        links.batch_normalization,
    'links.connection.scale.Scale': links.scale,
    'links.caffe._layers._SingleArgumentFunction': links.caffe_layer,
    'optimizer.Optimizer': training.optimizer,
    'optimizer.GradientMethod': training.gradient_method,
    'optimizer.UpdateRule': training.update_rule,
    'iterators._ordered_iterator.OrderedIterator': training.iterator,
    'training.updaters.standard_updater.StandardUpdater': training.updater,
    'training.triggers.interval_trigger.IntervalTrigger': training.interval_trigger,
    'training.trainer._ExtensionEntry': training.entry,
    'training.trainer.Trainer': training.trainer,
    'training.extensions._shift.HyperparameterShift': training.shift,
    'training.extensions.computational_graph.DumpGraph': training.dump_graph,
    'training.extensions.linear_shift.LinearShift': training.linear_shift,
    'iterators.multithread_iterator.MultithreadIterator': training.multithread_iterator,
    # Later attributes, and their values before.
    'links.connection.linear.Linear': {'in_size': None},
    'links.model.classifier.Classifier': {'label_key': -1},
    'training.extensions.evaluator.Evaluator': {'_progress_bar': False},
    'functions.noise.dropout.Dropout': {'mask': None, 'return_mask': False},
    'initializers.normal.HeNormal': {'fan_option': 'fan_in', 'rng': None},
    'initializers.orthogonal.Orthogonal': {'mode': 'auto', 'rng': None},
    **{'initializers.' + name: {'rng': None} for name in (
        'normal.GlorotNormal', 'normal.LeCunNormal', 'normal.Normal',
        'uniform.GlorotUniform', 'uniform.HeUniform', 'uniform.LeCunUniform',
        'uniform.Uniform')},
}.items()}
