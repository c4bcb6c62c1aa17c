/* The eye for Oust: what the enemy could take after a placement. */

#ifndef PBM_OUST_EYE_H
#define PBM_OUST_EYE_H

#include "sight.h"

/* Cells, and how many stones the enemy could take at most after a single stone on one of them. */
typedef struct {
    Cells cells;
    int most;
} Risk;

/* Return the cells where a stone can be taken by a stone that could not be placed before. */
static inline Cells inviting(const Board *board, const Sight *sight, int side) {
    const OustCamp *own = &sight->camp[side], *enemy = &sight->camp[!side];
    Cells clear = without(sight->empty, either(own->beside, enemy->met));
    /* An enemy stone there would join a group that touches none of ours, and touch the one beside it. */
    Cells found = neighbours(board, both(enemy->beside, clear));
    for (int nth = 0; nth < enemy->groups; nth++) {
        Cells around = enemy->group[nth].around, joins = both(around, clear);
        if (!is_empty(joins)) {
            Cells rest = joins;
            (void)take_lowest(&rest);
            found = either(found, is_empty(rest) ? without(around, joins) : around);
        }
    }
    return found;
}

/* Find up to three sets of cells and their risks; the cells of one are those in none before it. */
static inline int find_risks(const Board *board, const Sight *sight, int side, Risk *risks) {
    const OustCamp *enemy = &sight->camp[!side];
    if (is_empty(enemy->captures)) {
        risks[0] = (Risk){inviting(board, sight, side), 1};
        risks[1] = (Risk){board->all, 0};
        return 2;
    }
    Cells left = enemy->captures, one_more = no_cells();
    int tops = 0, first = 0, number = 0;
    while (!is_empty(left)) {
        int cell = take_lowest(&left);
        if (enemy->taken[cell] == enemy->most) {
            Cells around = formed_at(board, enemy, cell).around;
            drop_cell(&around, cell);
            one_more = either(one_more, around);
            first = cell;
            tops++;
        }
    }
    if (tops == 1) {
        /* A stone on the one cell of the largest capture leaves the others. */
        int others = 0;
        left = enemy->captures;
        drop_cell(&left, first);
        if (is_empty(left)) {
            Cells calls = inviting(board, sight, side);
            others = has_cell(&calls, first);
        }
        while (!is_empty(left)) {
            int cell = take_lowest(&left);
            Cells around = formed_at(board, enemy, cell).around;
            int taken = enemy->taken[cell] + has_cell(&around, first);
            others = taken > others ? taken : others;
        }
        risks[number++] = (Risk){only(first), others};
    }
    risks[number++] = (Risk){one_more, enemy->most + 1};
    risks[number++] = (Risk){board->all, enemy->most};
    return number;
}

#endif
