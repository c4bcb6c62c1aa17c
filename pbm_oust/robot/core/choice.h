/* A cell of a set, chosen by chance. */

#ifndef PBM_OUST_CHOICE_H
#define PBM_OUST_CHOICE_H

#include "cells.h"
#include "chance.h"

/* Up to this many cells are counted; among more, cells are drawn until one is in the set. */
#define FEW 8

/* Return a cell of a set that is not empty, each equally likely. */
static inline int choose(Chance *chance, const Board *board, Cells some) {
    if (chance->picks_lowest) {
        return lowest(some);
    }
    int number = number_of(some);
    if (number <= FEW) {
        return number == 1 ? lowest(some) : cell_after(some, number_below(chance, number));
    }
    for (;;) {
        int cell = number_below(chance, board->count);
        if (has_cell(&some, cell)) {
            return cell;
        }
    }
}

#endif
