/* The layers of a net, through which the sum of its rows goes. It counts in whole numbers, which are
 * the same everywhere. */

#ifndef PBM_OUST_LAYERS_H
#define PBM_OUST_LAYERS_H

#include "core.h"
#include "stance.h"

#include <math.h>

/* Return the row for two figures, which count up to some most. */
static inline uint16_t row_of(int first, int one, int other, int most) {
    return (uint16_t)(first + (most + 1) * capped(one, most) + capped(other, most));
}

/* Add rows of a table to sums. */
static inline void add_rows(const int8_t (*table)[WIDTH], const uint16_t *rows, int count,
                            int16_t *sums) {
    for (int nth = 0; nth < count; nth++) {
        for (int each = 0; each < WIDTH; each++) {
            sums[each] = (int16_t)(sums[each] + table[rows[nth]][each]);
        }
    }
}

/* Return 0..1: how likely a side is to win, as layers say of a sum of rows. */
static inline double through_layers(const Layers *layers, const int16_t *sums) {
    int32_t score = 64 * layers->last;
    for (int nth = 0; nth < INNER; nth++) {
        int32_t sum = 64 * layers->bias[nth];
        for (int each = 0; each < WIDTH; each++) {
            sum += (sums[each] > 0 ? sums[each] : 0) * layers->inner[nth][each];
        }
        score += (sum > 0 ? sum / 64 : 0) * layers->outer[nth];
    }
    return 1 / (1 + exp(-score / 4096.0));
}

#endif
