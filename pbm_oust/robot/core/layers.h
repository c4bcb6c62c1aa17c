/* The layers of a net, through which the sum of its rows goes. It counts in whole numbers, which are
 * the same everywhere. */

#ifndef PBM_OUST_LAYERS_H
#define PBM_OUST_LAYERS_H

#include "core.h"
#include "stance.h"

#include <math.h>
#include <string.h>

/* Return the row for two figures, which count up to some most. */
static inline uint16_t row_of(int first, int one, int other, int most) {
    return (uint16_t)(first + (most + 1) * capped(one, most) + capped(other, most));
}

/* A row of a table, and how many things pick it. */
typedef struct {
    uint16_t number, times;
} Row;

/* Return a row that one thing picks. */
static inline Row one_row(int number) {
    Row row = {(uint16_t)number, 1};
    return row;
}

/* How many figures are added at once. */
#define LANES 8

typedef int8_t Figures __attribute__((vector_size(LANES)));
typedef int16_t Sums __attribute__((vector_size(2 * LANES)));

/* Find the sums of rows of a table. */
static inline void add_rows(const int8_t (*table)[WIDTH], const Row *rows, int count, Sums *sums) {
    for (int part = 0; part < WIDTH / LANES; part++) {
        Sums sum = {0};
        for (int nth = 0; nth < count; nth++) {
            Figures figures;
            memcpy(&figures, &table[rows[nth].number][LANES * part], sizeof figures);
            sum += (int16_t)rows[nth].times * __builtin_convertvector(figures, Sums);
        }
        sums[part] = sum;
    }
}

/* Return 0..1: how likely a side is to win, as layers say of a sum of rows. */
static inline double through_layers(const Layers *layers, const Sums *sums) {
    int32_t score = 64 * layers->last;
    for (int nth = 0; nth < INNER; nth++) {
        int32_t sum = 64 * layers->bias[nth];
        for (int each = 0; each < WIDTH; each++) {
            int16_t from = sums[each / LANES][each % LANES];
            sum += (from > 0 ? from : 0) * layers->inner[nth][each];
        }
        score += (sum > 0 ? sum / 64 : 0) * layers->outer[nth];
    }
    return 1 / (1 + exp(-score / 4096.0));
}

#endif
