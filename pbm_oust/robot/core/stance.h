/* A position of any game: the stones of both sides, and who is to move. */

#ifndef PBM_OUST_STANCE_H
#define PBM_OUST_STANCE_H

#include "cells.h"
#include "core.h"

/* Results, as what they are worth to a side: in halves of a win. */
enum { UNKNOWN = -1, LOST = 0, DRAWN = 1, WON = 2 };

typedef struct {
    /* The stones of x and of o. */
    Cells stones[2];
    int to_move;
    int is_mid_turn;
    /* What the result is worth to the side to move; UNKNOWN if the game goes on. */
    int result;
} Stance;

/* Return a number, or the most that is told apart. */
static inline int capped(int number, int most) {
    return number < most ? number : most;
}

/* The placements of a position form so many sets of cells that look alike at most. */
#define MOST_SETS GRADES

/* Cells that look alike. */
typedef struct {
    /* How promising a placement on any of them looks. */
    double prior;
    Cells cells;
} Alike;

#endif
