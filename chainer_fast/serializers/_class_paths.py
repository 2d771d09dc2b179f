"""Paths of classes and functions in pickles of Chainer 1 to 7.

Of Chainer's modules, only those below are imported for a pickle. Their classes are
safe: creating an instance and setting its state runs no code that the file chooses.
The functions are never called while a file is read.
"""
import importlib
import inspect
import types

_HERE = 'chainer_fast'
_TOPS = {
    'chainer': _HERE, 'chainermn': _HERE + '.mn', 'onnx_chainer': _HERE + '.onnx',
    _HERE: _HERE}

# Modules below ``chainer`` in pickles that have another path today.
_MOVED = {
    'cuda': 'backends.cuda',
    'functions.math.squared_difference': 'functions.loss.squared_error',
    'training.triggers.interval': 'training.triggers.interval_trigger',
    **{'functions.activation.' + name: 'functions.rnn.' + name
       for name in ('lstm', 'slstm', 'tree_lstm')},
    **{'functions.connection.' + name: 'functions.rnn.' + name
       for name in ('n_step_gru', 'n_step_lstm', 'n_step_rnn')},
    **{'links.connection.' + name: 'links.rnn.' + name
       for name in ('gru', 'lstm', 'mgu', 'n_step_gru', 'n_step_lstm', 'n_step_rnn',
                    'peephole', 'tree_lstm', 'zoneoutlstm')},
}
# Names that were renamed.
_RENAMED = {
    ('function_set', 'FunctionSet'): ('link', 'Chain'),
    ('links.caffe.caffe_function', '_DropoutFunction'): (
        'links.caffe._layers', '_SingleArgumentFunction'),
    **{('links.caffe.caffe_function', '_' + name): (
        'links.connection.' + name.lower(), name) for name in ('Bias', 'Scale')},
    ('functions.pooling.max_pooling_2d', 'max_pooling_2d'): (
        'functions.pooling.max_pooling_nd', 'max_pooling_2d'),
}

# Packages and modules whose classes are allowed, and those in them whose classes are
# not: these read or write files, or start processes.
_CLASSES = (
    'backends._cpu', 'backends.intel64', 'dataset', 'datasets', 'device_resident',
    'distribution', 'distributions', 'function', 'function_hooks', 'function_node',
    'functions', 'initializer', 'initializers', 'iterators', 'link', 'link_hooks',
    'links', 'optimizer', 'optimizer_hooks', 'optimizers', 'reporter', 'sequential',
    'training', 'utils.sparse', 'utils.walker_alias', 'variable')
_NO_CLASSES = (
    'datasets.image_dataset', 'datasets.pickle_dataset', 'datasets.text_dataset',
    'dataset.download', 'functions.theano', 'iterators._worker', 'links.theano',
    'iterators.dali_iterator', 'training.extensions._writer_workers',
    'training.updaters.multiprocess_parallel_updater')
_NO_CLASS = {
    ('training.extensions.snapshot_writers', name) for name in (
        'ProcessQueueWriter', 'ProcessWriter', 'QueueWriter', 'TensorBoardWriter',
        'ThreadQueueWriter', 'ThreadWriter')}
_CLASS = {('backends.cuda', 'GpuDevice')}
# Modules whose functions are allowed as values of attributes.
_FUNCTIONS = ('functions', 'dataset.convert')
_NO_FUNCTIONS = ('functions.theano', 'functions.util.forget')
_FUNCTION = {
    ('serializers.npz', 'load_npz'), ('serializers.npz', 'save_npz'),
    ('serializers.hdf5', 'load_hdf5'), ('serializers.hdf5', 'save_hdf5'),
    ('training.extensions._snapshot', '_always_true')}


def is_of_chainer(module):
    """Return whether a module belongs to Chainer, or to one of its packages."""
    return module.partition('.')[0] in _TOPS


def today(module, name=None):
    """Return today's module for one of Chainer 1 to 7, with this package's prefix.

    Parameters
    ----------
    module : str
        Name of the module in a pickle.
    name : str, optional
        A name in it.

    Returns
    -------
    module, name : str
    """
    top, _, rest = module.partition('.')
    if top not in _TOPS:
        return module, name
    rest = _MOVED.get(rest, rest)
    rest, name = _RENAMED.get((rest, name), (rest, name))
    return _TOPS[top] + ('.' + rest if rest else ''), name


def _is_below(module, packages):
    return any(module == package or module.startswith(package + '.')
               for package in packages)


def find(module, name):
    """Return the class or function of a name in a pickle if it is allowed.

    Parameters
    ----------
    module, name : str
        Names of today.

    Returns
    -------
    type, function or None
        None if the name is not allowed, or does not exist.
    """
    home = module[len(_HERE) + 1:]
    classes = _is_below(home, _CLASSES) and not _is_below(home, _NO_CLASSES) and (
        home, name) not in _NO_CLASS
    classes = classes or (home, name) in _CLASS
    functions = (home, name) in _FUNCTION or (
        _is_below(home, _FUNCTIONS) and not _is_below(home, _NO_FUNCTIONS))
    if not module.startswith(_HERE + '.') or not (classes or functions):
        return None
    try:
        found = vars(importlib.import_module(module)).get(name)
    except ModuleNotFoundError:
        return None
    if inspect.isclass(found):
        admitted = classes
    elif isinstance(found, types.FunctionType):
        admitted = functions
    else:       # a converter, a function until Chainer 6
        return found if home == 'dataset.convert' and (
            type(found).__module__ == module) else None
    # Imported names belong to the modules that define them.
    if not admitted:
        return None
    return found if found.__module__ == module or find(
        found.__module__, found.__name__) is found else None


def named(path):
    """Return a class by its current path below the package."""
    module, _, name = path.rpartition('.')
    return find(_HERE + '.' + module, name)
