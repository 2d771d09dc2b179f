"""The examples of all operators that the package onnx has."""
import collections
import functools
import warnings

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx.backend.test import loader

import chainer_fast
from chainer_fast.onnx import load
from chainer_fast.onnx._load.table import OPERATORS
from tests.devices import to_cpu
from tests.onnx.load import models

_LEFT_OUT = {
    # Floats where there is no maximum or minimum: an error of NumPy.
    'test_reduce_log_sum_exp_empty_set', 'test_reduce_max_empty_set',
    'test_reduce_max_empty_set_bool', 'test_reduce_min_empty_set',
    # Images of integers, and of three axes: an error that says so.
    'test_maxpool_2d_uint8', 'test_gridsample_volumetric_bilinear_align_corners_0',
    'test_gridsample_volumetric_bilinear_align_corners_1',
    # Corners of 2.4 pixels: as in onnxruntime, there are 2.
    'test_resize_downsample_scales_linear_align_corners',
    'test_resize_downsample_scales_cubic_align_corners',
    # Masks of NumPy's generator, and running variances that are not unbiased.
    'test_training_dropout', 'test_training_dropout_mask',
    'test_training_dropout_default', 'test_training_dropout_default_mask',
    'test_batchnorm_example_training_mode', 'test_batchnorm_epsilon_training_mode',
}

#: Forms of operators that are not supported, by what the message says of them.
_FORMS = (
    'dilations', 'has 2 outputs', 'BFLOAT16', 'FLOAT8', 'FLOAT4', 'FLOAT6', 'INT4',
    'INT2', 'STRING', 'opset 1;', 'sequence', 'optional', 'peepholes', 'tf_crop',
    'antialias', 'keep_aspect_ratio_policy', 'reduction', 'half_pixel', 'coordinate',
    "mode is 'max'", "mode is 'nearest'", "mode is 'cubic'", "mode is 'bicubic'",
    'padding_mode', 'opset 6;')


_WITHOUT_EXAMPLES = {'MaxRoiPool', 'RandomNormalLike'}


@functools.cache    # They are computed, for seconds: not while tests are collected.
def _examples():
    with warnings.catch_warnings(), np.errstate(all='ignore'):
        warnings.simplefilter('ignore')
        cases = loader.load_model_tests(kind='node')
    by_operator = collections.defaultdict(list)
    for case in cases:
        if len(case.model.graph.node) == 1 and case.name not in _LEFT_OUT:
            by_operator[case.model.graph.node[0].op_type].append(case)
    return by_operator


def _arrays(values):
    return [numpy_helper.to_array(x) if isinstance(x, onnx.TensorProto)
            else np.asarray(x) for x in values if x is not None]


@pytest.mark.parametrize('operator', sorted(
    filter(onnx.defs.has, {*OPERATORS} - _WITHOUT_EXAMPLES)))
def test_examples(device, operator):
    computed = 0
    for case in _examples()[operator]:
        try:
            chain = device.send(load(case.model))
        except NotImplementedError as e:
            assert any([form in str(e) for form in _FORMS]), (case.name, str(e))
            continue
        for inputs, outputs in case.data_sets:
            inputs, outputs = [_arrays(each) for each in (inputs, outputs)]
            with chainer_fast.using_config('train', False), np.errstate(all='ignore'):
                results = chain(*device.send(inputs))
            models.assert_same(to_cpu(models.arrays(results)), outputs, 1e-3, 1e-5)
            computed += 1
    assert computed or operator == 'Not'    # its examples are of opset 1
