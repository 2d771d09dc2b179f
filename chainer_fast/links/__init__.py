"""Links: parameterized functions, and models composed of them, usually ``L``."""
from chainer_fast import _export_table

_EXPORTS = {
    'connection': '''
        bias:Bias embed_id:EmbedID linear:Linear parameter:Parameter scale:Scale
    ''',
    'model': '''
        classifier:Classifier
    ''',
    'normalization': '''
        batch_normalization:BatchNormalization
    ''',
}

globals().update(_export_table.load(__name__, _EXPORTS))
