/* A hash table by the addresses of objects, which it keeps alive; open addressing. */
#ifndef CHAINER_FAST_CORE_ARRAYS_ADDRESSES_HPP
#define CHAINER_FAST_CORE_ARRAYS_ADDRESSES_HPP

#include <Python.h>
#include <stddef.h>
#include <stdint.h>

namespace chainer_fast {
namespace {

struct Entry {
    PyObject *key, *value;      /* both owned; the value may be null */
};

class AddressTable {
public:
    Entry *entries = nullptr;       /* unused entries have no key */
    size_t capacity = 0, size = 0;  /* a power of two; at most half is in use */

    ~AddressTable() {
        for (size_t i = 0; i < capacity; ++i) {
            Py_XDECREF(entries[i].key);
            Py_XDECREF(entries[i].value);
        }
        PyMem_Free(entries);
    }

    /* Return the entry of an object, or a null pointer. */
    Entry *find(PyObject *key) const {
        Entry *entry = size ? place_of(key) : nullptr;
        return entry && entry->key ? entry : nullptr;
    }

    /* Return the entry of an object, a new one if necessary; a null pointer for an
       error. */
    Entry *make(PyObject *key) {
        if (2 * (size + 1) > capacity && !grow())
            return nullptr;
        Entry *entry = place_of(key);
        if (!entry->key) {
            Py_INCREF(key);
            entry->key = key;
            ++size;
        }
        return entry;
    }

    /* Remove an entry, whose key is held elsewhere, and pass its value to the
       caller. */
    void remove(Entry *entry) {
        Py_DECREF(entry->key);
        /* Close the gap, so that later entries of the same run remain reachable. */
        const size_t mask = capacity - 1;
        size_t hole = entry - entries;
        for (size_t at = (hole + 1) & mask; entries[at].key; at = (at + 1) & mask)
            if (((at - home_of(entries[at].key)) & mask) >= ((at - hole) & mask)) {
                entries[hole] = entries[at];
                hole = at;
            }
        entries[hole] = Entry();
        --size;
    }

private:
    size_t home_of(PyObject *key) const {
        /* The high bits of the product: objects that are allocated successively
           are at multiples of their size, whose low bits are all equal. */
        return ((uint64_t)(uintptr_t)key * 0x9E3779B97F4A7C15u >> 32) & (capacity - 1);
    }

    Entry *place_of(PyObject *key) const {
        size_t at = home_of(key);
        while (entries[at].key && entries[at].key != key)
            at = (at + 1) & (capacity - 1);
        return entries + at;
    }

    bool grow() {
        Entry *const old = entries;
        const size_t old_capacity = capacity, grown = old ? 2 * capacity : 32;
        Entry *const fresh = (Entry *)PyMem_Calloc(grown, sizeof(Entry));
        if (!fresh) {
            PyErr_NoMemory();
            return false;
        }
        entries = fresh;
        capacity = grown;
        for (size_t i = 0; i < old_capacity; ++i)
            if (old[i].key)
                *place_of(old[i].key) = old[i];
        PyMem_Free(old);
        return true;
    }
};

}  // namespace
}  // namespace chainer_fast

#endif
