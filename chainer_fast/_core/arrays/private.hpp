/* What compiled code uses of CPython and NumPy beyond what these promise.

   Each function has a fast form, for the versions that it was tried with, and a general
   form, which uses nothing private and serves all others. For CPython the version
   decides: 3.10 to 3.14 are known, while newer versions, builds without the GIL and other
   interpreters go the general way. What is borrowed of NumPy is looked at when it is
   taken. CF_GENERAL (CHAINER_FAST_GENERAL=1 for setup.py) forces the general way.

   What the headers of CPython 3.15 say is noted below; it decides nothing. */
#ifndef CHAINER_FAST_CORE_ARRAYS_PRIVATE_HPP
#define CHAINER_FAST_CORE_ARRAYS_PRIVATE_HPP

#include <Python.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>

#include <numpy/arrayobject.h>
#include <numpy/random/bitgen.h>
#include <numpy/ufuncobject.h>

#if defined(CF_GENERAL) || PY_VERSION_HEX < 0x030A0000 || PY_VERSION_HEX >= 0x030F0000 \
    || defined(Py_GIL_DISABLED) || defined(PYPY_VERSION) || defined(GRAALVM_PYTHON)
#define CF_UNKNOWN_PYTHON
#endif

namespace chainer_fast {
namespace {

#ifdef CF_UNKNOWN_PYTHON
constexpr bool KNOWN_PYTHON = false;
#else
constexpr bool KNOWN_PYTHON = true;
#endif

/* -- CPython: instance dictionaries

   _PyObject_GetDictPtr, which 3.15 still has, is not needed: the offset of a
   dictionary that is a field is public, and PyObject_GenericGetDict, of the stable ABI,
   finds those that the interpreter keeps elsewhere, or has not made yet. */

/* Return the field of an object with its dictionary, or a null pointer. */
inline PyObject **dict_field(PyObject *object) {
    const Py_ssize_t offset = Py_TYPE(object)->tp_dictoffset;
    return offset > 0 ? reinterpret_cast<PyObject **>(
        reinterpret_cast<char *>(object) + offset) : nullptr;
}

/* Return the instance dictionary, borrowed, or a null pointer if there is none yet. */
inline PyObject *instance_dict(PyObject *object) {
    if (PyObject **field = dict_field(object))
        return *field;
    PyObject *dict = PyObject_GenericGetDict(object, nullptr);
    if (dict == nullptr)
        PyErr_Clear();
    else
        Py_DECREF(dict);    // the object keeps it alive
    return dict;
}

/* Return whether a dictionary is known to have only string keys, without inspecting
   them. From 3.11 to 3.14 the eleventh byte of its keys is 0 if there may be others. In
   3.10, shared name tables of instances, which have no other keys, can be
   recognized. */
inline bool has_only_names(PyObject *dict) {
#ifdef CF_UNKNOWN_PYTHON
    (void)dict;
    return false;
#elif PY_VERSION_HEX < 0x030B0000
    return reinterpret_cast<PyDictObject *>(dict)->ma_values != nullptr;
#else
    return reinterpret_cast<const uint8_t *>(
        reinterpret_cast<PyDictObject *>(dict)->ma_keys)[10] != 0;
#endif
}

/* Cython makes the dictionary with the object, but it is rarely used. */
inline void drop_instance_dict(PyObject *object) {
    if (PyObject **field = dict_field(object))
        Py_CLEAR(*field);
}

/* -- CPython: types

   3.15 has `tp_version_tag`, an unsigned int as before; zero means that there is no
   version. Since 3.13 a class runs out of versions after a thousand changes
   (`tp_versions_used`), and has none from then on. PyUnstable_Type_AssignVersionTag
   gives a class a version, but does not return it. _PyType_Lookup exists, and returns a
   borrowed reference, which may go at once without the GIL; _PyType_LookupRef is the
   safe one. */

/* Type watchers are public since 3.12. */
#if defined(CF_UNKNOWN_PYTHON) && PY_VERSION_HEX >= 0x030C0000 \
    && !defined(PYPY_VERSION) && !defined(GRAALVM_PYTHON)
#define CF_WATCHED_TYPES

/* Number of changes of all watched classes. */
inline unsigned int &type_changes() {
    static unsigned int n = 1;
    return n;
}

inline int count_change(PyTypeObject *) {
    ++type_changes();
    return 0;
}
#endif

/* Return a number that changes with each change of a class or of its bases; zero if
   unknown, so that nothing may be cached. */
inline unsigned int type_version(PyTypeObject *type) {
#if defined(CF_WATCHED_TYPES)
    static const int watcher = PyType_AddWatcher(count_change);
    /* A class without a version tag does not report its changes. */
    if (watcher >= 0 && PyUnstable_Type_AssignVersionTag(type)
            && PyType_Watch(watcher, reinterpret_cast<PyObject *>(type)) == 0)
        return type_changes();
    PyErr_Clear();
    return 0;
#elif defined(CF_UNKNOWN_PYTHON)
    (void)type;
    return 0;
#else
#if PY_VERSION_HEX < 0x030D0000
    /* Later versions never set the flag: a class that has changed has no tag. */
    if (!PyType_HasFeature(type, Py_TPFLAGS_VALID_VERSION_TAG))
        return 0;
#endif
    return type->tp_version_tag;
#endif
}

/* Return whether an attribute of the class of an object is a certain value; -1 for an
   error. For functions, methods of extension types and plain values, it makes no
   difference that the general form calls `__get__`. */
inline int class_attribute_is(PyObject *object, PyObject *name, PyObject *value) {
#ifdef CF_UNKNOWN_PYTHON
    PyObject *type = reinterpret_cast<PyObject *>(Py_TYPE(object));
    PyObject *found = PyObject_GetAttr(type, name);
    if (found == nullptr) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError))
            return -1;
        PyErr_Clear();
        return 0;
    }
    const int same = found == value;
    Py_DECREF(found);
    return same;
#else
    return _PyType_Lookup(Py_TYPE(object), name) == value;
#endif
}

/* Make object.__new__ create instances of an extension type; only for a type without
   fields, and before classes derive from it. The field is public; writing to it after
   the type is ready is not documented, and acts like a type that inherits it. */
inline void make_as_objects(PyObject *type) {
    reinterpret_cast<PyTypeObject *>(type)->tp_new = PyBaseObject_Type.tp_new;
}

/* -- CPython: references

   Since 3.14 a reference of the interpreter's stack may be left out of Py_REFCNT, and
   so may an argument, of functions in C and of those in Python. The object then has
   another reference, which is counted: that of the caller's variable. Generators,
   frames that outlive their call, closures and containers count theirs. So code that
   counts only its own references finds, as before, whether there are others; code that
   counts that of an argument may not. */

/* Return whether an object is being deallocated: callbacks of its weak references
   are running, or the interpreter has postponed it. It must not be referenced:
   releasing that reference would deallocate it again. */
inline int is_going(PyObject *object) { return Py_REFCNT(object) <= 0; }

/* Return whether there may be more references than the `n` that the caller knows: those
   of fields and of variables of compiled code, never those of Python arguments. */
inline int may_have_more_references(PyObject *object, Py_ssize_t n) {
#ifdef CF_UNKNOWN_PYTHON
    (void)object, (void)n;
    return 1;
#else
    return Py_REFCNT(object) > n;
#endif
}

/* Return whether there may be weak references, through which an otherwise
   unreferenced object may be accessed. */
inline int may_be_held_weakly(PyObject *object) {
#ifdef CF_UNKNOWN_PYTHON
    (void)object;
    return 1;
#else
    const Py_ssize_t offset = Py_TYPE(object)->tp_weaklistoffset;
    return offset != 0
        && *reinterpret_cast<PyObject **>(reinterpret_cast<char *>(object) + offset);
#endif
}

/* Return the object of a weak reference, or None. 3.13 deprecates the older function,
   and 3.15 lacks it. */
inline PyObject *referent(PyObject *reference) {
    PyObject *object;
#if PY_VERSION_HEX >= 0x030D0000
    if (PyWeakref_GetRef(reference, &object) < 0)
        return nullptr;
    if (object == nullptr)
        object = Py_NewRef(Py_None);
#else
    object = PyWeakref_GetObject(reference);
    Py_XINCREF(object);
#endif
    return object;
}

/* -- NumPy: loops of its functions

   The table of a ufunc is declared in NumPy's headers; that its loops can be called
   without the ufunc is not promised. The caller compares results. */

typedef void (*InnerLoop)(char **, npy_intp *, npy_intp *, void *);

/* Find the loop of a ufunc for arguments and results of one type. */
inline bool find_loop(PyObject *ufunc, int typenum, InnerLoop *loop, void **data) {
#ifndef CF_GENERAL
    const PyUFuncObject *table = reinterpret_cast<PyUFuncObject *>(ufunc);
    for (int i = 0; i < table->ntypes; ++i) {
        /* NumPy selects the first loop that matches; slower ones may follow. */
        const char *types = table->types + table->nargs * i;
        if (std::all_of(types, types + table->nargs, [=](char c) { return c == typenum; })) {
            *loop = reinterpret_cast<InnerLoop>(table->functions[i]);
            *data = table->data ? const_cast<void *>(table->data[i]) : nullptr;
            return *loop != nullptr;
        }
    }
#endif
    return false;
}

/* -- NumPy: products of vectors */

/* Write the sum of the squares of an array in C order, in its own type, bit-identical
   to numpy.dot; return -1 for an error. */
inline int sum_squares(PyObject *object, void *result) {
    PyArrayObject *array = reinterpret_cast<PyArrayObject *>(object);
#ifndef CF_GENERAL
#if NPY_ABI_VERSION < 0x02000000
    const PyArray_ArrFuncs *functions = PyArray_DESCR(array)->f;
#else
    const PyArray_ArrFuncs *functions = PyDataType_GetArrFuncs(PyArray_DESCR(array));
#endif
    const npy_intp size = PyArray_ITEMSIZE(array);
    functions->dotfunc(PyArray_DATA(array), size, PyArray_DATA(array), size, result,
                       PyArray_SIZE(array), array);
    return 0;
#else
    PyObject *flat = PyArray_Ravel(array, NPY_CORDER);
    PyObject *product = flat ? PyArray_InnerProduct(flat, flat) : nullptr;
    PyObject *number = product ? PyArray_FROM_O(product) : nullptr;
    if (number)
        memcpy(result, PyArray_DATA(reinterpret_cast<PyArrayObject *>(number)),
               PyArray_ITEMSIZE(array));
    Py_XDECREF(flat);
    Py_XDECREF(product);
    Py_XDECREF(number);
    return number ? 0 : -1;
#endif
}

/* -- NumPy: the Mersenne Twister

   `bitgen_t` is public, what its field `state` points to is not. The caller compares it
   with the attribute `state` of the generator. */

struct Twister {
    uint32_t key[624];
    int pos;
};

/* Return the state of the capsule of an MT19937 generator; a null pointer in the
   general form, and for an error. */
inline Twister *find_twister(PyObject *capsule) {
#ifdef CF_GENERAL
    (void)capsule;
    return nullptr;
#else
    void *generator = PyCapsule_GetPointer(capsule, "BitGenerator");
    return generator ? static_cast<Twister *>(static_cast<bitgen_t *>(generator)->state)
                     : nullptr;
#endif
}

}  // namespace
}  // namespace chainer_fast

#endif
