/* Depth-first proof-number search (df-pn; Nagai 2002). Churn on small boards has a ledger instead.
 *
 * A position has two numbers: how many positions below it must at least be proved before it is, and
 * how many before the contrary is. The search goes where one of them is smallest, and back as soon
 * as another way looks cheaper. No position comes twice in a game, so none depends on how it was
 * reached.
 *
 * All positions are seen by the side to move: whether the turn goes on after a capture changes
 * nothing of what it may do, so the stones of both sides are all that counts. */

#define WORDS 1

#include "proofs.h"

#include "churn.h"
#include "oust.h"

#include <stdlib.h>
#include <string.h>

/* So many places of the table are looked at for one position. */
#define PLACES 4

/* By how much less the effort of an earlier search counts. */
#define PAST 1024

/* So many placements ahead are looked at, at most. */
#define DEEPEST 2048

/* Whether a search may go on is asked whenever it has searched so many positions. */
#define WATCHED 65536

/* A number that no search reaches. */
#define NEVER ((uint32_t)1 << 30)

typedef struct {
    Cells own, enemy;
} Pair;

/* How many positions must be proved, at least, until an aim is reached or is known not to be. */
typedef struct {
    uint32_t proof, disproof;
} Numbers;

typedef struct {
    Pair pair;
    Numbers numbers;
    /* How many positions were searched below it. */
    uint32_t effort;
    uint8_t aim;
    /* The number of the search that has kept it. */
    uint8_t search;
} Entry;

/* What a placement or a pass leads to, and its numbers as the side to move before it sees them. */
typedef struct {
    Pair pair;
    Numbers numbers;
    int aim, is_turn_over;
} Child;

typedef struct {
    int count;
    Child child[MOST_PROVED];
} Level;

struct Proofs {
    Board board;
    int is_churn;
    /* Whether any game was seen that ends in a draw. Until then, not to lose is to win. */
    int has_drawn;
    int symmetries;
    /* The images of the cells of each byte of a set. */
    uint64_t image[MOST_SYMMETRIES][8][256];
    Entry *table;
    uint64_t mask;
    /* What is known of all positions, in place of the table and the levels; NULL if there is none. */
    struct Ledger *ledger;
    /* The position whose proof is sought, and the number of its search, as far as a byte tells. */
    Pair root;
    uint8_t search;
    long searched, most;
    Watch watch;
    void *watcher;
    Level *level;
};

static const Numbers PROVED = {0, NEVER}, DISPROVED = {NEVER, 0}, FRESH = {1, 1};

/* Return the numbers of a child as the side to move before it sees them, from those that the side to
 * move in it sees, or the other way round. */
static Numbers seen_from(const Child *child, Numbers numbers) {
    return child->is_turn_over ? (Numbers){numbers.disproof, numbers.proof} : numbers;
}

static int is_settled(Numbers numbers) {
    return numbers.proof == 0 || numbers.disproof == 0;
}

/* Return the results that the other side wants. */
static int other_aim(int aim) {
    int left = ~aim & 7;
    return (left & 1) << 2 | (left & 2) | left >> 2;
}

/* ---- What a ledger needs, too ---- */

static void add_symmetries(Proofs *proofs, const Symmetries *symmetries) {
    proofs->symmetries = symmetries->count;
    for (int nth = 0; nth < symmetries->count; nth++) {
        for (int cell = 0; cell < proofs->board.count; cell++) {
            uint64_t image = (uint64_t)1 << symmetries->image[nth][cell];
            for (int byte = 0; byte < 256; byte++) {
                proofs->image[nth][cell / 8][byte] |= byte >> (cell % 8) & 1 ? image : 0;
            }
        }
    }
}

static Cells image_of(const Proofs *proofs, int nth, Cells some) {
    Cells found = no_cells();
    for (int byte = 0; 8 * byte < proofs->board.count; byte++) {
        found.word[0] |= proofs->image[nth][byte][some.word[0] >> (8 * byte) & 255];
    }
    return found;
}

static int may_go_on(Proofs *proofs) {
    if (proofs->searched >= proofs->most) {
        return 0;
    }
    if (proofs->watch != NULL && proofs->searched % WATCHED == 0 &&
        !proofs->watch(proofs->watcher, proofs->searched)) {
        proofs->most = 0;
        return 0;
    }
    return 1;
}

#include "ledger.h"

/* ---- Positions that are kept ---- */

Proofs *new_proofs(const Lattice *lattice, int is_churn, uint64_t entries,
                   const Symmetries *symmetries) {
    if (lattice->count > MOST_PROVED || entries < PLACES || (entries & (entries - 1)) != 0) {
        return NULL;
    }
    Proofs *proofs = calloc(1, sizeof(Proofs));
    if (proofs == NULL) {
        return NULL;
    }
    make_board(&proofs->board, lattice);
    proofs->is_churn = is_churn;
    add_symmetries(proofs, symmetries);
    proofs->mask = entries - 1;
    proofs->ledger = open_ledger(proofs, entries * sizeof(Entry));
    if (proofs->ledger == NULL) {
        proofs->table = calloc(entries, sizeof(Entry));
        proofs->level = malloc(DEEPEST * sizeof(Level));
        if (proofs->table == NULL || proofs->level == NULL) {
            free_proofs(proofs);
            return NULL;
        }
    }
    return proofs;
}

void free_proofs(Proofs *proofs) {
    if (proofs != NULL) {
        close_ledger(proofs->ledger);
        free(proofs->level);
        free(proofs->table);
        free(proofs);
    }
}

/* Return the one of all images of a position that is kept for them. */
static Pair canonical(const Proofs *proofs, Pair pair) {
    Pair least = pair;
    for (int nth = 0; nth < proofs->symmetries; nth++) {
        Cells own = image_of(proofs, nth, pair.own);
        if (is_larger(own, least.own)) {
            continue;
        }
        Cells enemy = image_of(proofs, nth, pair.enemy);
        if (is_larger(least.own, own) || is_larger(least.enemy, enemy)) {
            least = (Pair){own, enemy};
        }
    }
    return least;
}

/* Return the aim under which a position is kept. What was proved before any draw was seen holds for
 * both aims. */
static int kept_aim(const Proofs *proofs, int aim) {
    return aim == NO_LOSS && !proofs->has_drawn ? WIN : aim;
}

static Entry *places_of(const Proofs *proofs, const Pair *pair, int aim) {
    uint64_t mixed = (pair->own.word[0] ^ (uint64_t)aim << 61) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 32 ^ pair->enemy.word[0]) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 29) * 0x94d049bb133111ebu;
    return proofs->table + (mixed >> 24 & proofs->mask & ~(uint64_t)(PLACES - 1));
}

/* Return the entry of a position; NULL if there is none. */
static Entry *find_entry(const Proofs *proofs, const Pair *pair, int aim) {
    aim = kept_aim(proofs, aim);
    Entry *places = places_of(proofs, pair, aim);
    for (int nth = 0; nth < PLACES; nth++) {
        Entry *entry = &places[nth];
        if (is_same(entry->pair.own, pair->own) && is_same(entry->pair.enemy, pair->enemy) &&
            entry->aim == aim) {
            return entry;
        }
    }
    return NULL;
}

/* Keep the numbers of a position, in place of those that cost least. Those of other searches count
 * for little. */
static void keep(const Proofs *proofs, const Pair *pair, int aim, Numbers numbers, long effort) {
    Entry *entry = find_entry(proofs, pair, aim);
    if (entry == NULL) {
        aim = kept_aim(proofs, aim);
        Entry *place = places_of(proofs, pair, aim), *end = place + PLACES;
        uint32_t least = UINT32_MAX;
        for (entry = place; place < end; place++) {
            uint32_t past = place->effort / PAST + (place->effort > 0);
            uint32_t merit = place->search == proofs->search ? place->effort : past;
            if (merit < least) {
                least = merit;
                entry = place;
            }
        }
        *entry = (Entry){.pair = *pair, .aim = (uint8_t)aim};
    }
    uint64_t total = entry->effort + (uint64_t)effort;
    entry->effort = total > UINT32_MAX ? UINT32_MAX : (uint32_t)total;
    entry->numbers = numbers;
    entry->search = proofs->search;
}

/* ---- What can follow ---- */

/* Add what a placement or a pass leads to. */
static Child *add_child(Proofs *proofs, Level *level, const Stance *to, int aim) {
    Child *child = &level->child[level->count++];
    child->is_turn_over = to->to_move;
    child->aim = to->to_move ? other_aim(aim) : aim;
    if (to->result != UNKNOWN) {
        /* A result is that of the side to move. */
        proofs->has_drawn |= to->result == DRAWN;
        int result = to->to_move ? WON - to->result : to->result;
        child->numbers = aim >> result & 1 ? PROVED : DISPROVED;
    } else {
        child->numbers = FRESH;
        child->pair = canonical(proofs, (Pair){to->stones[to->to_move], to->stones[!to->to_move]});
        /* The table is far larger than any cache: it is fetched while the others are listed. */
        __builtin_prefetch(places_of(proofs, &child->pair, kept_aim(proofs, child->aim)));
    }
    return child;
}

/* Guess how long the side to move in a position that was not searched can stand: in Oust, by the cells
 * where it needs no capture; in Churn, by the cells that the stones of the other side touch. */
static uint32_t stand_of(const Proofs *proofs, const Pair *pair) {
    const Board *board = &proofs->board;
    Cells counted = proofs->is_churn
                        ? neighbours(board, pair->enemy)
                        : without(board->all, either(pair->enemy, neighbours(board, pair->own)));
    return (uint32_t)number_of(counted);
}

/* Let a child have the numbers that are kept of it, or else guessed ones. */
static void recall(const Proofs *proofs, Child *child) {
    const Entry *entry = find_entry(proofs, &child->pair, child->aim);
    Numbers numbers =
        entry == NULL ? (Numbers){1, 1 + stand_of(proofs, &child->pair)} : entry->numbers;
    child->numbers = seen_from(child, numbers);
}

/* List what can follow a position, or only the first child that reaches the aim at once. What it needs
 * on the stack is not there while the search goes deeper. */
static NOT_INLINE void list_children(Proofs *proofs, Level *level, const Pair *pair, int aim) {
    const Board *board = &proofs->board;
    Stance from = {{pair->own, pair->enemy}, 0, 0, UNKNOWN};
    Cells empty = empty_cells(board, &from), cells;
    if (proofs->is_churn) {
        cells = churn_placements(board, pair->own, empty);
    } else {
        Sight sight;
        see(board, from.stones, &sight);
        cells = oust_placements(&sight, 0);
    }
    level->count = 0;
    if (is_empty(cells)) {
        Stance to = from;
        to.to_move = 1;
        add_child(proofs, level, &to, aim);
    }
    while (!is_empty(cells)) {
        int cell = take_lowest(&cells);
        Stance to = proofs->is_churn ? churn_place(board, &from, cell)
                                     : oust_place(board, &from, cell);
        const Child *child = add_child(proofs, level, &to, aim);
        if (child->numbers.proof == 0) {
            level->child[0] = *child;
            level->count = 1;
            return;
        }
    }
    for (int nth = 0; nth < level->count; nth++) {
        if (!is_settled(level->child[nth].numbers)) {
            recall(proofs, &level->child[nth]);
        }
    }
}

/* ---- The search ---- */

static uint32_t least_of(uint32_t one, uint32_t other) {
    return one < other ? one : other;
}

/* Search a position until one of its numbers is as large as a bound, or the search must stop. Return
 * the numbers. `depth` counts the steps before it. */
static Numbers seek(Proofs *proofs, const Pair *pair, int aim, Numbers bounds, int depth) {
    if (depth == DEEPEST) {
        proofs->most = 0;
    }
    if (!may_go_on(proofs)) {
        const Entry *entry = find_entry(proofs, pair, aim);
        return entry == NULL ? FRESH : entry->numbers;
    }
    long before = proofs->searched++;
    Level *level = &proofs->level[depth];
    list_children(proofs, level, pair, aim);
    for (;;) {
        Numbers numbers = {NEVER, 0};
        uint32_t second = NEVER;
        Child *best = level->child;
        for (int nth = 0; nth < level->count; nth++) {
            Child *child = &level->child[nth];
            if (child->numbers.proof < numbers.proof) {
                second = numbers.proof;
                numbers.proof = child->numbers.proof;
                best = child;
            } else {
                second = least_of(second, child->numbers.proof);
            }
            numbers.disproof = least_of(numbers.disproof + child->numbers.disproof, NEVER - 1);
        }
        numbers = numbers.proof == 0 ? PROVED : numbers;
        if (numbers.proof >= bounds.proof || numbers.disproof >= bounds.disproof ||
            is_settled(numbers) || proofs->searched >= proofs->most) {
            keep(proofs, pair, aim, numbers, proofs->searched - before);
            return numbers;
        }
        /* It stays with the best child until that looks twice as costly as the second. */
        Numbers within = {least_of(bounds.proof, 2 * second + 1),
                          bounds.disproof - numbers.disproof + best->numbers.disproof};
        Numbers found =
            seek(proofs, &best->pair, best->aim, seen_from(best, within), depth + 1);
        best->numbers = seen_from(best, found);
    }
}

int proved(const Proofs *proofs, uint64_t own, uint64_t enemy, int aim) {
    Pair pair = {{{own}}, {{enemy}}};
    if (proofs->ledger != NULL && (aim == DRAW || aim == NO_DRAW)) {
        return aim == NO_DRAW;
    }
    if (proofs->ledger != NULL) {
        int worth = entered(proofs->ledger, place_in(proofs, pair.own, pair.enemy));
        return worth == UNKNOWN ? UNKNOWN : aim >> worth & 1;
    }
    pair = canonical(proofs, pair);
    const Entry *entry = find_entry(proofs, &pair, aim);
    return entry != NULL && is_settled(entry->numbers) ? entry->numbers.proof == 0 : UNKNOWN;
}

int proved_worth(const Proofs *proofs, uint64_t own, uint64_t enemy) {
    int wins = proved(proofs, own, enemy, WIN), holds = proved(proofs, own, enemy, NO_LOSS);
    if (wins == 1) {
        return WON;
    }
    if (holds == 0) {
        return LOST;
    }
    return wins == 0 && holds == 1 ? DRAWN : UNKNOWN;
}

/* Try to prove by proof numbers whether a position reaches an aim. */
static void seek_from(Proofs *proofs, Pair pair, int aim) {
    if (!is_same(pair.own, proofs->root.own) || !is_same(pair.enemy, proofs->root.enemy)) {
        proofs->root = pair;
        proofs->search++;
    }
    if (proved(proofs, pair.own.word[0], pair.enemy.word[0], aim) == UNKNOWN) {
        seek(proofs, &pair, aim, (Numbers){NEVER, NEVER}, 0);
    }
}

long prove(Proofs *proofs, uint64_t own, uint64_t enemy, int aim, long most, Watch watch,
           void *watcher) {
    proofs->searched = 0;
    proofs->most = most;
    proofs->watch = watch;
    proofs->watcher = watcher;
    Pair pair = {{{own}}, {{enemy}}};
    if (proofs->ledger == NULL) {
        seek_from(proofs, canonical(proofs, pair), aim);
    } else if (proved(proofs, own, enemy, aim) == UNKNOWN) {
        fill(proofs, pair.own, pair.enemy);
    }
    return proofs->searched;
}

long prove_worth(Proofs *proofs, uint64_t own, uint64_t enemy, long most) {
    long searched = prove(proofs, own, enemy, WIN, most, NULL, NULL);
    if (proved(proofs, own, enemy, WIN) == 0) {
        searched += prove(proofs, own, enemy, NO_LOSS, most - searched, NULL, NULL);
    }
    return searched;
}
