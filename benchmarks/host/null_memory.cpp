// Arrays of the null device and their addresses, as bases of Python's classes: they are
// made, and tell what they are, without a call of Python.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <initializer_list>

namespace {

const char *const NAMES[] = {"shape", "dtype", "strides", "ndim", "size", "nbytes",
                             "itemsize", "flags", "_c_contiguous", "_f_contiguous"};
constexpr int FIELDS = sizeof NAMES / sizeof *NAMES;

// What arrays of one form have in common.
struct Form {
  PyObject_HEAD
  PyObject *fields[FIELDS];
  long long room;             // bytes that an array takes
};

struct Address {
  PyObject_HEAD
  long long ptr;
};

struct Array {
  PyObject_HEAD
  PyObject *kind, *data, *weak;
};

PyObject *known = nullptr;      // forms by shape and dtype
PyObject *find = nullptr;       // what is called for others; returns form and memory
PyTypeObject *array_type = nullptr, *address_type = nullptr;
long long top = 1LL << 32, allocations = 0;

PyObject *new_address(long long ptr) {
  PyObject *made = address_type->tp_alloc(address_type, 0);
  if (made)
    reinterpret_cast<Address *>(made)->ptr = ptr;
  return made;
}

PyObject *take(long long room) {
  const long long begin = top;
  top += room;
  ++allocations;
  return new_address(begin);
}

// Takes over the references.
PyObject *new_array(PyTypeObject *type, PyObject *kind, PyObject *memory) {
  PyObject *made = memory ? type->tp_alloc(type, 0) : nullptr;
  if (!made) {
    Py_DECREF(kind);
    Py_XDECREF(memory);
    return nullptr;
  }
  reinterpret_cast<Array *>(made)->kind = kind;
  reinterpret_cast<Array *>(made)->data = memory;
  return made;
}

PyObject *fresh_of(PyTypeObject *type, PyObject *kind) {
  Py_INCREF(kind);
  return new_array(type, kind, take(reinterpret_cast<Form *>(kind)->room));
}

PyObject *array_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  if (!kwargs && PyTuple_GET_SIZE(args) == 2) {
    PyObject *kind = PyDict_GetItemWithError(known, args);
    if (kind)
      return fresh_of(type, kind);
    PyErr_Clear();              // a list cannot be a key
  }
  PyObject *found = PyObject_Call(find, args, kwargs);
  if (!found)
    return nullptr;
  PyObject *kind = PyTuple_GET_ITEM(found, 0), *memory = PyTuple_GET_ITEM(found, 1);
  PyObject *made = nullptr;
  if (memory == Py_None) {
    made = fresh_of(type, kind);
  } else {
    Py_INCREF(kind);
    Py_INCREF(memory);
    made = new_array(type, kind, memory);
  }
  Py_DECREF(found);
  return made;
}

void array_dealloc(PyObject *self) {
  Array *array = reinterpret_cast<Array *>(self);
  PyTypeObject *type = Py_TYPE(self);
  if (array->weak)
    PyObject_ClearWeakRefs(self);
  Py_XDECREF(array->kind);
  Py_XDECREF(array->data);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject *array_get(PyObject *self, void *which) {
  Form *form = reinterpret_cast<Form *>(reinterpret_cast<Array *>(self)->kind);
  PyObject *value = form->fields[reinterpret_cast<Py_ssize_t>(which)];
  Py_INCREF(value);
  return value;
}

void form_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  for (PyObject *field : reinterpret_cast<Form *>(self)->fields)
    Py_XDECREF(field);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject *address_new(PyTypeObject *type, PyObject *args, PyObject *) {
  long long ptr;
  if (!PyArg_ParseTuple(args, "L", &ptr))
    return nullptr;
  PyObject *made = type->tp_alloc(type, 0);
  if (made)
    reinterpret_cast<Address *>(made)->ptr = ptr;
  return made;
}

PyObject *configure(PyObject *, PyObject *args) {
  PyObject *array, *address;
  if (!PyArg_ParseTuple(args, "OOOO", &array, &address, &known, &find))
    return nullptr;
  for (PyObject *each : {array, address, known, find})
    Py_INCREF(each);
  array_type = reinterpret_cast<PyTypeObject *>(array);
  address_type = reinterpret_cast<PyTypeObject *>(address);
  Py_RETURN_NONE;
}

PyObject *fresh(PyObject *, PyObject *kind) { return fresh_of(array_type, kind); }

PyObject *viewing(PyObject *, PyObject *args) {
  PyObject *array, *kind;
  long long offset;
  if (!PyArg_ParseTuple(args, "OOL", &array, &kind, &offset))
    return nullptr;
  PyObject *data = reinterpret_cast<Array *>(array)->data;
  Py_INCREF(kind);
  return new_array(array_type, kind,
                   new_address(reinterpret_cast<Address *>(data)->ptr + offset));
}

PyObject *alloc(PyObject *, PyObject *size) {
  const long long bytes = PyLong_AsLongLong(size);
  if (bytes == -1 && PyErr_Occurred())
    return nullptr;
  return take((bytes > 0 ? bytes + 511 : 512) / 512 * 512);
}

PyObject *counted(PyObject *, PyObject *) {
  const long long seen = allocations;
  allocations = 0;
  return PyLong_FromLongLong(seen);
}

PyMemberDef form_members[FIELDS + 2], array_members[] = {
    {"_kind", T_OBJECT_EX, offsetof(Array, kind), 0, nullptr},
    {"data", T_OBJECT_EX, offsetof(Array, data), 0, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Array, weak), READONLY, nullptr},
    {}};
PyMemberDef address_members[] = {
    {"ptr", T_LONGLONG, offsetof(Address, ptr), READONLY, nullptr}, {}};
PyGetSetDef array_attributes[FIELDS + 1];

PyMethodDef functions[] = {
    {"configure", configure, METH_VARARGS, "Set the classes and the known forms."},
    {"fresh", fresh, METH_O, "Return a new array of a form."},
    {"view", viewing, METH_VARARGS, "Return an array of a form, inside another."},
    {"alloc", alloc, METH_O, "Return new memory, which is never given back."},
    {"counted", counted, METH_NOARGS, "Return how often memory was taken, since then."},
    {}};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "null_memory", nullptr, -1, functions};

PyObject *make_type(const char *name, int size, PyType_Slot *slots) {
  PyType_Spec spec = {name, size, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  return PyType_FromSpec(&spec);
}

}  // namespace

PyMODINIT_FUNC PyInit_null_memory() {
  for (int i = 0; i < FIELDS; ++i) {
    form_members[i] = {NAMES[i], T_OBJECT_EX,
                       static_cast<Py_ssize_t>(offsetof(Form, fields)
                                               + i * sizeof(PyObject *)), 0, nullptr};
    array_attributes[i] = {NAMES[i], array_get, nullptr, nullptr,
                           reinterpret_cast<void *>(static_cast<Py_ssize_t>(i))};
  }
  form_members[FIELDS] = {"room", T_LONGLONG, offsetof(Form, room), 0, nullptr};
  PyType_Slot of_form[] = {{Py_tp_members, form_members},
                           {Py_tp_dealloc, reinterpret_cast<void *>(form_dealloc)}, {}};
  PyType_Slot of_address[] = {{Py_tp_members, address_members},
                              {Py_tp_new, reinterpret_cast<void *>(address_new)}, {}};
  PyType_Slot of_array[] = {{Py_tp_members, array_members},
                            {Py_tp_getset, array_attributes},
                            {Py_tp_new, reinterpret_cast<void *>(array_new)},
                            {Py_tp_dealloc, reinterpret_cast<void *>(array_dealloc)}, {}};
  PyObject *made = PyModule_Create(&module);
  PyModule_AddObject(made, "Form", make_type("null_memory.Form", sizeof(Form), of_form));
  PyModule_AddObject(
      made, "Address", make_type("null_memory.Address", sizeof(Address), of_address));
  PyModule_AddObject(
      made, "Array", make_type("null_memory.Array", sizeof(Array), of_array));
  return made;
}
