"""Where the classes and functions stand that pickles of Chainer 1 to 7 name.

Of Chainer's modules only those below are imported for a pickle. Their classes are
inert: making an instance and giving it a state runs nothing that the file decides. The
functions are never called while a file is read.
"""
import importlib
import inspect
import types

_HERE = 'chainer_fast'
_TOPS = {
    'chainer': _HERE, 'chainermn': _HERE + '.mn', 'onnx_chainer': _HERE + '.onnx',
    _HERE: _HERE}

# Modules of the maker, below ``chainer``, that stand elsewhere today.
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
# Names that have others today.
_RENAMED = {
    ('function_set', 'FunctionSet'): ('link', 'Chain'),
    ('links.caffe.caffe_function', '_DropoutFunction'): (
        'links.caffe._layers', '_SingleArgumentFunction'),
    **{('links.caffe.caffe_function', '_' + name): (
        'links.connection.' + name.lower(), name) for name in ('Bias', 'Scale')},
    ('functions.pooling.max_pooling_2d', 'max_pooling_2d'): (
        'functions.pooling.max_pooling_nd', 'max_pooling_2d'),
}

# Packages and modules whose classes are admitted, and those in them whose are not:
# they read or write files, or start processes, by themselves.
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
# Modules whose functions are admitted as values of attributes.
_FUNCTIONS = ('functions', 'dataset.convert')
_NO_FUNCTIONS = ('functions.theano', 'functions.util.forget')
_FUNCTION = {
    ('serializers.npz', 'load_npz'), ('serializers.npz', 'save_npz'),
    ('serializers.hdf5', 'load_hdf5'), ('serializers.hdf5', 'save_hdf5'),
    ('training.extensions._snapshot', '_always_true')}


def is_of_chainer(module):
    """Return whether a module is one of Chainer, or of a package that is part of it."""
    return module.partition('.')[0] in _TOPS


def today(module, name=None):
    """Return the module of today for one of Chainer 1 to 7, with the prefix of here.

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
    """Return the class or function of a name in a pickle, if it is an admitted one.

    Parameters
    ----------
    module, name : str
        Names of today.

    Returns
    -------
    type, function or None
        None if the name is not admitted, or not there.
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
    # What a module imports from elsewhere is that module's.
    if not admitted:
        return None
    return found if found.__module__ == module or find(
        found.__module__, found.__name__) is found else None


def named(path):
    """Return a class by its path of today below the package."""
    module, _, name = path.rpartition('.')
    return find(_HERE + '.' + module, name)
