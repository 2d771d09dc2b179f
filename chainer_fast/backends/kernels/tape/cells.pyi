from chainer_fast.backends.kernels.tape.steps import Step

class LSTMStep(Step):
    def __init__(
        self, kind: str, shape: tuple[int, ...], values: tuple[int | None, ...],
        gradient: bool = False) -> None: ...
