from typing import Any

class Loop: ...

class Rule:
    forward: Loop
    inputs: int
    parameters: tuple[str, ...]
    grads: tuple[Any, ...]
    pair: tuple[Any, ...] | None
    from_output: bool
    def __init__(self, forward: Loop, inputs: int = 1, grads: tuple[Any, ...] = (),
                 parameters: tuple[str, ...] = (), pair: tuple[Any, ...] | None = None,
                 from_output: bool = False) -> None: ...

add: Loop
copy: Loop

def rule_of(function: Any, inputs: int) -> tuple[Rule, tuple[float, ...]] | None: ...
