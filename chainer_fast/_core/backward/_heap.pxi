# Order in which backpropagation visits the functions of a graph. Part of backprop.pyx.
#
# The function of highest rank comes first; of equal ranks, the one that was pushed
# first. That order is part of Chainer's contract, since it decides in which order
# gradients are summed and hooks are called. A function is taken only once, however many
# of its outputs lead to it.

cdef extern from *:
    """
    #include <queue>

    struct Candidate {
        int64_t rank;
        Py_ssize_t order;
        PyObject *function;

        /* The greatest comes first. */
        bool operator<(const Candidate &other) const {
            return rank != other.rank ? rank < other.rank : order > other.order;
        }
    };
    """
    cdef struct Candidate:
        int64_t rank
        Py_ssize_t order
        PyObject *function

    cdef cppclass Candidates "std::priority_queue<Candidate>":
        void push(Candidate) except +
        const Candidate &top()
        void pop()
        size_t size()


cdef class CandidateHeap:
    """Functions yet to be visited, each of them once."""
    cdef Candidates items
    # Every function ever pushed, held until the end: an address names one function.
    cdef AddressTable seen

    def __len__(self):
        return self.items.size()

    cdef int push(self, FunctionBase function) except -1:
        """Add a function unless it has been added before."""
        cdef Py_ssize_t order = self.seen.size
        self.seen.make(<PyObject *>function)
        if self.seen.size > <size_t>order:
            self.items.push(
                Candidate(function.rank_of.get(), order, <PyObject *>function))
        return 0

    cdef FunctionBase pop(self):
        """Remove and return the next function; None if there is none."""
        cdef PyObject *first
        if self.items.size() == 0:
            return None
        first = self.items.top().function
        self.items.pop()
        return <FunctionBase>first

    def add(self, FunctionBase function not None):
        """Add a function unless it has been added before."""
        self.push(function)

    def take(self):
        """Remove and return the next function.

        Raises
        ------
        IndexError
            If no function is left.
        """
        if self.items.size() == 0:
            raise IndexError('no candidate function is left')
        return self.pop()
