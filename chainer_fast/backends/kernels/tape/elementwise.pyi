from typing import Any

class Loop: ...

class Rule:
    forward: Loop
    inputs: int
    parameters: tuple[str, ...]
    grads: tuple[Any, ...]
    pair: tuple[Any, ...] | None

add: Loop
copy: Loop

def rule_of(function: Any, inputs: int) -> tuple[Rule, tuple[float, ...]] | None: ...
