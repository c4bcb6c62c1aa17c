/* The eye for Churn: how likely the side to move is to win.
 *
 * Which of two placements is better depends on where each stone is, which games by chance find out,
 * and a net does not. Who is ahead, a net sees at once. So as many stones as the board has cells are
 * placed by chance, and a net says what has come of it. */

#ifndef PBM_OUST_CHURN_EYE_H
#define PBM_OUST_CHURN_EYE_H

#include "churn.h"
#include "layers.h"

#include <string.h>

/* What is seen of a side. */
typedef struct {
    /* Its groups: how many stones each one has, and how many empty cells touch it. */
    int groups;
    int16_t size[CELLS];
    uint8_t room[CELLS];
    /* For each empty cell, how many stones the groups have that touch it. */
    int16_t joined[CELLS];
    /* How many empty cells touch none of its stones. */
    int apart;
    /* How many stones the smallest group has that it could form beside its stones; 0 for none. */
    int smallest;
    int largest;
    /* How many stones it has in groups of that size or more, and in smaller ones. */
    int kept, passing;
} ChurnCamp;

static inline void see_churn_groups(const Board *board, Cells stones, Cells empty,
                                    ChurnCamp *camp, Cells *beside) {
    camp->groups = camp->largest = 0;
    while (!is_empty(stones)) {
        int nth = camp->groups++, size = 0;
        Cells edge = only(take_lowest(&stones)), around = no_cells();
        while (!is_empty(edge)) {
            Cells near = board->around[take_lowest(&edge)], fresh = both(near, stones);
            size++;
            around = either(around, near);
            stones = without(stones, fresh);
            edge = either(edge, fresh);
        }
        around = both(around, empty);
        EACH_CELL(cell, around) {
            camp->joined[cell] = (int16_t)(camp->joined[cell] + size);
        }
        *beside = either(*beside, around);
        camp->size[nth] = (int16_t)size;
        camp->room[nth] = (uint8_t)capped(number_of(around), CHURN_ROOM);
        camp->largest = size > camp->largest ? size : camp->largest;
    }
}

static inline void see_churn_camp(const Board *board, Cells stones, Cells empty,
                                  ChurnCamp *camp) {
    Cells beside = no_cells();
    int joined = CELLS;
    memset(camp->joined, 0, (size_t)board->count * sizeof camp->joined[0]);
    see_churn_groups(board, stones, empty, camp, &beside);
    EACH_CELL(cell, beside) {
        joined = capped(camp->joined[cell], joined);
    }
    camp->smallest = is_empty(beside) ? 0 : joined + 1;
    camp->apart = number_of(without(empty, beside));
    camp->kept = camp->passing = 0;
    for (int nth = 0; nth < camp->groups; nth++) {
        *(camp->size[nth] < camp->smallest ? &camp->passing : &camp->kept) += camp->size[nth];
    }
}

/* Return the class of a group of so many stones, of CHURN_SIZES. */
static inline int class_of(int size) {
    static const uint8_t classes[] = {0, 0, 1, 2, 3, 4, 5, 6, 7,  7,  8,  8,  8, 9,
                                      9, 9, 9, 9, 10, 10, 10, 10, 10, 10, 10, 10, 11};
    return classes[capped(size, 26)];
}

/* Write the row of each empty cell: what it touches, and what a stone of either side would form. */
static inline int churn_cell_rows(const Board *board, Cells empty, const ChurnCamp *camps,
                                  Row *rows) {
    int found = 0;
    EACH_CELL(cell, empty) {
        int ways = number_of(board->around[cell]);
        int free = capped(number_of(both(board->around[cell], empty)), CHURN_FREE - 1);
        int row = CHURN_FREE * (ways <= 3 ? 0 : ways <= 4 ? 1 : 2) + free;
        row = CHURN_SIZES * row + class_of(camps[0].joined[cell] + 1);
        row = CHURN_SIZES * row + class_of(camps[1].joined[cell] + 1);
        rows[found++] = one_row(CHURN_CELL_ROWS + row);
    }
    return found;
}

/* Write the rows of the stones of a side: 0 for the side to move, or 1. */
static inline int churn_camp_rows(const ChurnCamp *camp, int side, Row *rows) {
    int found = 0;
    for (int nth = 0; nth < camp->groups; nth++) {
        int row = CHURN_SIZES * side + class_of(camp->size[nth]);
        row = (CHURN_ROOM + 1) * row + camp->room[nth];
        rows[found++] = one_row(CHURN_GROUP_ROWS + 2 * row + (camp->size[nth] < camp->smallest));
    }
    int tempo = (CHURN_SMALLEST + 1) * side + capped(camp->smallest, CHURN_SMALLEST);
    tempo = (CHURN_FEW + 1) * tempo + capped(camp->apart, CHURN_FEW);
    rows[found++] = one_row(CHURN_TEMPO_ROWS + tempo);
    int first = CHURN_STONE_ROWS + (CHURN_STONES + 1) * side;
    rows[found++] = one_row(first + capped(camp->kept, CHURN_STONES));
    first += 2 * (CHURN_STONES + 1);
    rows[found++] = one_row(first + capped(camp->passing, CHURN_STONES));
    return found;
}

/* Find the rows of a position of Churn; the side to move has its own stones. Return how many they
 * are, at most MOST_ROWS. */
static inline int find_churn_rows(const Board *board, Cells own, Cells enemy, Row *rows) {
    ChurnCamp camps[2];
    Cells empty = without(board->all, either(own, enemy));
    see_churn_camp(board, own, empty, &camps[0]);
    see_churn_camp(board, enemy, empty, &camps[1]);
    int found = churn_cell_rows(board, empty, camps, rows);
    for (int side = 0; side < 2; side++) {
        found += churn_camp_rows(&camps[side], side, rows + found);
    }
    rows[found++] = one_row(row_of(CHURN_APART_ROWS, camps[0].apart, camps[1].apart, CHURN_APART));
    rows[found++] = one_row(
        row_of(CHURN_FORMED_ROWS, camps[0].smallest, camps[1].smallest, CHURN_SMALLEST));
    rows[found++] =
        one_row(row_of(CHURN_LARGEST_ROWS, camps[0].largest, camps[1].largest, CHURN_SMALLEST));
    rows[found++] = one_row(CHURN_EMPTY_ROWS + capped(number_of(empty), CHURN_STONES));
    return found;
}

/* Return 0..1: how likely the side that has its own stones, and is to move, is to win. */
static inline double churn_likelihood(const Board *board, Cells own, Cells enemy,
                                      const ChurnNet *net) {
    Row rows[MOST_ROWS];
    Sums sums[WIDTH / LANES];
    add_rows(net->row, rows, find_churn_rows(board, own, enemy, rows), sums);
    return through_layers(&net->layers, sums);
}

/* Return how likely the side to move in a position that goes on is to win, as far as placements by
 * chance and a net can tell, and add to `steps` how many stones were placed. */
static inline double churn_glimpse(const Board *board, Chance *chance, const Stance *from,
                                   const ChurnNet *net, long *steps) {
    ChurnWay way = churn_way(board, from);
    *steps += churn_stroll(board, chance, &way, board->count);
    if (is_empty(way.empty)) {
        return churn_lead(&way);
    }
    int mover = way.mover;
    double value = churn_likelihood(board, way.camp[mover].own, way.camp[!mover].own, net);
    return mover ? 1 - value : value;
}

#endif
