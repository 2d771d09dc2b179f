/* Frames of compiled code in tracebacks, with whole paths.

   Cython names a source by its path from the root of the project. Python 3.10 to 3.12
   look for such a file only by its last part when they print an exception that ends a
   program, and show no line of it. The sources lie beside the compiled modules. */
#ifndef CHAINER_FAST_CORE_TRACEBACK_HPP
#define CHAINER_FAST_CORE_TRACEBACK_HPP

#include <Python.h>
#include <cstring>

namespace chainer_fast {

/* Called once for each line that is ever in a traceback; the error is put aside. */
static PyCodeObject *located_code(const char *file, const char *function, int line)
{
    static const char package[] = "chainer_fast/";
    PyCodeObject *code = NULL;
    if (std::strncmp(file, package, sizeof(package) - 1) == 0) {
        PyObject *module = PyDict_GetItemString(PyImport_GetModuleDict(), "chainer_fast");
        PyObject *folders = module ? PyObject_GetAttrString(module, "__path__") : NULL;
        PyObject *folder = folders ? PySequence_GetItem(folders, 0) : NULL;
        PyObject *path = folder && PyUnicode_Check(folder) ? PyUnicode_FromFormat(
            "%U/%s", folder, file + sizeof(package) - 1) : NULL;
        const char *text = path ? PyUnicode_AsUTF8(path) : NULL;
        if (text != NULL)
            code = PyCode_NewEmpty(text, function, line);
        PyErr_Clear();
        Py_XDECREF(path);
        Py_XDECREF(folder);
        Py_XDECREF(folders);
    }
    return code != NULL ? code : PyCode_NewEmpty(file, function, line);
}

}  // namespace chainer_fast

/* What Cython calls for each frame. */
#define PyCode_NewEmpty chainer_fast::located_code

#endif
