from typing import Any

from chainer_fast.backends.kernels.plan.steps import Step

class EngineCall(Step):
    def __new__(
        cls, index: int, pristine: Any, inputs: tuple[int, ...],
        outputs: tuple[int, ...], flows: tuple[bool, ...]) -> EngineCall: ...

class EngineGradient(Step):
    def __new__(
        cls, index: int, label: str, grads: list[int | None], targets: list[int],
        found: list[int]) -> EngineGradient: ...
