/* Frames of compiled code in tracebacks, with whole paths.

   Cython names a source by its path from the root of the project. Python 3.10 to 3.12
   look for such a file only by its last part when they print an exception that ends a
   program, and show no line of it. The sources lie beside the compiled modules.

   setup.py has the compiler include this file before each module. */
#ifndef CHAINER_FAST_CORE_TRACEBACK_HPP
#define CHAINER_FAST_CORE_TRACEBACK_HPP

/* Before Python.h, like Cython's own line. */
#ifndef PY_SSIZE_T_CLEAN
#define PY_SSIZE_T_CLEAN
#endif
#include <Python.h>
#include <cstring>

namespace chainer_fast {
namespace {

/* Return the folder of the package, or NULL with an error. */
inline PyObject *package_folder(const char *package)
{
    PyObject *name = PyUnicode_FromString(package);
    PyObject *module = name ? PyImport_GetModule(name) : NULL;
    PyObject *folders = module ? PyObject_GetAttrString(module, "__path__") : NULL;
    PyObject *folder = folders ? PySequence_GetItem(folders, 0) : NULL;
    Py_XDECREF(folders);
    Py_XDECREF(module);
    Py_XDECREF(name);
    return folder;
}

/* Called once for each line that ever occurs in a traceback; the error is set aside. */
inline PyCodeObject *located_code(const char *file, const char *function, int line)
{
    static const char package[] = "chainer_fast";
    const size_t n = sizeof(package) - 1;
    PyCodeObject *code = NULL;
    if (std::strncmp(file, package, n) == 0 && (file[n] == '/' || file[n] == '\\')) {
        PyObject *folder = package_folder(package);
        PyObject *path = folder && PyUnicode_Check(folder)
            ? PyUnicode_FromFormat("%U%s", folder, file + n) : NULL;
        const char *text = path ? PyUnicode_AsUTF8(path) : NULL;
        if (text != NULL)
            code = PyCode_NewEmpty(text, function, line);
        PyErr_Clear();
        Py_XDECREF(path);
        Py_XDECREF(folder);
    }
    return code != NULL ? code : PyCode_NewEmpty(file, function, line);
}

}  // namespace
}  // namespace chainer_fast

/* The name that Cython's code calls to make a frame. */
#define PyCode_NewEmpty chainer_fast::located_code

#endif
