# Products of single-precision matrices. Part of plans.pyx.
# The shortcuts call BLAS, which packs a weight again for every function that uses it:
# in a product of few rows, packing takes as long as the arithmetic.

#: Whether the package has its own code for products on this processor.
has_tiles = find_tiles() is not NULL


def size_of_packed(depth, columns):
    """Return the number of elements of a packed right operand."""
    return packed_size(depth, columns)


def size_of_rows(room, columns):
    """Return the number of elements of an operand of :class:`PackRows`."""
    return size_with_room(room, columns)


cdef class PackRows(Step):
    """Copies matrices into rows of panels with room for more.

    Parameters
    ----------
    first, rows : int
        First row to write, and number of rows.
    room : int
        Number of rows of the buffer.
    sources : tuple of int
        Values with two matrices.
    columns : tuple of int
        Numbers of their columns.
    targets : tuple of int
        Values with the panels.
    """
    cdef ptrdiff_t first, rows, room
    cdef int sources[2]
    cdef int targets[2]
    cdef ptrdiff_t columns[2]

    def __cinit__(self, first, rows, room, sources, columns, targets):
        self.first, self.rows, self.room = first, rows, room
        self.sources, self.columns, self.targets = sources, columns, targets

    cpdef bint run(self, Workspace workspace) except -1:
        cdef int i
        for i in range(2):
            pack_below(
                self.first, _data(workspace, self.sources[i]), self.rows,
                self.columns[i], self.room, _data(workspace, self.targets[i]))
        return True


cdef class ProductOfRows(Step):
    """``out += left right`` for operands that :class:`PackRows` has packed.

    Parameters
    ----------
    shape : tuple of int
        Rows, terms of each sum, and columns.
    room : int
        Number of rows of the operands' buffers.
    left, right, out : int
        Values; the left operand is a transpose.
    """
    cdef ptrdiff_t rows, depth, columns, room
    cdef int left, right, out

    def __cinit__(self, shape, room, left, right, out):
        self.rows, self.depth, self.columns = shape
        self.room = room
        self.left, self.right, self.out = left, right, out

    cpdef bint run(self, Workspace workspace) except -1:
        add_product_of_rows(
            _data(workspace, self.left), self.rows, self.depth,
            _data(workspace, self.right), self.columns, self.room,
            _data(workspace, self.out))
        return True


cdef class Pack(Step):
    """Packs a matrix as the right operand of products.

    Parameters
    ----------
    source, target : int
        Values.
    depth, columns : int
        Shape of the operand.
    transposed : bool
        Whether it is the transpose of the source.
    """
    cdef int source, target
    cdef ptrdiff_t depth, columns
    cdef bint transposed

    def __cinit__(self, source, target, depth, columns, transposed):
        self.source, self.target = source, target
        self.depth, self.columns, self.transposed = depth, columns, transposed

    cpdef bint run(self, Workspace workspace) except -1:
        pack(self.transposed, _data(workspace, self.source), self.depth, self.columns,
             _data(workspace, self.target))
        return True


cdef class Product(Step):
    """``out = start + left right``.

    Parameters
    ----------
    shape : tuple of int
        Rows, terms of each sum, and columns.
    left, right, out : int
        Values; the right operand is packed.
    start : int or None
        Value; a matrix or, with ``one_row``, a vector. It may be ``out`` itself.
    transposed : bool
        Whether the left operand is a transpose.
    """
    cdef ptrdiff_t rows, depth, columns, start_row
    cdef int left, right, out, start
    cdef bint transposed

    def __cinit__(self, shape, left, right, out, start=None, one_row=False,
                  transposed=False):
        self.rows, self.depth, self.columns = shape
        self.left, self.right, self.out = left, right, out
        self.start = -1 if start is None else start
        self.start_row = 0 if one_row else self.columns
        self.transposed = transposed

    cpdef bint run(self, Workspace workspace) except -1:
        packed_product(
            self.transposed, _data(workspace, self.left), self.rows, self.depth,
            _data(workspace, self.right), self.columns, _data(workspace, self.start),
            self.start_row, _data(workspace, self.out))
        return True


cdef class Products(Step):
    """``out = start + left right`` for several left operands.

    Parameters
    ----------
    shape : tuple of int
        Rows of each, terms of each sum, and columns.
    lefts : sequence of int
        Values.
    right : int
        Value; packed.
    outs : sequence of int
        Values.
    start : int or None
        Value; a vector.
    """
    cdef ptrdiff_t rows, depth, columns
    cdef int right, start
    cdef list lefts, outs

    def __cinit__(self, shape, lefts, right, outs, start=None):
        self.rows, self.depth, self.columns = shape
        self.lefts, self.right, self.outs = list(lefts), right, list(outs)
        self.start = -1 if start is None else start

    cpdef bint run(self, Workspace workspace) except -1:
        cdef vector[const float *] lefts
        cdef vector[float *] outs
        cdef int value
        for value in self.lefts:
            lefts.push_back(_data(workspace, value))
        for value in self.outs:
            outs.push_back(_data(workspace, value))
        packed_products(
            lefts, self.rows, self.depth, _data(workspace, self.right), self.columns,
            _data(workspace, self.start), outs)
        return True


cdef class SumOfRows(Step):
    """Sum of the rows of a matrix of two columns or more.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns.
    source, target : int
        Values.
    """
    cdef ptrdiff_t rows, columns
    cdef int source, target

    def __cinit__(self, shape, source, target):
        self.rows, self.columns = shape
        self.source, self.target = source, target

    cpdef bint run(self, Workspace workspace) except -1:
        clear_float_errors()
        sum_of_rows_loop(b'f', _data(workspace, self.source),
                         _data(workspace, self.target), self.rows, self.columns)
        return not float_errors()
