// A function behind the border of netplace (checks/border.py): which way a call takes is told by who calls.
//
// It is an object of CPython's own interface rather than a binding: called as a method without making a bound
// one, its arguments are handed on as they lie. What decides is the name of the module of the running code.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstring>
#include <string_view>

#include "structmember.h"

namespace {

constexpr std::string_view within = "netplace.";

struct Border {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject* inside;   // what callers within netplace get
    PyObject* outside;  // what all others get
    PyObject* names;    // its __dict__
};

PyObject* name_key = nullptr;

bool called_from_within() {
    PyObject* const globals = PyEval_GetGlobals();  // borrowed, of the code that is running
    if (globals == nullptr) return false;
    PyObject* const name = PyDict_GetItemWithError(globals, name_key);
    if (name == nullptr || !PyUnicode_Check(name)) {
        PyErr_Clear();
        return false;
    }
    return PyUnicode_IS_COMPACT_ASCII(name) && static_cast<std::size_t>(PyUnicode_GET_LENGTH(name)) >= within.size() &&
           std::memcmp(PyUnicode_1BYTE_DATA(name), within.data(), within.size()) == 0;
}

PyObject* call(PyObject* self, PyObject* const* arguments, std::size_t count, PyObject* keywords) {
    const auto* const border = reinterpret_cast<Border*>(self);
    return PyObject_Vectorcall(called_from_within() ? border->inside : border->outside, arguments, count, keywords);
}

PyObject* make(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
    static const char* const names[] = {"inside", "outside", nullptr};
    PyObject *inside = nullptr, *outside = nullptr;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO", const_cast<char**>(names), &inside, &outside))
        return nullptr;
    if (!PyCallable_Check(inside) || !PyCallable_Check(outside)) {
        PyErr_SetString(PyExc_TypeError, "Border: expected two callables");
        return nullptr;
    }
    PyObject* const self = type->tp_alloc(type, 0);
    if (self == nullptr) return nullptr;
    auto* const border = reinterpret_cast<Border*>(self);
    border->call = &call;
    border->inside = Py_NewRef(inside);
    border->outside = Py_NewRef(outside);
    return self;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
    const auto* const border = reinterpret_cast<Border*>(self);
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(border->inside);
    Py_VISIT(border->outside);
    Py_VISIT(border->names);
    return 0;
}

int clear(PyObject* self) {
    auto* const border = reinterpret_cast<Border*>(self);
    Py_CLEAR(border->inside);
    Py_CLEAR(border->outside);
    Py_CLEAR(border->names);
    return 0;
}

void end(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject* bind_to(PyObject* self, PyObject* instance, PyObject*) {
    return instance == nullptr || instance == Py_None ? Py_NewRef(self) : PyMethod_New(self, instance);
}

PyObject* shown(PyObject* self) {
    const auto* const border = reinterpret_cast<Border*>(self);
    return PyUnicode_FromFormat("<%R behind the border>", border->inside);
}

// A worker process finds it where it stands, by its name.
PyObject* reduced(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "__qualname__"); }

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Border, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(Border, names), READONLY, nullptr},
    {"unguarded", T_OBJECT_EX, offsetof(Border, inside), READONLY, "What callers within netplace get."},
    {nullptr, 0, 0, 0, nullptr},
};

PyGetSetDef properties[] = {
    {"__dict__", &PyObject_GenericGetDict, &PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"__reduce__", &reduced, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

template <typename Function>
void* slot(Function* function) {
    return reinterpret_cast<void*>(function);
}

}  // namespace

void bind_checks(nanobind::module_& module) {
    static PyType_Slot slots[] = {
        {Py_tp_new, slot(&make)},         {Py_tp_call, slot(&PyVectorcall_Call)},
        {Py_tp_dealloc, slot(&end)},      {Py_tp_traverse, slot(&traverse)},
        {Py_tp_clear, slot(&clear)},      {Py_tp_descr_get, slot(&bind_to)},
        {Py_tp_repr, slot(&shown)},       {Py_tp_members, members},
        {Py_tp_getset, properties},       {Py_tp_methods, methods},
        {0, nullptr},
    };
    static PyType_Spec spec = {
        "netplace._native.checks.Border", sizeof(Border), 0,
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, slots,
    };
    name_key = PyUnicode_InternFromString("__name__");
    module.attr("Border") = nanobind::steal(PyType_FromSpec(&spec));
}
