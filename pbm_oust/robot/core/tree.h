/* A tree of positions that grows where it looks promising, as the eye sees them.
 *
 * Each step down the tree takes the placement with the best sum of three figures: what came of it so
 * far, and as long as it was tried little, how promising it looks and what came of placements of the
 * same side on the same cell elsewhere in the tree (this is called progressive history). What the eye
 * sees in a position at the end of the way counts for all positions on the way. Results are facts: a
 * position that has one is proved, and so is a position from which the mover can reach a proved win,
 * or nothing better. A position that several ways of the same length lead to is in the tree once.
 *
 * The file that includes this one defines WORDS, and CORE, the name of the functions that it offers. */

#include "churn_eye.h"
#include "core.h"
#include "eye.h"
#include "oust.h"
#include "promise.h"
#include "room.h"
#include "value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How much worse than its parent a position is taken to be before it is seen. */
#define CAUTION 0.1

/* How much it counts for a placement that was tried little what came of it elsewhere in the tree. */
#define HISTORY 0.5

/* What a look costs, beside the stones that are placed in it. */
#define EFFORT (16 * WORDS)

/* What a position costs that is searched for a proof. */
#define PROOF 30

/* The cell of a pass. */
#define PASS UINT16_MAX

/* The number of no position. */
#define NOWHERE UINT32_MAX

/* The table of positions grows when so many quarters of it are used. */
#define QUARTERS 3

/* How large the table is at first. */
#define LEAST_TABLE 1024

/* Positions are kept in shelves of so many. */
#define SHELF 4096

/* No way down is longer. */
#define DEEPEST 2048

typedef struct {
    /* What came of it, for the side to move before it, and of such placements elsewhere;
     * -INFINITY if it is proved to lose. (Sets of cells come behind the branches.) */
    _Alignas(Alike) float mean;
    /* How promising it still looks. */
    float boost;
    uint32_t node, visits;
    uint16_t cell;
    /* The number of the set that the cell was in; NO_SET if it looked not promising at all. */
    uint16_t set;
} Branch;

#define NO_SET UINT16_MAX

/* What a position knows of its placements. */
typedef struct {
    uint16_t branches, most_branches;
    /* How many sets of cells there are, and how many of them have cells that were not tried. The
     * latest of these is the most promising. */
    uint16_t sets, untried;
    /* The branches that were tried, which a way down the tree needs first. Behind the last one that
     * there is room for come the sets. In the only set of a position where a side must pass there is
     * no cell. */
    Branch branch[];
} Crown;

typedef struct {
    double total;
    /* NULL until it is seen. */
    Crown *crown;
    uint32_t visits;
    /* How many steps it is from the root of the tree. */
    uint16_t depth;
    unsigned char to_move : 1, is_mid_turn : 1, is_seen : 1;
    signed char proved;
} Node;

/* The stones of positions stand apart: on the way down a tree they are not needed. */
typedef struct {
    Node node[SHELF];
    Cells stones[SHELF][2];
} Shelf;

/* Where a position is that has these bits in the hash of its stones and depth. */
typedef struct {
    uint32_t bits;
    /* Its number plus one, or 0. */
    uint32_t number;
} Place;

typedef struct {
    Board board;
    Eye eye;
    const void *net;
    double curiosity;
    Proofs *proofs;
    /* How many positions are used for proofs at a time, and after how many looks. */
    long proving, resting;
    Chance chance;
    Room room;
    Shelf **shelves;
    uint32_t shelf_count, positions;
    /* Positions by their stones and depths. */
    Place *table;
    uint32_t table_size;
    /* What the latest growth has cost so far. */
    long effort;
    /* What is seen in the position `seen` of Oust, unless that is NOWHERE. */
    Sight sight;
    uint32_t seen;
    Alike alike[MOST_SETS];
    /* How often each side has placed on each cell, and the sum of what came of it for that side. */
    struct {
        double total;
        uint32_t times;
    } history[2][CELLS];
} Tree;

static Node *node_at(const Tree *tree, uint32_t number) {
    return &tree->shelves[number / SHELF]->node[number % SHELF];
}

static Cells *stones_of(const Tree *tree, uint32_t number) {
    return tree->shelves[number / SHELF]->stones[number % SHELF];
}

static Alike *sets_of(Crown *crown) {
    return (Alike *)(crown->branch + crown->most_branches);
}

static size_t size_of_crown(uint32_t branches, uint32_t sets) {
    return sizeof(Crown) + branches * sizeof(Branch) + sets * sizeof(Alike);
}

/* Return how promising a branch looked before it was tried. */
static double prior_of(Crown *crown, const Branch *branch) {
    return branch->set == NO_SET ? 0.0 : sets_of(crown)[branch->set].prior;
}

static Stance stance_of(const Tree *tree, uint32_t number) {
    const Node *node = node_at(tree, number);
    const Cells *stones = stones_of(tree, number);
    Stance stance = {{stones[0], stones[1]}, node->to_move, node->is_mid_turn, UNKNOWN};
    return stance;
}

static double value_of(const Node *node) {
    if (node->proved != UNKNOWN) {
        return node->proved / 2.0;
    }
    return node->visits ? node->total / node->visits : 0.5;
}

/* Return what a position is worth to the side to move in another one. */
static double worth_to(const Node *node, int side) {
    double value = value_of(node);
    return node->to_move == side ? value : 1 - value;
}

/* ---- Positions by their stones ---- */

static uint64_t hash_of(const Stance *stance, int depth) {
    uint64_t mixed = (uint64_t)(depth << 2 | stance->is_mid_turn << 1 | stance->to_move);
    for (int side = 0; side < 2; side++) {
        for (int nth = 0; nth < WORDS; nth++) {
            mixed = (mixed ^ stance->stones[side].word[nth]) * 0x9e3779b97f4a7c15u;
            mixed ^= mixed >> 32;
        }
    }
    return mixed * 0xbf58476d1ce4e5b9u;
}

/* Return the number of a position so many steps from the root; NOWHERE if it is not there. */
static uint32_t find_node(const Tree *tree, const Stance *stance, int depth) {
    uint64_t hash = hash_of(stance, depth);
    uint32_t at = (uint32_t)(hash >> 32) & (tree->table_size - 1);
    for (; tree->table[at].number; at = (at + 1) & (tree->table_size - 1)) {
        if (tree->table[at].bits != (uint32_t)hash) {
            continue;
        }
        uint32_t number = tree->table[at].number - 1;
        const Node *node = node_at(tree, number);
        const Cells *stones = stones_of(tree, number);
        if (node->depth == depth && is_same(stones[0], stance->stones[0]) &&
            is_same(stones[1], stance->stones[1]) && node->to_move == stance->to_move &&
            node->is_mid_turn == stance->is_mid_turn) {
            return number;
        }
    }
    return NOWHERE;
}

static void enter_in_table(Tree *tree, uint32_t number) {
    Stance stance = stance_of(tree, number);
    uint64_t hash = hash_of(&stance, node_at(tree, number)->depth);
    uint32_t at = (uint32_t)(hash >> 32) & (tree->table_size - 1);
    while (tree->table[at].number) {
        at = (at + 1) & (tree->table_size - 1);
    }
    tree->table[at] = (Place){(uint32_t)hash, number + 1};
}

/* Give the table so many places, and enter all positions. Return 0 if there is no room. */
static int make_table(Tree *tree, uint32_t size) {
    Place *table = take_large(&tree->room, (size_t)size * sizeof *table);
    if (table == NULL) {
        return 0;
    }
    if (tree->table != NULL) {
        give_large(&tree->room, tree->table);
    }
    tree->table = table;
    tree->table_size = size;
    for (uint32_t number = 0; number < tree->positions; number++) {
        enter_in_table(tree, number);
    }
    return 1;
}

/* Return whether a table of some size has enough places for so many positions. */
static int has_places(uint32_t size, uint32_t positions) {
    return 4 * (uint64_t)positions <= QUARTERS * (uint64_t)size;
}

/* Make room for one more position in the table. Return 0 if there is none. */
static int has_place(Tree *tree) {
    if (has_places(tree->table_size, tree->positions + 1)) {
        return 1;
    }
    if (tree->table_size > NOWHERE / 4) {
        tree->room.is_full = 1;
        return 0;
    }
    return make_table(tree, 2 * tree->table_size);
}

/* Make room for one more position on the shelves. Return 0 if there is none. */
static int has_space(Tree *tree) {
    if (tree->positions < tree->shelf_count * SHELF) {
        return 1;
    }
    Shelf **shelves = take_large(&tree->room, (tree->shelf_count + 1) * sizeof *shelves);
    if (shelves == NULL) {
        return 0;
    }
    Shelf *shelf = take_large(&tree->room, sizeof *shelf);
    if (shelf == NULL) {
        give_large(&tree->room, shelves);
        return 0;
    }
    if (tree->shelves != NULL) {
        memcpy(shelves, tree->shelves, tree->shelf_count * sizeof *shelves);
        give_large(&tree->room, tree->shelves);
    }
    tree->shelves = shelves;
    tree->shelves[tree->shelf_count++] = shelf;
    return 1;
}

/* Add a position that is not entered in the table; return its number, or NOWHERE if there is no
 * room. */
static uint32_t shelve_node(Tree *tree, const Stance *stance, int depth) {
    if (!has_space(tree)) {
        return NOWHERE;
    }
    Node *node = node_at(tree, tree->positions);
    memcpy(stones_of(tree, tree->positions), stance->stones, sizeof stance->stones);
    node->to_move = (unsigned)stance->to_move & 1;
    node->is_mid_turn = (unsigned)stance->is_mid_turn & 1;
    node->depth = (uint16_t)depth;
    node->proved = (signed char)stance->result;
    return tree->positions++;
}

/* Add a position, which must not be there; return its number, or NOWHERE if there is no room. */
static uint32_t add_node(Tree *tree, const Stance *stance, int depth) {
    uint32_t number = has_place(tree) ? shelve_node(tree, stance, depth) : NOWHERE;
    if (number != NOWHERE) {
        enter_in_table(tree, number);
    }
    return number;
}

/* ---- What the eye sees ---- */

/* Return what is seen in a position of Oust. */
static const Sight *sight_of(Tree *tree, uint32_t number) {
    if (tree->seen != number) {
        see(&tree->board, stones_of(tree, number), &tree->sight);
        tree->seen = number;
    }
    return &tree->sight;
}

/* Return how likely the side to move in a position that goes on is to win. */
static double look(Tree *tree, uint32_t number) {
    Stance stance = stance_of(tree, number);
    if (tree->eye == CHURN_BY_EYE) {
        return churn_glimpse(&tree->board, &tree->chance, &stance, tree->net, &tree->effort);
    }
    if (tree->eye == CHURN_BY_CHANCE) {
        return churn_game(&tree->board, &tree->chance, &stance, &tree->effort);
    }
    const Sight *sight = sight_of(tree, number);
    int must_pass = !may_place(sight, stance.to_move);
    double value;
    if (must_pass) {
        stance.to_move = !stance.to_move;
    }
    if (tree->eye == OUST_BY_EYE) {
        value = likelihood(&tree->board, sight, stance.to_move, tree->net);
    } else {
        value = oust_game(&tree->board, &tree->chance, &stance, &tree->effort);
    }
    return must_pass ? 1 - value : value;
}

/* Return the cells where the side to move may place. */
static Cells placements_of(Tree *tree, uint32_t number) {
    Stance stance = stance_of(tree, number);
    if (is_of_churn(tree->eye)) {
        return churn_placements(&tree->board, stance.stones[stance.to_move],
                                empty_cells(&tree->board, &stance));
    }
    return oust_placements(sight_of(tree, number), stance.to_move);
}

/* Find the placements of a position that goes on, the most promising last, or a pass. Return how
 * many sets they form. */
static uint32_t find_priors(Tree *tree, uint32_t number, Alike *alike) {
    const Node *node = node_at(tree, number);
    int mover = node->to_move, sets = 0;
    if (tree->eye == OUST_BY_EYE) {
        sets = oust_priors(&tree->board, sight_of(tree, number), mover, tree->net, alike);
    }
    if (sets == 0) {
        Cells cells = tree->eye == OUST_BY_EYE ? no_cells() : placements_of(tree, number);
        alike[0] = (Alike){1 / fmax(1, number_of(cells)), cells};
        sets = 1;
    }
    return (uint32_t)sets;
}

/* Return the position after a placement where the side to move may place. */
static Stance place(const Tree *tree, const Stance *from, int cell) {
    return is_of_churn(tree->eye) ? churn_place(&tree->board, from, cell)
                          : oust_place(&tree->board, from, cell);
}

/* Return the number of the position that a placement or a pass leads to; NOWHERE if it is not in the
 * tree and there is no room. */
static uint32_t follow(Tree *tree, uint32_t number, uint16_t cell) {
    int depth = node_at(tree, number)->depth + 1;
    Stance from = stance_of(tree, number), to = from;
    if (cell == PASS) {
        to.to_move = !from.to_move;
        to.is_mid_turn = 0;
    } else {
        to = place(tree, &from, cell);
    }
    uint32_t found = find_node(tree, &to, depth);
    return found == NOWHERE ? add_node(tree, &to, depth) : found;
}

/* ---- How it grows ---- */

/* Let a position know its placements. Return 0 if there is no room. */
static int crown(Tree *tree, uint32_t number) {
    Node *node = node_at(tree, number);
    if (node->crown != NULL) {
        return 1;
    }
    uint32_t sets = find_priors(tree, number, tree->alike);
    Crown *crown = take_block(&tree->room, size_of_crown(1, sets));
    if (crown == NULL) {
        return 0;
    }
    *crown = (Crown){0, 1, (uint16_t)sets, (uint16_t)sets};
    memcpy(sets_of(crown), tree->alike, sets * sizeof(Alike));
    node->crown = crown;
    return 1;
}

/* Let a crown have room for one more branch. Return 0 if there is none. */
static int widen(Tree *tree, Node *node) {
    Crown *before = node->crown;
    if (before->branches < before->most_branches) {
        return 1;
    }
    uint32_t most = before->most_branches + before->most_branches / 2u + 1;
    Crown *after = take_block(&tree->room, size_of_crown(most, before->sets));
    if (after == NULL) {
        return 0;
    }
    *after = (Crown){before->branches, (uint16_t)most, before->sets, before->untried};
    memcpy(sets_of(after), sets_of(before), before->sets * sizeof(Alike));
    memcpy(after->branch, before->branch, before->branches * sizeof(Branch));
    give_block(&tree->room, before, size_of_crown(before->most_branches, before->sets));
    node->crown = after;
    return 1;
}

/* Add the branch of a placement in a set. Return its number; -1 if there is no room. */
static int add_branch(Tree *tree, uint32_t number, uint16_t cell, uint16_t set) {
    Node *node = node_at(tree, number);
    if (!widen(tree, node)) {
        return -1;
    }
    uint32_t after = follow(tree, number, cell);
    if (after == NOWHERE) {
        return -1;
    }
    Crown *crown = node->crown;
    Branch *added = &crown->branch[crown->branches];
    *added = (Branch){0, 0, after, 0, cell, set};
    added->boost = (float)prior_of(crown, added);
    return crown->branches++;
}

/* Add the most promising of the branches that were not tried. Return its number; -1 if there is no
 * room. */
static int try_branch(Tree *tree, uint32_t number) {
    Crown *crown = node_at(tree, number)->crown;
    uint16_t last = (uint16_t)(crown->untried - 1), cell = PASS;
    Alike *set = &sets_of(crown)[last];
    if (!is_empty(set->cells)) {
        cell = (uint16_t)choose(&tree->chance, &tree->board, set->cells);
    }
    int added = add_branch(tree, number, cell, last);
    if (added >= 0) {
        crown = node_at(tree, number)->crown;
        set = &sets_of(crown)[last];
        if (cell != PASS) {
            drop_cell(&set->cells, cell);
        }
        crown->untried -= is_empty(set->cells);
    }
    return added;
}

static float merit_of(const Branch *branch, float spread) {
    return branch->mean + spread * branch->boost;
}

static float more_of(float one, float other) {
    return one > other ? one : other;
}

/* Return the most that any branch promises. Comparisons that do not wait for each other take less
 * time, so there are four at once. */
static float most_merit(const Branch *branch, int branches, float spread) {
    float most = -INFINITY, second = most, third = most, fourth = most;
    int nth = 0;
    for (; nth + 3 < branches; nth += 4) {
        most = more_of(merit_of(&branch[nth], spread), most);
        second = more_of(merit_of(&branch[nth + 1], spread), second);
        third = more_of(merit_of(&branch[nth + 2], spread), third);
        fourth = more_of(merit_of(&branch[nth + 3], spread), fourth);
    }
    for (; nth < branches; nth++) {
        most = more_of(merit_of(&branch[nth], spread), most);
    }
    return more_of(more_of(most, second), more_of(third, fourth));
}

/* Return the number of the branch to try next; -1 if there is no room. */
static int most_promising(Tree *tree, uint32_t number) {
    const Node *node = node_at(tree, number);
    Crown *crown = node->crown;
    const Branch *branch = crown->branch;
    float spread = (float)(tree->curiosity * sqrt(node->visits));
    float most = most_merit(branch, crown->branches, spread);
    if (crown->untried) {
        double prior = sets_of(crown)[crown->untried - 1].prior;
        if (node->total / node->visits - CAUTION + spread * prior > most) {
            return try_branch(tree, number);
        }
    }
    int best = 0;
    while (best < crown->branches - 1 && merit_of(&branch[best], spread) < most) {
        best++;
    }
    return best;
}

/* Return what comes of the placements of a side on a cell, as far as the tree knows. */
static double usual_worth(const Tree *tree, int side, uint16_t cell) {
    if (cell == PASS) {
        return 0.5;
    }
    return (tree->history[side][cell].total + 0.5) / (tree->history[side][cell].times + 1);
}

/* Let what came of a placement count for all of its side on the same cell. */
static void note(Tree *tree, const Node *node, int number, double value) {
    uint16_t cell = node->crown->branch[number].cell;
    if (cell != PASS) {
        tree->history[node->to_move][cell].total += value;
        tree->history[node->to_move][cell].times++;
    }
}

/* Prove a position if a branch that is proved to have some value is enough for that. */
static void conclude(const Tree *tree, Node *node, double value) {
    if (value == 1.0) {
        node->proved = WON;
        return;
    }
    double most = 0.0;
    if (node->crown->untried) {
        return;
    }
    for (int nth = 0; nth < node->crown->branches; nth++) {
        const Node *after = node_at(tree, node->crown->branch[nth].node);
        if (after->proved == UNKNOWN) {
            return;
        }
        most = fmax(most, worth_to(after, node->to_move));
    }
    node->proved = (signed char)(2 * most);
}

/* Let what came of a branch count once more. */
static void learn(const Tree *tree, Node *node, int number) {
    Branch *branch = &node->crown->branch[number];
    const Node *after = node_at(tree, branch->node);
    double value = worth_to(after, node->to_move);
    branch->visits++;
    branch->mean = (float)(value + HISTORY * usual_worth(tree, node->to_move, branch->cell) /
                                       (1 + branch->visits));
    if (after->proved != UNKNOWN) {
        branch->mean = value > 0 ? (float)value : -INFINITY;
        conclude(tree, node, value);
    }
    branch->boost = (float)(prior_of(node->crown, branch) / (1 + branch->visits));
}

/* Go down to a position that was not seen, and let what is seen there count. Return 0 if there is no
 * room for it. */
static int descend(Tree *tree, uint32_t number) {
    struct {
        uint32_t node;
        int branch;
    } path[DEEPEST];
    int steps = 0;
    Node *node = node_at(tree, number);
    while (node->proved == UNKNOWN && node->is_seen && steps < DEEPEST) {
        int branch = crown(tree, number) ? most_promising(tree, number) : -1;
        if (branch < 0) {
            return 0;
        }
        path[steps].node = number;
        path[steps++].branch = branch;
        number = node->crown->branch[branch].node;
        node = node_at(tree, number);
    }
    double value = value_of(node);
    if (node->proved == UNKNOWN && !node->is_seen) {
        value = look(tree, number);
        node->is_seen = 1;
        /* Most positions are visited again, and what is seen is at hand now. */
        (void)crown(tree, number);
    }
    int side = node->to_move;
    node->visits++;
    node->total += value;
    tree->effort += EFFORT + steps;
    while (steps-- > 0) {
        node = node_at(tree, path[steps].node);
        learn(tree, node, path[steps].branch);
        if (node->to_move != side) {
            value = 1 - value;
            side = node->to_move;
        }
        note(tree, node, path[steps].branch, value);
        if (node->proved != UNKNOWN) {
            value = node->proved / 2.0;
        }
        node->visits++;
        node->total += value;
    }
    return 1;
}

#include "proving.h"

/* ---- What it offers ---- */

static void fell(void *it) {
    Tree *tree = it;
    if (tree != NULL) {
        close_room(&tree->room);
        free(tree);
    }
}

static void *plant(const Planting *planting) {
    Tree *tree = calloc(1, sizeof(Tree));
    if (tree == NULL) {
        return NULL;
    }
    make_board(&tree->board, planting->lattice);
    tree->eye = planting->eye;
    tree->net = planting->net;
    tree->curiosity = planting->curiosity;
    tree->proofs = WORDS == 1 ? planting->proofs : NULL;
    tree->proving = planting->proving;
    tree->resting = planting->resting;
    seed_chance(&tree->chance, planting->seed, planting->picks_lowest);
    open_room(&tree->room, planting->most_bytes);
    tree->room.is_bound = 0;
    tree->seen = NOWHERE;
    Stance root;
    memset(&root, 0, sizeof root);
    for (int side = 0; side < 2; side++) {
        for (int nth = 0; nth < WORDS; nth++) {
            root.stones[side].word[nth] = planting->stones[side][nth];
        }
    }
    root.to_move = planting->to_move;
    root.is_mid_turn = planting->is_mid_turn;
    root.result = UNKNOWN;
    if (!make_table(tree, LEAST_TABLE) || add_node(tree, &root, 0) == NOWHERE) {
        fell(tree);
        return NULL;
    }
    return tree;
}

static uint32_t number_of_branches(const Node *node) {
    return node->crown == NULL ? 0 : node->crown->branches;
}

static long grow(void *it, uint32_t number, long times, long effort, long most) {
    Tree *tree = it;
    Node *root = node_at(tree, number);
    long grown = 0;
    tree->effort = 0;
    tree->room.is_full = 0;
    if (times == 0 && tree->proofs != NULL) {
        hear(tree, number);
    }
    while (root->proved == UNKNOWN && tree->effort < effort && grown < most) {
        /* A position whose turn has to be played must have a branch, however full the tree is. */
        tree->room.is_bound = number_of_branches(root) > 0;
        if (!descend(tree, number)) {
            break;
        }
        grown++;
        if (tree->proofs != NULL && (times + grown - 1) % tree->resting == 0) {
            prove_root(tree, number);
        }
    }
    return root->proved == UNKNOWN && number_of_branches(root) == 0 && tree->room.is_full ? -1 : grown;
}

static uint32_t positions(const void *it) {
    return ((const Tree *)it)->positions;
}

static size_t bytes(const void *it) {
    return sizeof(Tree) + ((const Tree *)it)->room.bytes;
}

static int is_full(const void *it) {
    return ((const Tree *)it)->room.is_full;
}

static void copy_cells(uint64_t *to, Cells from) {
    for (int nth = 0; nth < MOST_WORDS; nth++) {
        to[nth] = nth < WORDS ? from.word[nth < WORDS ? nth : 0] : 0;
    }
}

static void know(const void *it, uint32_t number, Known *known) {
    const Node *node = node_at(it, number);
    copy_cells(known->stones[0], stones_of(it, number)[0]);
    copy_cells(known->stones[1], stones_of(it, number)[1]);
    known->to_move = node->to_move;
    known->is_mid_turn = node->is_mid_turn;
    known->visits = node->visits;
    known->total = node->total;
    known->proved = node->proved;
    known->branches = number_of_branches(node);
}

static void know_branch(const void *it, uint32_t number, uint32_t nth, KnownBranch *known) {
    Crown *crown = node_at(it, number)->crown;
    const Branch *branch = &crown->branch[nth];
    known->cell = branch->cell == PASS ? -1 : branch->cell;
    known->visits = branch->visits;
    known->prior = prior_of(crown, branch);
    known->node = branch->node;
}

static void settle(void *it, uint32_t number, int proved) {
    node_at(it, number)->proved = (signed char)proved;
}

static double glance(void *it, uint32_t number, KnownAlike *alike, uint32_t most, uint32_t *sets) {
    Tree *tree = it;
    *sets = find_priors(tree, number, tree->alike);
    for (uint32_t nth = 0; nth < *sets && nth < most; nth++) {
        alike[nth].prior = tree->alike[nth].prior;
        copy_cells(alike[nth].cells, tree->alike[nth].cells);
    }
    return look(tree, number);
}

static int rows(void *it, uint32_t number, uint16_t *found) {
    Tree *tree = it;
    int side = node_at(tree, number)->to_move, picked, count = 0;
    Row rows[MOST_ROWS];
    if (is_of_churn(tree->eye)) {
        const Cells *stones = stones_of(tree, number);
        picked = find_churn_rows(&tree->board, stones[side], stones[!side], rows);
    } else {
        const Sight *sight = sight_of(tree, number);
        picked = find_rows(&tree->board, sight, may_place(sight, side) ? side : !side, rows);
    }
    for (int nth = 0; nth < picked; nth++) {
        for (int times = 0; times < rows[nth].times; times++) {
            found[count++] = rows[nth].number;
        }
    }
    return count;
}

static uint32_t wander(void *it, uint32_t number, long placements) {
    Tree *tree = it;
    Stance from = stance_of(tree, number), to = from;
    ChurnWay way = churn_way(&tree->board, &from);
    churn_stroll(&tree->board, &tree->chance, &way, placements);
    to.stones[from.to_move] = way.camp[0].own;
    to.stones[!from.to_move] = way.camp[1].own;
    to.to_move = way.mover ? !from.to_move : from.to_move;
    if (is_empty(way.empty)) {
        to.result = majority(&tree->board, to.stones[to.to_move]);
    }
    return shelve_node(tree, &to, 0);
}

static int promises(void *it, uint32_t number, KnownPromise *known) {
    Tree *tree = it;
    Promise promises[MOST_PROMISES];
    int sets = find_promises(&tree->board, sight_of(tree, number), node_at(tree, number)->to_move,
                             promises);
    int count = 0;
    for (int nth = 0; nth < sets; nth++) {
        EACH_CELL(cell, promises[nth].cells) {
            known[count].cell = cell;
            memcpy(known[count++].sign, promises[nth].sign, sizeof known->sign);
        }
    }
    return count;
}

#include "part.h"

const Core CORE = {plant, fell,        grow,   positions, bytes, is_full, part_of,
                   know,  know_branch, settle, glance,    rows,   wander, promises};
