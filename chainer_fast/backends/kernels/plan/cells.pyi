from chainer_fast.backends.kernels.plan.steps import Step

class LSTMStep(Step):
    def __init__(
        self, kind: str, shape: tuple[int, ...], values: tuple[int | None, ...],
        gradient: bool = False) -> None: ...
