/* The module `pbm_oust.robot._core`: trees and proofs for Python. `_core.pyi` says what it offers.
 *
 * Sets of cells come and go as bytes, the lowest first, laid out as in `Grid`. Only the stable ABI
 * of Python 3.11 is used, so one build runs with all later versions. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "core.h"

#include <limits.h>
#include <string.h>

/* ---- Grids ---- */

/* Make a lattice of what describes a grid. Returns 0 and raises ValueError if it cannot be. */
static int read_lattice(Lattice *lattice, const Py_buffer *cells, int stride, int slant) {
    if (!make_lattice(lattice, cells->buf, (size_t)cells->len, stride, slant)) {
        PyErr_SetString(PyExc_ValueError, "a grid has 1 to 256 cells, and each touches another one");
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

/* Return whether no cell has stones of both sides; raise ValueError if one has. */
static int are_apart(const uint64_t *some, const uint64_t *others) {
    uint64_t shared = 0;
    for (int nth = 0; nth < MOST_WORDS; nth++) {
        shared |= some[nth] & others[nth];
    }
    if (shared != 0) {
        PyErr_SetString(PyExc_ValueError, "a cell has stones of both sides");
    }
    return shared == 0;
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

/* Give the memory of an object back, which keeps its type as long as it lives. */
static void give_back(void *made) {
    PyTypeObject *type = Py_TYPE(made);
    PyObject_Free(made);
    Py_DECREF(type);
}

/* Put an item into a list; without the item, let go of the list. */
static void put_item(PyObject **list, uint32_t nth, PyObject *item) {
    if (item == NULL) {
        Py_CLEAR(*list);
    } else {
        PyList_SetItem(*list, (Py_ssize_t)nth, item);
    }
}

/* ---- Proofs ---- */

typedef struct {
    PyObject_HEAD
    Lattice lattice;
    int is_churn;
    Proofs *proofs;
    /* Whether a search is using them, which lets other threads run meanwhile. */
    int is_busy;
} ProofsObject;

/* Read the symmetries of a grid of so many cells. Returns 0 and raises ValueError if there are some
 * that it cannot have. */
static int read_symmetries(Symmetries *symmetries, PyObject *list, int cells) {
    int is_read = PyList_Size(list) <= MOST_SYMMETRIES;
    symmetries->count = is_read ? (int)PyList_Size(list) : 0;
    for (int nth = 0; is_read && nth < symmetries->count; nth++) {
        PyObject *item = PyList_GetItem(list, nth);
        is_read = PyBytes_Check(item) && PyBytes_Size(item) == cells;
        const uint8_t *image = is_read ? (const uint8_t *)PyBytes_AsString(item) : NULL;
        for (int cell = 0; is_read && cell < cells; cell++) {
            is_read = image[cell] < cells;
            symmetries->image[nth][cell] = image[cell];
        }
    }
    if (!is_read) {
        PyErr_SetString(PyExc_ValueError, "a symmetry has a cell for each cell of the grid");
    }
    return is_read;
}

static PyObject *proofs_new(PyTypeObject *type, PyObject *args, PyObject *words) {
    static char *names[] = {"cells",   "stride",     "slant", "is_churn",
                            "entries", "symmetries", NULL};
    Py_buffer cells;
    int stride, slant, is_churn;
    unsigned long long entries;
    PyObject *symmetries;
    if (!PyArg_ParseTupleAndKeywords(args, words, "y*iipKO!", names, &cells, &stride, &slant,
                                     &is_churn, &entries, &PyList_Type, &symmetries)) {
        return NULL;
    }
    ProofsObject *self = (ProofsObject *)PyType_GenericAlloc(type, 0);
    int is_read = self != NULL && read_lattice(&self->lattice, &cells, stride, slant);
    PyBuffer_Release(&cells);
    if (is_read && self->lattice.count > MOST_PROVED) {
        PyErr_SetString(PyExc_ValueError, "the grid is too large for proofs");
        is_read = 0;
    }
    Symmetries images;
    is_read = is_read && read_symmetries(&images, symmetries, self->lattice.count);
    if (is_read) {
        self->is_churn = is_churn;
        self->proofs = new_proofs(&self->lattice, is_churn, entries, &images);
        is_read = self->proofs != NULL;
        if (!is_read) {
            PyErr_NoMemory();
        }
    }
    return whole((PyObject *)self, is_read);
}

static void proofs_dealloc(ProofsObject *self) {
    free_proofs(self->proofs);
    give_back(self);
}

/* Return whether nobody is using proofs; raise RuntimeError if somebody is. */
static int are_free(const ProofsObject *self) {
    if (self->is_busy) {
        PyErr_SetString(PyExc_RuntimeError, "a search is using these proofs");
    }
    return !self->is_busy;
}

/* What is asked for: the stones of the side to move and of the other, and the aim. */
typedef struct {
    uint64_t own, enemy;
    int aim;
} Question;

/* Read a question, and what else is given with it. Returns 0 and raises an error if it is none. */
static int read_question(const ProofsObject *self, PyObject *args, Question *question, long *most,
                         PyObject **watch) {
    Py_buffer buffers[2];
    uint64_t sets[2][MOST_WORDS];
    if (!PyArg_ParseTuple(args, most ? "y*y*il|O" : "y*y*i", &buffers[0], &buffers[1],
                          &question->aim, most, watch)) {
        return 0;
    }
    for (int nth = 0; nth < 2; nth++) {
        read_cells(&self->lattice, &buffers[nth], sets[nth]);
        PyBuffer_Release(&buffers[nth]);
    }
    question->own = sets[0][0];
    question->enemy = sets[1][0];
    if (question->aim <= 0 || question->aim >= ANYTHING) {
        PyErr_SetString(PyExc_ValueError, "there is no such aim");
        return 0;
    }
    return are_apart(sets[0], sets[1]) && are_free(self);
}

static PyObject *proofs_reaches(ProofsObject *self, PyObject *args) {
    Question asked;
    if (!read_question(self, args, &asked, NULL, NULL)) {
        return NULL;
    }
    int reaches = proved(self->proofs, asked.own, asked.enemy, asked.aim);
    if (reaches < 0) {
        Py_RETURN_NONE;
    }
    return PyBool_FromLong(reaches);
}

/* Ask a function of Python whether a search may go on: it may until that raises an error. */
static int asks_python(void *watcher, long searched) {
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *answer = PyObject_CallFunction(watcher, "l", searched);
    int may_go_on = answer != NULL && PyErr_CheckSignals() == 0;
    Py_XDECREF(answer);
    PyGILState_Release(state);
    return may_go_on;
}

static PyObject *proofs_prove(ProofsObject *self, PyObject *args) {
    Question asked;
    long most;
    PyObject *watch = NULL;
    if (!read_question(self, args, &asked, &most, &watch)) {
        return NULL;
    }
    long searched;
    self->is_busy = 1;
    Py_BEGIN_ALLOW_THREADS;
    searched = prove(self->proofs, asked.own, asked.enemy, asked.aim, most,
                     watch == NULL ? NULL : asks_python, watch);
    Py_END_ALLOW_THREADS;
    self->is_busy = 0;
    return PyErr_Occurred() ? NULL : PyLong_FromLong(searched);
}

static PyMethodDef proofs_methods[] = {
    {"reaches", (PyCFunction)proofs_reaches, METH_VARARGS, NULL},
    {"prove", (PyCFunction)proofs_prove, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot proofs_slots[] = {
    {Py_tp_new, proofs_new},
    {Py_tp_dealloc, proofs_dealloc},
    {Py_tp_methods, proofs_methods},
    {0, NULL},
};

static PyType_Spec proofs_spec = {
    .name = "pbm_oust.robot._core.Proofs",
    .basicsize = sizeof(ProofsObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = proofs_slots,
};

/* The type of proofs, once the module has been made. */
static PyTypeObject *proofs_type;

/* ---- Trees ---- */

typedef struct {
    PyObject_HEAD
    Lattice lattice;
    const Core *core;
    int is_churn;
    void *tree;
    /* Keep the proofs and the net as long as the tree needs them; NULL if it has none. */
    ProofsObject *proofs;
    PyObject *net;
} TreeObject;

static const Core *core_for(int cells) {
    const Core *cores[] = {&core_of_1_word, &core_of_2_words, &core_of_3_words, &core_of_4_words};
    return cores[(cells - 1) / 64];
}

/* Let a planting have the proofs that a tree was given. Returns 0 and raises ValueError if they are
 * not of the same game on the same grid. */
static int take_proofs(TreeObject *self, PyObject *given, Planting *planting) {
    if (given == Py_None) {
        return 1;
    }
    ProofsObject *proofs = (ProofsObject *)given;
    if (!PyObject_TypeCheck(given, proofs_type) ||
        proofs->is_churn != is_of_churn(planting->eye) ||
        memcmp(&proofs->lattice, &self->lattice, sizeof(Lattice)) != 0) {
        PyErr_SetString(PyExc_ValueError, "these are no proofs of this game on this grid");
        return 0;
    }
    Py_INCREF(given);
    self->proofs = proofs;
    planting->proofs = proofs->proofs;
    return 1;
}

/* More than any search can use. */
#define MOST_CURIOUS 1e6

static PyObject *tree_new(PyTypeObject *type, PyObject *args, PyObject *words) {
    static char *names[] = {"cells",        "stride",     "slant",   "eye",     "net",
                            "curiosity",    "x",          "o",       "to_move", "is_mid_turn",
                            "seed",         "proofs",     "proving", "resting", "most_bytes",
                            "picks_lowest", NULL};
    Py_buffer cells, sets[2];
    double curiosity;
    int stride, slant, eye, to_move, is_mid_turn, picks_lowest;
    unsigned long long seed;
    Py_ssize_t most_bytes;
    PyObject *proofs, *net;
    long proving, resting;
    if (!PyArg_ParseTupleAndKeywords(args, words, "y*iiiSdy*y*ppKOllnp", names, &cells,
                                     &stride, &slant, &eye, &net, &curiosity, &sets[0],
                                     &sets[1], &to_move, &is_mid_turn, &seed, &proofs, &proving,
                                     &resting, &most_bytes, &picks_lowest)) {
        return NULL;
    }
    TreeObject *self = (TreeObject *)PyType_GenericAlloc(type, 0);
    int is_read = self != NULL && read_lattice(&self->lattice, &cells, stride, slant);
    Planting planting = {
        .eye = (Eye)eye,
        .curiosity = curiosity,
        .seed = seed,
        .picks_lowest = picks_lowest,
        .proving = proving,
        .resting = resting,
        .most_bytes = (size_t)most_bytes,
        .to_move = to_move,
        .is_mid_turn = is_mid_turn,
    };
    int is_sane = curiosity >= 0 && curiosity <= MOST_CURIOUS; /* which no NaN is */
    if (is_read && (eye < 0 || eye >= EYES || !is_sane || most_bytes < 0 || proving < 0 ||
                    resting < 1)) {
        PyErr_SetString(PyExc_ValueError, "there is no such eye, or a figure is out of bounds");
        is_read = 0;
    }
    size_t size = planting.eye == CHURN_BY_EYE ? sizeof(ChurnNet) : sizeof(Net);
    int needs_net = planting.eye == OUST_BY_EYE || planting.eye == CHURN_BY_EYE;
    if (is_read && needs_net && (size_t)PyBytes_Size(net) != size) {
        PyErr_SetString(PyExc_ValueError, "a net has another length");
        is_read = 0;
    } else if (is_read) {
        self->net = Py_NewRef(net);
        planting.net = (const Net *)PyBytes_AsString(net);
    }
    is_read = is_read && take_proofs(self, proofs, &planting);
    for (int nth = 0; nth < 2; nth++) {
        if (is_read) {
            read_cells(&self->lattice, &sets[nth], planting.stones[nth]);
        }
        PyBuffer_Release(&sets[nth]);
    }
    PyBuffer_Release(&cells);
    is_read = is_read && are_apart(planting.stones[0], planting.stones[1]);
    if (is_read) {
        planting.lattice = &self->lattice;
        self->is_churn = is_of_churn(planting.eye);
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
    Py_XDECREF((PyObject *)self->proofs);
    Py_XDECREF(self->net);
    give_back(self);
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
    if (!PyArg_ParseTuple(args, "kll|l", &node, &times, &effort, &most) || !has_node(self, node) ||
        (self->proofs != NULL && !are_free(self->proofs))) {
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
    static KnownAlike alike[GRADES];
    uint32_t node, sets;
    if (!read_node(self, number, &node)) {
        return NULL;
    }
    double value = self->core->glance(self->tree, node, alike, GRADES, &sets);
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
    Py_ssize_t count = PyList_Size(list);
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
        if (!read_node(self, PyList_GetItem(list, nth), &nodes[nth])) {
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
    uint32_t count = (uint32_t)PyList_Size(list);
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

static PyObject *tree_wander(TreeObject *self, PyObject *args) {
    unsigned long node;
    long placements;
    if (!PyArg_ParseTuple(args, "kl", &node, &placements) || !has_node(self, node)) {
        return NULL;
    }
    if (!self->is_churn) {
        PyErr_SetString(PyExc_ValueError, "only in Churn is a position reached by chance");
        return NULL;
    }
    uint32_t reached = self->core->wander(self->tree, (uint32_t)node, placements);
    return reached == UINT32_MAX ? PyErr_NoMemory() : PyLong_FromUnsignedLong(reached);
}

static PyObject *tree_promises(TreeObject *self, PyObject *number) {
    static KnownPromise promises[MOST_CELLS];
    uint32_t node;
    if (!read_node(self, number, &node)) {
        return NULL;
    }
    int count = self->core->promises(self->tree, node, promises);
    PyObject *found = PyList_New(count);
    for (int nth = 0; found != NULL && nth < count; nth++) {
        const KnownPromise *each = &promises[nth];
        int bit = self->lattice.bit[each->cell];
        put_item(&found, (uint32_t)nth, Py_BuildValue("iii", bit, each->sign[0], each->sign[1]));
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
    {"wander", (PyCFunction)tree_wander, METH_VARARGS, NULL},
    {"promises", (PyCFunction)tree_promises, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef tree_figures[] = {
    {"positions", (getter)tree_positions, NULL, NULL, NULL},
    {"memory", (getter)tree_memory, NULL, NULL, NULL},
    {"is_full", (getter)tree_is_full, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot tree_slots[] = {
    {Py_tp_new, tree_new},
    {Py_tp_dealloc, tree_dealloc},
    {Py_tp_methods, tree_methods},
    {Py_tp_getset, tree_figures},
    {0, NULL},
};

static PyType_Spec tree_spec = {
    .name = "pbm_oust.robot._core.Tree",
    .basicsize = sizeof(TreeObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = tree_slots,
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "pbm_oust.robot._core", .m_size = -1};

PyMODINIT_FUNC PyInit__core(void) {
    PyObject *module = PyModule_Create(&definition);
    PyObject *proofs = PyType_FromSpec(&proofs_spec), *tree = PyType_FromSpec(&tree_spec);
    proofs_type = (PyTypeObject *)proofs;
    if (module == NULL || PyModule_AddObjectRef(module, "Proofs", proofs) < 0 ||
        PyModule_AddObjectRef(module, "Tree", tree) < 0 ||
        PyModule_AddIntMacro(module, OUST_BY_EYE) < 0 ||
        PyModule_AddIntMacro(module, OUST_BY_CHANCE) < 0 ||
        PyModule_AddIntMacro(module, CHURN_BY_EYE) < 0 ||
        PyModule_AddIntMacro(module, CHURN_BY_CHANCE) < 0 ||
        PyModule_AddIntMacro(module, MOST_CELLS) < 0 ||
        PyModule_AddIntMacro(module, ROWS) < 0 ||
        PyModule_AddIntMacro(module, CHURN_ROWS) < 0 ||
        PyModule_AddIntMacro(module, WIDTH) < 0 ||
        PyModule_AddIntMacro(module, INNER) < 0 || PyModule_AddIntMacro(module, SIGNS) < 0 ||
        PyModule_AddIntMacro(module, MOST_PROVED) < 0 ||
        PyModule_AddIntMacro(module, DRAW) < 0 || PyModule_AddIntMacro(module, WIN) < 0 ||
        PyModule_AddIntMacro(module, NO_DRAW) < 0 ||
        PyModule_AddIntMacro(module, NO_LOSS) < 0) {
        Py_CLEAR(module);
    }
    Py_XDECREF(tree);
    return module;
}
