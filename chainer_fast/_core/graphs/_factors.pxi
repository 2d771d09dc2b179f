# Sums of matrix products of few rows, computed as products of many rows. Part of
# graph.pyx.
#
# A weight that is used in each step of a sequence gets a gradient from each: a product
# of as many rows as there are samples, which fills a whole matrix and has to be added
# to that of the other steps. One product of the rows of many steps gives the same sum,
# and fills one matrix.

cdef enum:
    # A product of so many rows is about as fast, for each row, as one of more.
    DEPTH = 256
    # Rows take no more memory than the matrix, or than this many bytes.
    ROOM = 1 << 20

cdef object _dot = None


def bind_dot(dot):
    """Make known how two matrices are multiplied; called once, at import."""
    global _dot
    _dot = dot


cpdef npy_intp rows_together(npy_intp m, npy_intp n, npy_intp size) noexcept:
    """Return of how many rows one product is made.

    Parameters
    ----------
    m, n : int
        Shape of the product.
    size : int
        Bytes of an element.
    """
    return min(DEPTH, max(m * n, ROOM // size) // (m + n))


cdef class Factors:
    """Rows of the factors of products that are to be added to a matrix.

    The rows are copies, so that it does not matter what becomes of the arrays that they
    are from.
    """

    cdef bint append(self, object left, object right) except -1:
        """Add the product of ``left``, transposed, and ``right``.

        Returns
        -------
        bool
            False, and nothing is done, if the arrays are not plain matrices, do not fit
            or have many rows.
        """
        cdef char kind = kind_of(left)
        cdef npy_intp rows, m, n
        if not kind or kind_of(right) != kind or (
                PyArray_NDIM(left) != 2 or PyArray_NDIM(right) != 2):
            return False
        rows = PyArray_DIM(<np.ndarray>left, 0)
        m = PyArray_DIM(<np.ndarray>left, 1)
        n = PyArray_DIM(<np.ndarray>right, 1)
        # The rows so far have the type and lengths of the matrix, too.
        if PyArray_DIM(<np.ndarray>right, 0) != rows or (
                not is_matrix(self.earlier, kind, m, n)):
            return False
        if self.left is None and not self._make_room(left, right, rows, m, n):
            return False
        if not self.has_room(rows):
            return False
        _put(self.left, self.n, left)
        _put(self.right, self.n, right)
        self.n += rows
        return True

    cdef bint _make_room(
            self, object left, object right, npy_intp rows, npy_intp m, npy_intp n
            ) except -1:
        cdef npy_intp dims[2]
        dims[0] = rows_together(m, n, PyArray_ITEMSIZE(<np.ndarray>left))
        if 2 * rows > dims[0]:
            return False
        dims[1] = m
        room = PyArray_EMPTY(2, dims, PyArray_TYPE(<np.ndarray>left), 0)
        dims[1] = n
        self.right = PyArray_EMPTY(2, dims, PyArray_TYPE(<np.ndarray>right), 0)
        self.left = room
        return True

    cdef bint has_room(self, npy_intp rows) noexcept:
        """Return whether there is room for so many more rows."""
        return self.left is None or (
            self.n + rows <= PyArray_DIM(<np.ndarray>self.left, 0))

    cdef object product(self):
        """Return the sum of the products, and forget them; None if there are none."""
        if self.n == 0:
            return None
        left, right = self.left[:self.n], self.right[:self.n]
        self.n = 0
        return _dot(PyArray_Transpose(<np.ndarray>left, NULL), right)


cdef void _put(object rows, npy_intp start, object more) noexcept:
    cdef npy_intp row_bytes = (
        PyArray_DIM(<np.ndarray>rows, 1) * PyArray_ITEMSIZE(<np.ndarray>rows))
    memcpy(
        <char *>PyArray_DATA(<np.ndarray>rows) + start * row_bytes,
        PyArray_DATA(<np.ndarray>more),
        PyArray_DIM(<np.ndarray>more, 0) * row_bytes)
