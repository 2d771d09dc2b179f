"""Every public link, found by a walk over the package, and how it is made."""
import inspect

import numpy as np

import chainer_fast as chainer
from chainer_fast import links as L

_TREE = L.BinaryHierarchicalSoftmax.create_huffman_tree({0: 3, 1: 2, 2: 1})

# Sizes are such that no two axes are alike.
MAKE = {
    'Maxout': lambda: L.Maxout(3, 4, 2),
    'PReLU': lambda: L.PReLU((3,)),
    'SimplifiedDropconnect': lambda: L.SimplifiedDropconnect(3, 4),
    'Swish': lambda: L.Swish((3,)),
    'Bias': lambda: L.Bias(1, (3,)),
    'Bilinear': lambda: L.Bilinear(2, 3, 4),
    'Convolution1D': lambda: L.Convolution1D(2, 3, 3),
    'Convolution2D': lambda: L.Convolution2D(2, 3, 3),
    'Convolution3D': lambda: L.Convolution3D(2, 3, 3),
    'ConvolutionND': lambda: L.ConvolutionND(2, 2, 3, 3),
    'Deconvolution1D': lambda: L.Deconvolution1D(2, 3, 3),
    'Deconvolution2D': lambda: L.Deconvolution2D(2, 3, 3),
    'Deconvolution3D': lambda: L.Deconvolution3D(2, 3, 3),
    'DeconvolutionND': lambda: L.DeconvolutionND(2, 2, 3, 3),
    'DeformableConvolution2D': lambda: L.DeformableConvolution2D(2, 3, 3),
    'DepthwiseConvolution2D': lambda: L.DepthwiseConvolution2D(2, 3, 3),
    'DilatedConvolution2D': lambda: L.DilatedConvolution2D(2, 3, 3),
    'EmbedID': lambda: L.EmbedID(5, 3),
    'Highway': lambda: L.Highway(4),
    'Inception': lambda: L.Inception(2, 3, 4, 5, 2, 3, 4),
    'InceptionBN': lambda: L.InceptionBN(2, 3, 4, 5, 2, 3, 'avg', 4),
    'Linear': lambda: L.Linear(3, 4),
    'LocalConvolution2D': lambda: L.LocalConvolution2D(2, 3, (5, 5), 3),
    'MLPConvolution2D': lambda: L.MLPConvolution2D(2, (3, 4), 3),
    'MultiHeadAttention': lambda: L.MultiHeadAttention(2, 4, 6),
    'Parameter': lambda: L.Parameter(np.arange(3, dtype='f')),
    'Scale': lambda: L.Scale(1, (3,), bias_term=True),
    'BlackOut': lambda: L.BlackOut(4, [3, 2, 1], 2),
    'CRF1d': lambda: L.CRF1d(3),
    'BinaryHierarchicalSoftmax': lambda: L.BinaryHierarchicalSoftmax(4, _TREE),
    'NegativeSampling': lambda: L.NegativeSampling(4, [3, 2, 1], 2),
    'Classifier': lambda: L.Classifier(L.Linear(3, 4)),
    'BatchNormalization': lambda: L.BatchNormalization(3),
    'BatchRenormalization': lambda: L.BatchRenormalization(3),
    'DecorrelatedBatchNormalization': lambda: L.DecorrelatedBatchNormalization(6, 2),
    'GroupNormalization': lambda: L.GroupNormalization(2, 4),
    'LayerNormalization': lambda: L.LayerNormalization(3),
    'GRU': lambda: L.GRU(3, 4),
    'StatefulGRU': lambda: L.StatefulGRU(3, 4),
    'StatelessGRU': lambda: L.StatelessGRU(3, 4),
    'LSTM': lambda: L.LSTM(3, 4),
    'StatelessLSTM': lambda: L.StatelessLSTM(3, 4),
    'StatefulMGU': lambda: L.StatefulMGU(3, 4),
    'StatelessMGU': lambda: L.StatelessMGU(3, 4),
    **{name: lambda name=name: getattr(L, name)(2, 3, 4, .5) for name in (
        'NStepBiGRU', 'NStepGRU', 'NStepBiLSTM', 'NStepLSTM', 'NStepBiRNNReLU',
        'NStepBiRNNTanh', 'NStepRNNReLU', 'NStepRNNTanh')},
    'StatefulPeepholeLSTM': lambda: L.StatefulPeepholeLSTM(3, 4),
    'ChildSumTreeLSTM': lambda: L.ChildSumTreeLSTM(3, 4),
    'NaryTreeLSTM': lambda: L.NaryTreeLSTM(3, 4),
    'StatefulZoneoutLSTM': lambda: L.StatefulZoneoutLSTM(3, 4),
}
# Networks of a hundred million parameters, composed of the links above, and one that
# needs a library.
OTHERS = {
    'GoogLeNet', 'ResNet50Layers', 'ResNet101Layers', 'ResNet152Layers', 'VGG16Layers',
    'VGG19Layers', 'TheanoFunction'}


def names():
    """Return the names of all public links."""
    return {name for name, value in vars(L).items()
            if inspect.isclass(value) and issubclass(value, chainer.Link)}
