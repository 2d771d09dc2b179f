from chainer_fast._core.graph import Shortcut

class SplitShortcut(Shortcut):
    def __init__(self, keeps_axis: bool = ...) -> None: ...
