"""Functions and links that have no row, and why.

The sweep walks over the public ones: each has a row of its name, is called by the rows
of another name, or is named here.
"""
import inspect
import re

from sweep import cases

_LINK = 'the link of the same name calls it'
_NETWORK = 'a network: the models of compare.py have some'

#: Public names without a row.
WITHOUT = {
    **dict.fromkeys((
        'black_out', 'crf1d', 'decorrelated_batch_normalization',
        'deformable_convolution_2d_sampler', 'local_convolution_2d', 'n_step_bigru',
        'n_step_bilstm', 'n_step_birnn', 'n_step_gru', 'n_step_rnn',
        'negative_sampling'), _LINK),
    'argmax_crf1d': 'the search of the link CRF1d, which has no gradient',
    'fixed_decorrelated_batch_normalization': 'a product with a constant',
    'discriminative_margin_based_clustering_loss': 'a loop of other functions',
    **dict.fromkeys((
        'GoogLeNet', 'ResNet50Layers', 'ResNet101Layers', 'ResNet152Layers',
        'VGG16Layers', 'VGG19Layers'), _NETWORK),
    'MultiHeadAttention': 'the rows of attention have its products',
    'TheanoFunction': 'it requires Theano',
}


def words():
    """Return all names in expressions of rows."""
    return {word for row in cases.ROWS.values()
            for expression in row.expressions
            for word in re.findall(r'\b[FL]\.(\w+)', expression)}


def missing(chainer):
    """Return public names of functions and links that have no row, and no reason.

    Parameters
    ----------
    chainer : module
        The package whose names these are.
    """
    found = []
    for name, module in ('functions', chainer.functions), ('links', chainer.links):
        public = {word for word, value in vars(module).items()
                  if not word.startswith('_') and callable(value)
                  and (name == 'links') == inspect.isclass(value)}
        found += sorted(public - words() - set(WITHOUT))
    return found
