#define WORDS 1

#include "proofs.h"

#include "churn.h"

#include <stdlib.h>
#include <string.h>

/* So many places of the table are looked at for one position. */
#define PLACES 4

/* So many placements ahead are looked at, at most: the stack must hold them. */
#define DEEPEST 2000

struct Proofs {
    Board board;
    uint64_t *table;
    uint64_t mask;
    /* How many positions may still be looked at. */
    long left;
    /* The cell that won latest after so many placements; NO_CELL if none did. */
    uint8_t winner[DEEPEST];
};

#define NO_CELL UINT8_MAX

/* A placement that may win: its cell, the stones of its side after it, and how many cells these touch.
 * `beside` is 0 for the placement that is to be tried first. */
typedef struct {
    Cells after;
    int16_t cell, beside;
} Trial;

/* An entry is the stones of both sides, of 31 bits each, whether the side to move wins, and a bit
 * that tells it from no entry. */
static uint64_t key_of(uint64_t own, uint64_t enemy) {
    return (own << 31 | enemy) << 2 | 1;
}

static uint64_t place_of(const Proofs *proofs, uint64_t key) {
    uint64_t mixed = key * 0x9e3779b97f4a7c15u;
    return (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u >> 24 & proofs->mask & ~(uint64_t)(PLACES - 1);
}

Proofs *new_proofs(const Lattice *lattice, uint64_t entries) {
    if (lattice->count > MOST_PROVED || entries < PLACES || (entries & (entries - 1)) != 0) {
        return NULL;
    }
    Proofs *proofs = malloc(sizeof(Proofs));
    if (proofs == NULL) {
        return NULL;
    }
    make_board(&proofs->board, lattice);
    proofs->mask = entries - 1;
    memset(proofs->winner, NO_CELL, sizeof proofs->winner);
    proofs->table = calloc(entries, sizeof(uint64_t));
    if (proofs->table == NULL) {
        free(proofs);
        return NULL;
    }
    return proofs;
}

void free_proofs(Proofs *proofs) {
    if (proofs != NULL) {
        free(proofs->table);
        free(proofs);
    }
}

int proved_win(const Proofs *proofs, uint64_t own, uint64_t enemy) {
    uint64_t key = key_of(own, enemy), place = place_of(proofs, key);
    for (int nth = 0; nth < PLACES; nth++) {
        uint64_t entry = proofs->table[place + (uint64_t)nth];
        if ((entry & ~(uint64_t)2) == key) {
            return entry >> 1 & 1;
        }
    }
    return -1;
}

/* Keep a proof at the first of its places, and move those there up by one: the oldest goes. */
static void keep(Proofs *proofs, uint64_t own, uint64_t enemy, int wins) {
    uint64_t key = key_of(own, enemy), *entries = proofs->table + place_of(proofs, key);
    for (int nth = PLACES - 1; nth > 0; nth--) {
        entries[nth] = entries[nth - 1];
    }
    entries[0] = key | (uint64_t)wins << 1;
}

/* List placements in the order in which they are tried: the one that won latest, then those first
 * after which the stones of the side touch the fewest cells. Return how many there are. */
static int list_trials(const Board *board, Cells own, Cells allowed, int first, Trial *trials) {
    int number = 0;
    while (!is_empty(allowed)) {
        int cell = take_lowest(&allowed), place = number++;
        Cells after = churn_after(board, own, cell);
        int beside = cell == first ? 0 : number_of(neighbours(board, after));
        for (; place > 0 && trials[place - 1].beside > beside; place--) {
            trials[place] = trials[place - 1];
        }
        trials[place] = (Trial){after, (int16_t)cell, (int16_t)beside};
    }
    return number;
}

static int proved(Proofs *proofs, Cells own, Cells enemy, int depth);

/* Return 1 or 0 for a win or a loss of the side that has just placed; -1 if no more positions may be
 * looked at. */
static int wins_after(Proofs *proofs, Cells after, Cells enemy, int depth) {
    if (is_same(either(after, enemy), proofs->board.all)) {
        return majority(&proofs->board, after) == WON;
    }
    int other_wins = proved(proofs, enemy, after, depth);
    return other_wins < 0 ? -1 : !other_wins;
}

/* Return 1 or 0 for a win or a loss of the side to move; -1 if no more positions may be looked at.
 * `depth` counts the placements before it. */
static int proved(Proofs *proofs, Cells own, Cells enemy, int depth) {
    int wins = proved_win(proofs, own.word[0], enemy.word[0]);
    if (wins >= 0) {
        return wins;
    }
    if (proofs->left == 0 || depth == DEEPEST) {
        return -1;
    }
    proofs->left--;
    wins = 0;
    Trial trials[MOST_PROVED];
    const Board *board = &proofs->board;
    Cells allowed = churn_placements(board, own, without(board->all, either(own, enemy)));
    int number = list_trials(board, own, allowed, proofs->winner[depth], trials);
    for (int nth = 0; nth < number && !wins; nth++) {
        wins = wins_after(proofs, trials[nth].after, enemy, depth + 1);
        if (wins < 0) {
            return -1;
        }
        if (wins) {
            proofs->winner[depth] = (uint8_t)trials[nth].cell;
        }
    }
    keep(proofs, own.word[0], enemy.word[0], wins);
    return wins;
}

long prove(Proofs *proofs, uint64_t own, uint64_t enemy, long most) {
    Cells stones = {{own}}, others = {{enemy}};
    proofs->left = most;
    (void)proved(proofs, stones, others, 0);
    return most - proofs->left;
}
