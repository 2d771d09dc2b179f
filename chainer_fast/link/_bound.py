"""Names of a higher layer that links use; that layer sets them here."""

from typing import Any

#: The class of chains whose layers are applied one after the other.
Sequential: Any = None
