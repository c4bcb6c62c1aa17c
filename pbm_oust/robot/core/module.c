/* The module `pbm_oust.robot._core`: trees and proofs for Python. `_core.pyi` says what it offers.
 *
 * Sets of cells come and go as bytes, the lowest first, laid out as in `Grid`. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "core.h"

#include <limits.h>
#include <string.h>

/* ---- Grids ---- */

/* Make a lattice of what describes a grid. Returns 0 and raises ValueError if it cannot be. */
static int read_lattice(Lattice *lattice, const Py_buffer *cells, int stride, int slant) {
    if (!make_lattice(lattice, cells->buf, (size_t)cells->len, stride, slant)) {
        PyErr_SetString(PyExc_ValueError, "a grid has 1 to 256 cells");
        return 0;
    }
    return 1;
}

/* Read a set of cells. Cells that the grid does not have are left out. */
static void read_cells(const Lattice *lattice, const Py_buffer *set, uint64_t *cells) {
    const uint8_t *bytes = set->buf;
    memset(cells, 0, MOST_WORDS * sizeof *cells);
    for (int cell = 0; cell < lattice->count; cell++) {
        int bit = lattice->bit[cell];
        if (bit / 8 < set->len && (bytes[bit / 8] >> (bit % 8) & 1)) {
            cells[cell / 64] |= (uint64_t)1 << (cell % 64);
        }
    }
}

static PyObject *write_cells(const Lattice *lattice, const uint64_t *cells) {
    uint8_t bytes[MOST_BITS / 8] = {0};
    for (int cell = 0; cell < lattice->count; cell++) {
        if (cells[cell / 64] >> (cell % 64) & 1) {
            bytes[lattice->bit[cell] / 8] |= (uint8_t)(1 << (lattice->bit[cell] % 8));
        }
    }
    return PyBytes_FromStringAndSize((const char *)bytes, sizeof bytes);
}

/* Return a new object if it is whole; else let go of it. */
static PyObject *whole(PyObject *made, int is_whole) {
    if (!is_whole) {
        Py_CLEAR(made);
    }
    return made;
}

/* Put an item into a list; without the item, let go of the list. */
static void put_item(PyObject **list, uint32_t nth, PyObject *item) {
    if (item == NULL) {
        Py_CLEAR(*list);
    } else {
        PyList_SET_ITEM(*list, (Py_ssize_t)nth, item);
    }
}

/* ---- Proofs ---- */

typedef struct {
    PyObject_HEAD
    Lattice lattice;
    Proofs *proofs;
} ProofsObject;

static PyObject *proofs_new(PyTypeObject *type, PyObject *args, PyObject *words) {
    static char *names[] = {"cells", "stride", "slant", "entries", NULL};
    Py_buffer cells;
    int stride, slant;
    unsigned long long entries;
    if (!PyArg_ParseTupleAndKeywords(args, words, "y*iiK", names, &cells, &stride, &slant,
                                     &entries)) {
        return NULL;
    }
    ProofsObject *self = (ProofsObject *)type->tp_alloc(type, 0);
    int is_read = self != NULL && read_lattice(&self->lattice, &cells, stride, slant);
    PyBuffer_Release(&cells);
    if (is_read && self->lattice.count > MOST_PROVED) {
        PyErr_SetString(PyExc_ValueError, "the grid is too large for proofs");
        is_read = 0;
    } else if (is_read) {
        self->proofs = new_proofs(&self->lattice, entries);
        if (self->proofs == NULL) {
            PyErr_NoMemory();
            is_read = 0;
        }
    }
    return whole((PyObject *)self, is_read);
}

static void proofs_dealloc(ProofsObject *self) {
    free_proofs(self->proofs);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* Read the stones of two sides, as arguments. Returns 0 and raises an error if they are none. */
static int read_stones(ProofsObject *self, PyObject *args, uint64_t *own, uint64_t *enemy,
                       long *most) {
    Py_buffer buffers[2];
    uint64_t sets[2][MOST_WORDS];
    if (!PyArg_ParseTuple(args, most ? "y*y*l" : "y*y*", &buffers[0], &buffers[1], most)) {
        return 0;
    }
    for (int nth = 0; nth < 2; nth++) {
        read_cells(&self->lattice, &buffers[nth], sets[nth]);
        PyBuffer_Release(&buffers[nth]);
    }
    *own = sets[0][0];
    *enemy = sets[1][0];
    return 1;
}

static PyObject *proofs_wins(ProofsObject *self, PyObject *args) {
    uint64_t own, enemy;
    if (!read_stones(self, args, &own, &enemy, NULL)) {
        return NULL;
    }
    int wins = proved_win(self->proofs, own, enemy);
    if (wins < 0) {
        Py_RETURN_NONE;
    }
    return PyBool_FromLong(wins);
}

static PyObject *proofs_prove(ProofsObject *self, PyObject *args) {
    uint64_t own, enemy;
    long most;
    if (!read_stones(self, args, &own, &enemy, &most)) {
        return NULL;
    }
    return PyLong_FromLong(prove(self->proofs, own, enemy, most));
}

static PyMethodDef proofs_methods[] = {
    {"wins", (PyCFunction)proofs_wins, METH_VARARGS, NULL},
    {"prove", (PyCFunction)proofs_prove, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject ProofsType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "pbm_oust.robot._core.Proofs",
    .tp_basicsize = sizeof(ProofsObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = proofs_new,
    .tp_dealloc = (destructor)proofs_dealloc,
    .tp_methods = proofs_methods,
};

/* ---- Trees ---- */

typedef struct {
    PyObject_HEAD
    Lattice lattice;
    const Core *core;
    void *tree;
    /* Keep the proofs and the net as long as the tree needs them. */
    PyObject *proofs, *net;
} TreeObject;

static const Core *core_for(int cells) {
    const Core *cores[] = {&core_of_1_word, &core_of_2_words, &core_of_3_words, &core_of_4_words};
    return cores[(cells - 1) / 64];
}

/* Let a planting have the proofs that a tree was given. Returns 0 and raises ValueError if they are
 * not of the same grid. */
static int take_proofs(TreeObject *self, PyObject *proofs, Planting *planting) {
    if (proofs == Py_None) {
        return 1;
    }
    const ProofsObject *known = (ProofsObject *)proofs;
    if (!PyObject_TypeCheck(proofs, &ProofsType) ||
        memcmp(&known->lattice, &self->lattice, sizeof(Lattice)) != 0) {
        PyErr_SetString(PyExc_ValueError, "these are no proofs of this grid");
        return 0;
    }
    self->proofs = Py_NewRef(proofs);
    planting->proofs = known->proofs;
    return 1;
}

static PyObject *tree_new(PyTypeObject *type, PyObject *args, PyObject *words) {
    static char *names[] = {"cells",        "stride",     "slant",   "eye",     "net",
                            "curiosity",    "x",          "o",       "to_move", "is_mid_turn",
                            "overlooked",   "seed",       "proofs",  "proving", "most_bytes",
                            "picks_lowest", NULL};
    Py_buffer cells, sets[3];
    double curiosity;
    int stride, slant, eye, to_move, is_mid_turn, picks_lowest;
    unsigned long long seed;
    Py_ssize_t most_bytes;
    PyObject *proofs, *net;
    long proving;
    if (!PyArg_ParseTupleAndKeywords(args, words, "y*iiiSdy*y*ppy*KOlnp", names, &cells,
                                     &stride, &slant, &eye, &net, &curiosity, &sets[0],
                                     &sets[1], &to_move, &is_mid_turn, &sets[2], &seed, &proofs,
                                     &proving, &most_bytes, &picks_lowest)) {
        return NULL;
    }
    TreeObject *self = (TreeObject *)type->tp_alloc(type, 0);
    int is_read = self != NULL && read_lattice(&self->lattice, &cells, stride, slant);
    Planting planting = {
        .eye = (Eye)eye,
        .curiosity = curiosity,
        .seed = seed,
        .picks_lowest = picks_lowest,
        .proving = proving,
        .most_bytes = (size_t)most_bytes,
        .to_move = to_move,
        .is_mid_turn = is_mid_turn,
    };
    if (is_read && (eye < 0 || eye >= EYES || most_bytes < 0 || proving < 0)) {
        PyErr_SetString(PyExc_ValueError, "there is no such eye, or a figure is negative");
        is_read = 0;
    }
    if (is_read && PyBytes_Size(net) != sizeof(Net)) {
        PyErr_SetString(PyExc_ValueError, "a net has another length");
        is_read = 0;
    } else if (is_read) {
        self->net = Py_NewRef(net);
        planting.net = (const Net *)PyBytes_AsString(net);
    }
    is_read = is_read && take_proofs(self, proofs, &planting);
    uint64_t *read[] = {planting.stones[0], planting.stones[1], planting.overlooked};
    for (int nth = 0; nth < 3; nth++) {
        if (is_read) {
            read_cells(&self->lattice, &sets[nth], read[nth]);
        }
        PyBuffer_Release(&sets[nth]);
    }
    PyBuffer_Release(&cells);
    if (is_read) {
        planting.lattice = &self->lattice;
        self->core = core_for(self->lattice.count);
        self->tree = self->core->plant(&planting);
        if (self->tree == NULL) {
            PyErr_NoMemory();
            is_read = 0;
        }
    }
    return whole((PyObject *)self, is_read);
}

static void tree_dealloc(TreeObject *self) {
    if (self->tree != NULL) {
        self->core->fell(self->tree);
    }
    Py_XDECREF(self->proofs);
    Py_XDECREF(self->net);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* Return whether a tree has a position of this number; raise IndexError if not. */
static int has_node(TreeObject *self, unsigned long node) {
    if (node >= self->core->positions(self->tree)) {
        PyErr_SetString(PyExc_IndexError, "the tree has no such position");
        return 0;
    }
    return 1;
}

/* Read the number of a position. Returns 0 and raises an error if it is none. */
static int read_node(TreeObject *self, PyObject *number, uint32_t *node) {
    unsigned long read = PyLong_AsUnsignedLong(number);
    if (PyErr_Occurred() || !has_node(self, read)) {
        return 0;
    }
    *node = (uint32_t)read;
    return 1;
}

/* Read the number of a position, and what is known of it. Returns as `read_node` does. */
static int read_known(TreeObject *self, PyObject *number, uint32_t *node, Known *known) {
    if (!read_node(self, number, node)) {
        return 0;
    }
    self->core->know(self->tree, *node, known);
    return 1;
}

static PyObject *tree_grow(TreeObject *self, PyObject *args) {
    unsigned long node;
    long times, effort, most = LONG_MAX;
    if (!PyArg_ParseTuple(args, "kll|l", &node, &times, &effort, &most) || !has_node(self, node)) {
        return NULL;
    }
    long grown = self->core->grow(self->tree, (uint32_t)node, times, effort, most);
    return grown < 0 ? PyErr_NoMemory() : PyLong_FromLong(grown);
}

static PyObject *tree_know(TreeObject *self, PyObject *number) {
    uint32_t node;
    Known known;
    if (!read_known(self, number, &node, &known)) {
        return NULL;
    }
    return Py_BuildValue("kdiiik", (unsigned long)known.visits, known.total, known.proved,
                         known.to_move, known.is_mid_turn, (unsigned long)known.branches);
}

static PyObject *tree_stones(TreeObject *self, PyObject *number) {
    uint32_t node;
    Known known;
    if (!read_known(self, number, &node, &known)) {
        return NULL;
    }
    return Py_BuildValue("NN", write_cells(&self->lattice, known.stones[0]),
                         write_cells(&self->lattice, known.stones[1]));
}

static PyObject *tree_branches(TreeObject *self, PyObject *number) {
    uint32_t node;
    Known known;
    if (!read_known(self, number, &node, &known)) {
        return NULL;
    }
    PyObject *found = PyList_New((Py_ssize_t)known.branches);
    for (uint32_t nth = 0; found != NULL && nth < known.branches; nth++) {
        KnownBranch branch;
        self->core->know_branch(self->tree, node, nth, &branch);
        int bit = branch.cell < 0 ? -1 : self->lattice.bit[branch.cell];
        PyObject *item = Py_BuildValue("ikdk", bit, (unsigned long)branch.visits, branch.prior,
                                       (unsigned long)branch.node);
        put_item(&found, nth, item);
    }
    return found;
}

static PyObject *tree_settle(TreeObject *self, PyObject *args) {
    unsigned long node;
    int proved;
    if (!PyArg_ParseTuple(args, "ki", &node, &proved) || !has_node(self, node)) {
        return NULL;
    }
    if (proved < 0 || proved > 2) {
        PyErr_SetString(PyExc_ValueError, "a result counts 0, 1 or 2 halves");
        return NULL;
    }
    self->core->settle(self->tree, (uint32_t)node, proved);
    Py_RETURN_NONE;
}

static PyObject *tree_glance(TreeObject *self, PyObject *number) {
    static KnownAlike alike[MOST_CELLS + 3];
    uint32_t node, sets;
    if (!read_node(self, number, &node)) {
        return NULL;
    }
    double value = self->core->glance(self->tree, node, alike, MOST_CELLS + 3, &sets);
    PyObject *found = PyList_New((Py_ssize_t)sets);
    for (uint32_t nth = 0; found != NULL && nth < sets; nth++) {
        PyObject *cells = write_cells(&self->lattice, alike[nth].cells);
        PyObject *item = cells == NULL ? NULL : Py_BuildValue("dN", alike[nth].prior, cells);
        put_item(&found, nth, item);
    }
    return found == NULL ? NULL : Py_BuildValue("dN", value, found);
}

/* Read the numbers of positions. Returns NULL and raises an error if there are none. */
static uint32_t *read_nodes(TreeObject *self, PyObject *list) {
    Py_ssize_t count = PyList_GET_SIZE(list);
    if (count == 0) {
        PyErr_SetString(PyExc_ValueError, "no position is to be kept");
        return NULL;
    }
    uint32_t *nodes = PyMem_Malloc((size_t)count * sizeof *nodes);
    if (nodes == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t nth = 0; nth < count; nth++) {
        if (!read_node(self, PyList_GET_ITEM(list, nth), &nodes[nth])) {
            PyMem_Free(nodes);
            return NULL;
        }
    }
    return nodes;
}

static PyObject *tree_keep(TreeObject *self, PyObject *args) {
    PyObject *list, *found = NULL;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(args, "O!n", &PyList_Type, &list, &most)) {
        return NULL;
    }
    uint32_t *nodes = read_nodes(self, list);
    if (nodes == NULL) {
        return NULL;
    }
    uint32_t count = (uint32_t)PyList_GET_SIZE(list);
    void *part = self->core->part_of(self->tree, nodes, count, most < 0 ? 0 : (size_t)most);
    if (part == NULL) {
        PyErr_NoMemory();
    } else {
        self->core->fell(self->tree);
        self->tree = part;
        found = PyList_New((Py_ssize_t)count);
    }
    for (uint32_t nth = 0; found != NULL && nth < count; nth++) {
        put_item(&found, nth, PyLong_FromUnsignedLong(nodes[nth]));
    }
    PyMem_Free(nodes);
    return found;
}

static PyObject *tree_positions(TreeObject *self, void *unused) {
    (void)unused;
    return PyLong_FromUnsignedLong(self->core->positions(self->tree));
}

static PyObject *tree_memory(TreeObject *self, void *unused) {
    (void)unused;
    return PyLong_FromSize_t(self->core->bytes(self->tree));
}

static PyObject *tree_is_full(TreeObject *self, void *unused) {
    (void)unused;
    return PyBool_FromLong(self->core->is_full(self->tree));
}

static PyObject *tree_rows(TreeObject *self, PyObject *number) {
    uint16_t rows[MOST_ROWS];
    uint32_t node;
    if (!read_node(self, number, &node)) {
        return NULL;
    }
    int count = self->core->rows(self->tree, node, rows);
    PyObject *found = PyList_New(count);
    for (int nth = 0; found != NULL && nth < count; nth++) {
        put_item(&found, (uint32_t)nth, PyLong_FromLong(rows[nth]));
    }
    return found;
}

static PyMethodDef tree_methods[] = {
    {"grow", (PyCFunction)tree_grow, METH_VARARGS, NULL},
    {"know", (PyCFunction)tree_know, METH_O, NULL},
    {"stones", (PyCFunction)tree_stones, METH_O, NULL},
    {"branches", (PyCFunction)tree_branches, METH_O, NULL},
    {"keep", (PyCFunction)tree_keep, METH_VARARGS, NULL},
    {"settle", (PyCFunction)tree_settle, METH_VARARGS, NULL},
    {"glance", (PyCFunction)tree_glance, METH_O, NULL},
    {"rows", (PyCFunction)tree_rows, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef tree_figures[] = {
    {"positions", (getter)tree_positions, NULL, NULL, NULL},
    {"memory", (getter)tree_memory, NULL, NULL, NULL},
    {"is_full", (getter)tree_is_full, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyTypeObject TreeType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "pbm_oust.robot._core.Tree",
    .tp_basicsize = sizeof(TreeObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = tree_new,
    .tp_dealloc = (destructor)tree_dealloc,
    .tp_methods = tree_methods,
    .tp_getset = tree_figures,
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "pbm_oust.robot._core", .m_size = -1};

PyMODINIT_FUNC PyInit__core(void) {
    if (PyType_Ready(&ProofsType) < 0 || PyType_Ready(&TreeType) < 0) {
        return NULL;
    }
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL || PyModule_AddObjectRef(module, "Proofs", (PyObject *)&ProofsType) < 0 ||
        PyModule_AddObjectRef(module, "Tree", (PyObject *)&TreeType) < 0 ||
        PyModule_AddIntMacro(module, OUST_BY_EYE) < 0 ||
        PyModule_AddIntMacro(module, OUST_BY_CHANCE) < 0 ||
        PyModule_AddIntMacro(module, CHURN_BY_CHANCE) < 0 ||
        PyModule_AddIntMacro(module, MOST_CELLS) < 0 ||
        PyModule_AddIntMacro(module, ROWS) < 0 || PyModule_AddIntMacro(module, WIDTH) < 0 ||
        PyModule_AddIntMacro(module, INNER) < 0 ||
        PyModule_AddIntMacro(module, MOST_PROVED) < 0) {
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}
