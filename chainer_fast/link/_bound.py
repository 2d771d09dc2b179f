"""Names of a higher layer that links use; that layer sets them here."""

import typing as tp

#: The class of chains whose layers are applied one after the other.
Sequential: tp.Any = None
