/* The eye for Oust: which placements look promising to the side to move. */

#ifndef PBM_OUST_EYE_H
#define PBM_OUST_EYE_H

#include "sight.h"

#include <math.h>

/* Cells, and how many stones the enemy could take at most after a single stone on one of them. */
typedef struct {
    Cells cells;
    int most;
} Risk;

/* Return the cells where a stone can be taken by a stone that could not be placed before. */
static inline Cells inviting(const Board *board, const Sight *sight, int side) {
    const OustCamp *own = &sight->camp[side], *enemy = &sight->camp[!side];
    Cells unmet = no_cells(), found = no_cells();
    for (int nth = 1; nth <= enemy->groups; nth++) {
        if (is_empty(both(enemy->group[nth].around, own->stones))) {
            unmet = either(unmet, enemy->group[nth].stones);
        }
    }
    Cells clear = without(sight->empty, own->beside);
    clear = without(clear, neighbours(board, without(enemy->stones, unmet)));
    for (int nth = 1; nth <= enemy->groups; nth++) {
        Cells around = enemy->group[nth].around, joins = both(around, clear);
        if (is_empty(joins) || !is_empty(both(around, own->stones))) {
            continue;
        }
        /* The enemy stone would join this group, and touch ours. */
        found = either(found, neighbours(board, joins));
        Cells rest = joins;
        (void)take_lowest(&rest);
        found = either(found, is_empty(rest) ? without(around, joins) : around);
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
            Cells around = around_formed(board, sight, !side, cell);
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
            Cells around = around_formed(board, sight, !side, cell);
            int taken = enemy->taken[cell] + has_cell(&around, first);
            others = taken > others ? taken : others;
        }
        risks[number++] = (Risk){only(first), others};
    }
    risks[number++] = (Risk){one_more, enemy->most + 1};
    risks[number++] = (Risk){board->all, enemy->most};
    return number;
}

/* Sort sets of cells with their weights by these, the largest last, make them add up to 1 for all
 * cells together, and return how many sets have cells. */
static inline int rank(Alike *alike, int number) {
    double total = 0;
    int kept = 0;
    for (int nth = 0; nth < number; nth++) {
        total += alike[nth].prior * number_of(alike[nth].cells);
    }
    for (int nth = 0; nth < number; nth++) {
        if (is_empty(alike[nth].cells)) {
            continue;
        }
        Alike each = {alike[nth].prior / total, alike[nth].cells};
        int place = kept++;
        while (place > 0 && (alike[place - 1].prior > each.prior ||
                             (alike[place - 1].prior == each.prior &&
                              is_larger(alike[place - 1].cells, each.cells)))) {
            alike[place] = alike[place - 1];
            place--;
        }
        alike[place] = each;
    }
    return kept;
}

/* Find the placements of a side, the most promising last. Return how many sets they form. */
static inline int oust_priors(const Board *board, const Sight *sight, int side, Alike *alike) {
    const OustCamp *own = &sight->camp[side];
    Cells left = own->captures, single = apart(sight, side);
    Risk risks[3];
    int number = 0, place_of[CELLS + 1];
    memset(place_of, -1, sizeof place_of);
    while (!is_empty(left)) {
        int cell = take_lowest(&left), taken = own->taken[cell];
        if (place_of[taken] < 0) {
            place_of[taken] = number;
            alike[number++] = (Alike){3.0 + 3.0 * taken, no_cells()};
        }
        add_cell(&alike[place_of[taken]].cells, cell);
    }
    int sets = find_risks(board, sight, side, risks);
    for (int nth = 0; nth < sets; nth++) {
        alike[number++] = (Alike){exp(-risks[nth].most), both(single, risks[nth].cells)};
        single = without(single, risks[nth].cells);
    }
    return rank(alike, number);
}

#endif
