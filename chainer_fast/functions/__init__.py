"""The differentiable functions, usually imported as ``F``."""
from chainer_fast.functions.activation.clipped_relu import clipped_relu, relu6
from chainer_fast.functions.activation.crelu import crelu
from chainer_fast.functions.activation.elu import elu
from chainer_fast.functions.activation.hard_sigmoid import hard_sigmoid
from chainer_fast.functions.activation.leaky_relu import leaky_relu
from chainer_fast.functions.activation.log_softmax import log_softmax
from chainer_fast.functions.activation.maxout import maxout
from chainer_fast.functions.activation.prelu import prelu
from chainer_fast.functions.activation.relu import relu
from chainer_fast.functions.activation.rrelu import rrelu
from chainer_fast.functions.activation.selu import selu
from chainer_fast.functions.activation.sigmoid import sigmoid
from chainer_fast.functions.activation.softmax import softmax
from chainer_fast.functions.activation.softplus import softplus
from chainer_fast.functions.activation.swish import swish
from chainer_fast.functions.activation.tanh import tanh
from chainer_fast.functions.array.as_strided import as_strided
from chainer_fast.functions.array.broadcast import broadcast, broadcast_to
from chainer_fast.functions.array.cast import cast
from chainer_fast.functions.array.concat import concat
from chainer_fast.functions.array.copy import copy
from chainer_fast.functions.array.depth2space import depth2space
from chainer_fast.functions.array.diagonal import diagonal
from chainer_fast.functions.array.dstack import dstack
from chainer_fast.functions.array.expand_dims import expand_dims
from chainer_fast.functions.array.flatten import flatten
from chainer_fast.functions.array.flip import flip
from chainer_fast.functions.array.fliplr import fliplr
from chainer_fast.functions.array.flipud import flipud
from chainer_fast.functions.array.get_item import get_item
from chainer_fast.functions.array.hstack import hstack
from chainer_fast.functions.array.im2col import im2col
from chainer_fast.functions.array.moveaxis import moveaxis
from chainer_fast.functions.array.pad import pad
from chainer_fast.functions.array.pad_sequence import pad_sequence
from chainer_fast.functions.array.permutate import permutate
from chainer_fast.functions.array.repeat import repeat
from chainer_fast.functions.array.reshape import reshape
from chainer_fast.functions.array.resize_images import resize_images
from chainer_fast.functions.array.rollaxis import rollaxis
from chainer_fast.functions.array.scatter_add import scatter_add
from chainer_fast.functions.array.select_item import select_item
from chainer_fast.functions.array.separate import separate
from chainer_fast.functions.array.space2depth import space2depth
from chainer_fast.functions.array.spatial_transformer_grid import (
    spatial_transformer_grid,
)
from chainer_fast.functions.array.spatial_transformer_sampler import (
    spatial_transformer_sampler,
)
from chainer_fast.functions.array.split_axis import split_axis
from chainer_fast.functions.array.squeeze import squeeze
from chainer_fast.functions.array.stack import stack
from chainer_fast.functions.array.swapaxes import swapaxes
from chainer_fast.functions.array.tile import tile
from chainer_fast.functions.array.transpose import transpose
from chainer_fast.functions.array.transpose_sequence import transpose_sequence
from chainer_fast.functions.array.vstack import vstack
from chainer_fast.functions.array.where import where
from chainer_fast.functions.connection.bilinear import bilinear
from chainer_fast.functions.connection.convolution_2d import convolution_2d
from chainer_fast.functions.connection.convolution_nd import (
    convolution_1d,
    convolution_3d,
    convolution_nd,
)
from chainer_fast.functions.connection.deconvolution_2d import deconvolution_2d
from chainer_fast.functions.connection.deconvolution_nd import (
    deconvolution_1d,
    deconvolution_3d,
    deconvolution_nd,
)
from chainer_fast.functions.connection.deformable_convolution_2d_sampler import (
    deformable_convolution_2d_sampler,
)
from chainer_fast.functions.connection.depthwise_convolution_2d import (
    depthwise_convolution_2d,
)
from chainer_fast.functions.connection.dilated_convolution_2d import (
    dilated_convolution_2d,
)
from chainer_fast.functions.connection.embed_id import embed_id
from chainer_fast.functions.connection.linear import linear
from chainer_fast.functions.connection.local_convolution_2d import local_convolution_2d
from chainer_fast.functions.connection.shift import shift
from chainer_fast.functions.evaluation.accuracy import accuracy
from chainer_fast.functions.evaluation.binary_accuracy import binary_accuracy
from chainer_fast.functions.evaluation.classification_summary import (
    classification_summary,
    f1_score,
    precision,
    recall,
)
from chainer_fast.functions.evaluation.r2_score import r2_score
from chainer_fast.functions.loss.absolute_error import absolute_error
from chainer_fast.functions.loss.black_out import black_out
from chainer_fast.functions.loss.contrastive import contrastive
from chainer_fast.functions.loss.crf1d import argmax_crf1d, crf1d
from chainer_fast.functions.loss.cross_covariance import cross_covariance
from chainer_fast.functions.loss.ctc import connectionist_temporal_classification
from chainer_fast.functions.loss.decov import decov
from chainer_fast.functions.loss.discriminative_loss import (
    discriminative_margin_based_clustering_loss,
)
from chainer_fast.functions.loss.hinge import hinge
from chainer_fast.functions.loss.huber_loss import huber_loss
from chainer_fast.functions.loss.mean_absolute_error import mean_absolute_error
from chainer_fast.functions.loss.mean_squared_error import mean_squared_error
from chainer_fast.functions.loss.negative_sampling import negative_sampling
from chainer_fast.functions.loss.sigmoid_cross_entropy import sigmoid_cross_entropy
from chainer_fast.functions.loss.softmax_cross_entropy import softmax_cross_entropy
from chainer_fast.functions.loss.squared_error import squared_difference, squared_error
from chainer_fast.functions.loss.triplet import triplet
from chainer_fast.functions.loss.vae import (
    bernoulli_nll,
    gaussian_kl_divergence,
    gaussian_nll,
)
from chainer_fast.functions.math.arctanh import arctanh
from chainer_fast.functions.math.average import average
from chainer_fast.functions.math.average import average as mean
from chainer_fast.functions.math.basic_math import absolute, add
from chainer_fast.functions.math.batch_l2_norm_squared import batch_l2_norm_squared
from chainer_fast.functions.math.bias import bias
from chainer_fast.functions.math.ceil import ceil
from chainer_fast.functions.math.cholesky import cholesky
from chainer_fast.functions.math.clip import clip
from chainer_fast.functions.math.cumprod import cumprod
from chainer_fast.functions.math.cumsum import cumsum
from chainer_fast.functions.math.det import batch_det, det
from chainer_fast.functions.math.digamma import digamma
from chainer_fast.functions.math.einsum import einsum
from chainer_fast.functions.math.erf import erf
from chainer_fast.functions.math.erfc import erfc
from chainer_fast.functions.math.erfcinv import erfcinv
from chainer_fast.functions.math.erfcx import erfcx
from chainer_fast.functions.math.erfinv import erfinv
from chainer_fast.functions.math.exponential import exp, log, log2, log10
from chainer_fast.functions.math.exponential_m1 import expm1
from chainer_fast.functions.math.fft import fft, ifft
from chainer_fast.functions.math.fix import fix
from chainer_fast.functions.math.floor import floor
from chainer_fast.functions.math.fmod import fmod
from chainer_fast.functions.math.hyperbolic import cosh, sinh
from chainer_fast.functions.math.identity import identity
from chainer_fast.functions.math.inv import batch_inv, inv
from chainer_fast.functions.math.lgamma import lgamma
from chainer_fast.functions.math.linear_interpolate import linear_interpolate
from chainer_fast.functions.math.log_ndtr import log_ndtr
from chainer_fast.functions.math.logarithm_1p import log1p
from chainer_fast.functions.math.logsumexp import logsumexp
from chainer_fast.functions.math.matmul import batch_matmul, matmul
from chainer_fast.functions.math.maximum import maximum
from chainer_fast.functions.math.minimum import minimum
from chainer_fast.functions.math.minmax import argmax, argmin, max, min
from chainer_fast.functions.math.ndtr import ndtr
from chainer_fast.functions.math.ndtri import ndtri
from chainer_fast.functions.math.polygamma import polygamma
from chainer_fast.functions.math.prod import prod
from chainer_fast.functions.math.scale import scale
from chainer_fast.functions.math.sign import sign
from chainer_fast.functions.math.sparse_matmul import sparse_matmul
from chainer_fast.functions.math.sqrt import rsqrt, sqrt
from chainer_fast.functions.math.square import square
from chainer_fast.functions.math.sum import sum, sum_to
from chainer_fast.functions.math.tensordot import tensordot
from chainer_fast.functions.math.trigonometric import (
    arccos,
    arcsin,
    arctan,
    arctan2,
    cos,
    sin,
    tan,
)
from chainer_fast.functions.math.zeta import zeta
from chainer_fast.functions.noise.dropout import dropout
from chainer_fast.functions.noise.gaussian import gaussian
from chainer_fast.functions.noise.gumbel_softmax import gumbel_softmax
from chainer_fast.functions.noise.simplified_dropconnect import simplified_dropconnect
from chainer_fast.functions.noise.zoneout import zoneout
from chainer_fast.functions.normalization.batch_normalization import (
    batch_normalization,
    fixed_batch_normalization,
)
from chainer_fast.functions.normalization.batch_renormalization import (
    batch_renormalization,
    fixed_batch_renormalization,
)
from chainer_fast.functions.normalization.decorrelated_batch_normalization import (
    decorrelated_batch_normalization,
    fixed_decorrelated_batch_normalization,
)
from chainer_fast.functions.normalization.group_normalization import group_normalization
from chainer_fast.functions.normalization.l2_normalization import normalize
from chainer_fast.functions.normalization.layer_normalization import layer_normalization
from chainer_fast.functions.normalization.local_response_normalization import (
    local_response_normalization,
)
from chainer_fast.functions.pooling.average_pooling_2d import average_pooling_2d
from chainer_fast.functions.pooling.average_pooling_nd import (
    average_pooling_1d,
    average_pooling_3d,
    average_pooling_nd,
)
from chainer_fast.functions.pooling.max_pooling_nd import (
    max_pooling_1d,
    max_pooling_2d,
    max_pooling_3d,
    max_pooling_nd,
)
from chainer_fast.functions.pooling.roi_average_align_2d import roi_average_align_2d
from chainer_fast.functions.pooling.roi_average_pooling_2d import roi_average_pooling_2d
from chainer_fast.functions.pooling.roi_max_align_2d import roi_max_align_2d
from chainer_fast.functions.pooling.roi_max_pooling_2d import roi_max_pooling_2d
from chainer_fast.functions.pooling.roi_pooling_2d import roi_pooling_2d
from chainer_fast.functions.pooling.spatial_pyramid_pooling_2d import (
    spatial_pyramid_pooling_2d,
)
from chainer_fast.functions.pooling.unpooling_2d import unpooling_2d
from chainer_fast.functions.pooling.unpooling_nd import (
    unpooling_1d,
    unpooling_3d,
    unpooling_nd,
)
from chainer_fast.functions.pooling.upsampling_2d import upsampling_2d
from chainer_fast.functions.rnn.lstm import lstm
from chainer_fast.functions.rnn.n_step_gru import n_step_bigru, n_step_gru
from chainer_fast.functions.rnn.n_step_lstm import n_step_bilstm, n_step_lstm
from chainer_fast.functions.rnn.n_step_rnn import n_step_birnn, n_step_rnn
from chainer_fast.functions.rnn.slstm import slstm
from chainer_fast.functions.rnn.tree_lstm import tree_lstm
from chainer_fast.functions.util.forget import forget
from chainer_fast.variable import _bound

_bound.bind(reshape=reshape, transpose=transpose, average=average)
