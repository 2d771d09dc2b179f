import numpy
import pytest

import chainer_fast.functions as F
from chainer_fast import Variable
from chainer_fast.onnx import functions, mapping
from chainer_fast.onnx.functions.converter import FunctionConverter
from tests.onnx.exported import check

X = numpy.float32([[-1.5, 0, 2]])


def test_converters():
    assert all(isinstance(each, FunctionConverter)
               for each in mapping.converters.values())
    assert mapping.converters['ReLU'].converter is functions.convert_ReLU
    assert {'Reshape', 'LinearFunction', 'GetItem', 'sign'} <= set(mapping.converters)


def test_functions_leave_a_node_inside_only():
    sign = F.sign
    with mapping.patch_functions():
        node = F.sign(Variable(X)).creator_node
        assert node.custom_function_node_name == 'sign'
        numpy.testing.assert_array_equal(F.sign(X).array, numpy.sign(X))
    assert F.sign is sign
    assert F.sign(Variable(X)).creator_node is None


def test_functions_come_back_after_an_error():
    sign = F.sign
    with pytest.raises(IndexError), mapping.patch_functions():
        raise IndexError
    assert F.sign is sign


def test_exported_values():
    check(lambda x: F.sign(x) + F.sign(numpy.float32([1, -2, 3])), [X], first=9)
