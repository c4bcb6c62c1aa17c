/* Sets of cells of a board: one bit for each cell, lowest cell first.
 *
 * WORDS is the number of words of 64 bits that a set has. The file that includes this one defines
 * it, so that sets of small boards take one word and no loops. */

#ifndef PBM_OUST_CELLS_H
#define PBM_OUST_CELLS_H

#include "lattice.h"

#include <stdint.h>

#define CELLS (64 * WORDS)

typedef struct {
    uint64_t word[WORDS];
} Cells;

static inline Cells no_cells(void) {
    Cells none = {{0}};
    return none;
}

static inline Cells either(Cells some, Cells others) {
    for (int nth = 0; nth < WORDS; nth++) {
        some.word[nth] |= others.word[nth];
    }
    return some;
}

static inline Cells both(Cells some, Cells others) {
    for (int nth = 0; nth < WORDS; nth++) {
        some.word[nth] &= others.word[nth];
    }
    return some;
}

static inline Cells without(Cells some, Cells others) {
    for (int nth = 0; nth < WORDS; nth++) {
        some.word[nth] &= ~others.word[nth];
    }
    return some;
}

static inline int is_empty(Cells some) {
    uint64_t found = 0;
    for (int nth = 0; nth < WORDS; nth++) {
        found |= some.word[nth];
    }
    return found == 0;
}

static inline int is_same(Cells some, Cells others) {
    uint64_t different = 0;
    for (int nth = 0; nth < WORDS; nth++) {
        different |= some.word[nth] ^ others.word[nth];
    }
    return different == 0;
}

/* Return whether a set is larger than another one if both are read as numbers. */
static inline int is_larger(Cells some, Cells others) {
    for (int nth = WORDS - 1; nth > 0; nth--) {
        if (some.word[nth] != others.word[nth]) {
            return some.word[nth] > others.word[nth];
        }
    }
    return some.word[0] > others.word[0];
}

/* Words are never looked up by a number that is computed: so sets stay in registers. */

static inline Cells only(int cell) {
    Cells found;
    for (int nth = 0; nth < WORDS; nth++) {
        found.word[nth] = (uint64_t)(cell / 64 == nth) << (cell % 64);
    }
    return found;
}

static inline int has_cell(const Cells *some, int cell) {
    uint64_t word = some->word[0];
    for (int nth = 1; nth < WORDS; nth++) {
        word = cell / 64 == nth ? some->word[nth] : word;
    }
    return word >> (cell % 64) & 1;
}

static inline void add_cell(Cells *some, int cell) {
    *some = either(*some, only(cell));
}

/* The same for a set that is in memory anyway, which is quicker there. */
static inline void put_cell(Cells *some, int cell) {
    some->word[cell / 64] |= (uint64_t)1 << (cell % 64);
}

static inline void drop_cell(Cells *some, int cell) {
    *some = without(*some, only(cell));
}

static inline int bits_of(uint64_t word) {
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int)(word * 0x0101010101010101u >> 56);
}

static inline int number_of(Cells some) {
    int found = 0;
    for (int nth = 0; nth < WORDS; nth++) {
        found += bits_of(some.word[nth]);
    }
    return found;
}

/* Return the lowest cell of a set that is not empty. */
static inline int lowest(Cells some) {
    for (int nth = 0; nth < WORDS - 1; nth++) {
        if (some.word[nth]) {
            return 64 * nth + __builtin_ctzll(some.word[nth]);
        }
    }
    return 64 * (WORDS - 1) + __builtin_ctzll(some.word[WORDS - 1]);
}

/* Take the lowest cell off a set that is not empty, and return it. */
static inline int take_lowest(Cells *some) {
    for (int nth = 0; nth < WORDS - 1; nth++) {
        if (some->word[nth]) {
            int cell = 64 * nth + __builtin_ctzll(some->word[nth]);
            some->word[nth] &= some->word[nth] - 1;
            return cell;
        }
    }
    int cell = 64 * (WORDS - 1) + __builtin_ctzll(some->word[WORDS - 1]);
    some->word[WORDS - 1] &= some->word[WORDS - 1] - 1;
    return cell;
}

/* Do what follows for each cell of a set, the lowest first. It must not end the loop. */
#define EACH_CELL(cell, some)                                                                      \
    for (int at_word = 0; at_word < WORDS; at_word++)                                              \
        for (uint64_t cells_left = (some).word[at_word]; cells_left != 0;                          \
             cells_left &= cells_left - 1)                                                         \
            for (int cell = 64 * at_word + __builtin_ctzll(cells_left), once = 1; once; once = 0)

/* Return the cell of a set that has so many lower ones; the set must have more cells than that. */
static inline int cell_after(Cells some, int lower) {
    int nth = 0, here = bits_of(some.word[0]);
    while (nth < WORDS - 1 && lower >= here) {
        lower -= here;
        here = bits_of(some.word[++nth]);
    }
    uint64_t word = some.word[nth];
    while (lower-- > 0) {
        word &= word - 1;
    }
    return 64 * nth + __builtin_ctzll(word);
}

/* What is played on: all cells, and those that touch each of them. */
typedef struct {
    int count;
    Cells all;
    Cells around[CELLS];
} Board;

static inline void make_board(Board *board, const Lattice *lattice) {
    board->count = lattice->count;
    board->all = no_cells();
    for (int cell = 0; cell < lattice->count; cell++) {
        add_cell(&board->all, cell);
        board->around[cell] = no_cells();
        for (int nth = 0; nth < lattice->degree[cell]; nth++) {
            add_cell(&board->around[cell], lattice->around[cell][nth]);
        }
    }
}

/* Return the cells that touch at least one cell of a set. */
static inline Cells neighbours(const Board *board, Cells some) {
    Cells found = no_cells();
    EACH_CELL(cell, some) {
        found = either(found, board->around[cell]);
    }
    return found;
}

/* Return the connected parts of `within` that hold a cell of `seeds`; `around` gets the cells that
 * touch them. */
static inline Cells flood(const Board *board, Cells seeds, Cells within, Cells *around) {
    Cells left = within, edge = both(seeds, within);
    *around = no_cells();
    while (!is_empty(edge)) {
        left = without(left, edge);
        *around = either(*around, neighbours(board, edge));
        edge = both(*around, left);
    }
    return without(within, left);
}

#endif
