"""Tables of the sweep: ``KINDS`` of each module, in the order of the report."""
from sweep.tables import (
    cells,
    elementwise,
    images,
    losses,
    products,
    rearrangement,
    reductions,
)

KINDS = [kind for module in (
    elementwise, reductions, rearrangement, losses, products, images, cells)
    for kind in module.KINDS]
