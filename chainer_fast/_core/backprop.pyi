from collections.abc import Callable, Sequence
from typing import Any

from chainer_fast._core.grad_check import wrong_gradients as wrong_gradients
from chainer_fast.variable import Variable

class Traversal: ...

def backprop_step(
    function: Any, target_input_indexes: Any, grad_outputs: Any, grad_inputs: Any,
    is_debug: bool) -> None: ...
def backprop_to_all(outputs: Any, retain_grad: bool, loss_scale: Any) -> None: ...
def backward_from(
    variable: Variable, retain_grad: bool, enable_double_backprop: bool,
    loss_scale: Any) -> None: ...
def bind(
    *, function_node: type, device_scope: Callable[[Any], Any],
    has_nan: Callable[[Any], bool]) -> None: ...
def differentiate(
    outputs: Sequence[Variable], inputs: Sequence[Variable], grad_outputs: Any,
    grad_inputs: Any, *, set_grad: bool, retain_grad: bool,
    enable_double_backprop: bool) -> list[Variable | None]: ...
