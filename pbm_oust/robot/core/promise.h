/* How promising the placements of a position of Oust look, as a net has it.
 *
 * What is seen of a placement picks two figures of a table. By their sum, placements have a few grades,
 * and look less promising by the same factor from each grade to the next. So many placements look
 * alike, and all is counted in whole numbers up to there. */

#ifndef PBM_OUST_PROMISE_H
#define PBM_OUST_PROMISE_H

#include "eye.h"
#include "value.h"

#include <limits.h>

/* Cells that nothing tells apart, and the figures that a placement on any of them picks. */
typedef struct {
    Cells cells;
    uint16_t sign[2];
} Promise;

/* No position has more of them: each has a cell of its own. */
#define MOST_PROMISES CELLS

/* Return the class of a stone that takes nothing: whether the enemy, who can take `most` stones
 * before it, can take more then, as many, or how many fewer. */
static inline int class_of_risk(int most, int risk) {
    static const uint8_t classes[] = {0, 1, 2, 3, 4, 4, 5};
    return classes[capped(most + 1 - risk, 6)];
}

/* Return the class of a placement that takes so many of the stones of the enemy. */
static inline int class_of_capture(int taken, int stones) {
    static const uint8_t classes[] = {0, 0, 1, 2, 3, 4, 4, 5, 5, 5, 6};
    return STAKES - 8 + (taken == stones ? 7 : classes[capped(taken, 10)]);
}

/* Find the placements of a side. Return how many sets of cells they are. */
static inline int find_promises(const Board *board, const Sight *sight, int side,
                                Promise *promises) {
    const OustCamp *own = &sight->camp[side], *enemy = &sight->camp[!side];
    int danger = STAKE_SIGNS + STAKES * capped(enemy->most, MOST_DANGER);
    int stones = number_of(enemy->stones), found = 0;
    Risk risks[3];
    int sets = find_risks(board, sight, side, risks);
    for (int nth = 0; nth < sight->spots; nth++) {
        Cells cells = sight->spot[nth].cells;
        const uint8_t *options = sight->spot[nth].options;
        uint16_t pair = row_of(PAIR_SIGNS, options[side], options[!side], OPTIONS - 1);
        if (options[side] == 0) {
            for (int set = 0; set < sets; set++) {
                Cells same = both(cells, risks[set].cells);
                int stake = danger + class_of_risk(enemy->most, risks[set].most);
                if (!is_empty(same)) {
                    promises[found++] = (Promise){same, {pair, (uint16_t)stake}};
                    cells = without(cells, same);
                }
            }
        } else if (!is_empty(both(cells, own->captures))) {
            int stake = danger + class_of_capture(own->taken[lowest(cells)], stones);
            promises[found++] = (Promise){cells, {pair, (uint16_t)stake}};
        }
    }
    return found;
}

static inline int sum_of(const Net *net, const Promise *promise) {
    return net->sign[promise->sign[0]] + net->sign[promise->sign[1]];
}

/* Find the placements of a side, the most promising last, in a set for each grade. Their promises add
 * up to 1. Return how many sets there are. */
static inline int oust_priors(const Board *board, const Sight *sight, int side, const Net *net,
                              Alike *alike) {
    /* Each grade looks 0.7 times as promising as the one above. Searches of 1,000 looks say a factor
     * of 0.6; longer ones miss less if priors are softer. */
    static const double softening = 0.7;
    Promise promises[MOST_PROMISES];
    Alike graded[GRADES];
    int sums[MOST_PROMISES], number = find_promises(board, sight, side, promises);
    int best = INT_MIN, sets = 0;
    double weight = 1, total = 0;
    for (int grade = 0; grade < GRADES; grade++, weight *= softening) {
        graded[grade] = (Alike){weight, no_cells()};
    }
    for (int nth = 0; nth < number; nth++) {
        sums[nth] = sum_of(net, &promises[nth]);
        best = sums[nth] > best ? sums[nth] : best;
    }
    for (int nth = 0; nth < number; nth++) {
        Alike *same = &graded[capped((best - sums[nth]) / STEP, GRADES - 1)];
        same->cells = either(same->cells, promises[nth].cells);
    }
    for (int grade = GRADES - 1; grade >= 0; grade--) {
        if (!is_empty(graded[grade].cells)) {
            total += graded[grade].prior * number_of(graded[grade].cells);
            alike[sets++] = graded[grade];
        }
    }
    for (int nth = 0; nth < sets; nth++) {
        alike[nth].prior /= total;
    }
    return sets;
}

#endif
