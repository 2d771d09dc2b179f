from chainer_fast.backends.kernels.plan.steps import Step

class SumOfGradients(Step):
    def __init__(self, a: int, b: int, total: int) -> None: ...

class Dense(Step):
    def __init__(self, source: int, target: int) -> None: ...
