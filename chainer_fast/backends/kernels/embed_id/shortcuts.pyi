from typing import Any

from chainer_fast._core.graphs.graph import Shortcut

class EmbedIDShortcut(Shortcut):
    gives_rows: bool

def add_rows(ids: Any, gy: Any, shape: Any, ignore_label: Any) -> Any: ...
