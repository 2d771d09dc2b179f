import pytest

from chainer_fast.onnx.functions.converter import (
    FunctionConverter,
    FunctionConverterParams,
)
from chainer_fast.onnx.functions.opset_version import support


def test_largest_version_below():
    @support([11, 7, 9])
    def convert_Foo(func, opset_version, input_names, output_names, context):
        return opset_version, input_names, output_names, context

    assert convert_Foo.__name__ == 'convert_Foo'
    found = [convert_Foo(None, version, [], [], None)[0] for version in range(7, 14)]
    assert found == [7, 7, 9, 9, 11, 11, 11]
    with pytest.raises(RuntimeError, match='opset_version=7'):
        convert_Foo(None, 6, [], [], None)
    params = FunctionConverterParams(None, 10, ['x'], ['y'], 'context')
    assert FunctionConverter(convert_Foo)(params) == (9, ['x'], ['y'], 'context')
