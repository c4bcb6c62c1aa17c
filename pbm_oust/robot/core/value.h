/* The value of a position of Oust: how likely the side to move is to win, as a net has it.
 *
 * All that is seen on the board picks rows of a table, and their sum goes through two layers. So one
 * net serves all boards of a lattice. It counts in whole numbers, which are the same everywhere. */

#ifndef PBM_OUST_VALUE_H
#define PBM_OUST_VALUE_H

#include "layers.h"
#include "sight.h"

/* Find the rows of a position for the side to move, but for those of cells that touch no stone, which
 * are the first row each. Return how many they are. */
static inline int find_rows(const Board *board, const Sight *sight, int side, uint16_t *rows) {
    const OustCamp *own = &sight->camp[side], *enemy = &sight->camp[!side];
    int found = 0;
    for (int nth = 0; nth < sight->edges; nth++) {
        const uint8_t *options = sight->options[nth];
        rows[found++] = row_of(CELL_ROWS, options[side], options[!side], OPTIONS - 1);
    }
    for (int is_enemy = 0; is_enemy < 2; is_enemy++) {
        const OustCamp *camp = is_enemy ? enemy : own;
        for (int nth = 1; nth <= camp->groups; nth++) {
            int size = MOST_SIZE * is_enemy + capped(camp->size[nth], MOST_SIZE) - 1;
            int foe = capped(camp->strongest[nth], MOST_FOE);
            int row = (MOST_FOE + 1) * size + foe;
            rows[found++] = (uint16_t)(GROUP_ROWS + 2 * row + has_cell(&camp->doomed, nth));
        }
    }
    rows[found++] = row_of(LARGEST_ROWS, own->largest, enemy->largest, MOST_LARGEST);
    rows[found++] = row_of(CAPTURE_ROWS, own->most, enemy->most, MOST_CAPTURE);
    rows[found++] = row_of(STONE_ROWS, 0, number_of(own->stones), MOST_STONES);
    rows[found++] = row_of(STONE_ROWS, 1, number_of(enemy->stones), MOST_STONES);
    rows[found++] = (uint16_t)(BOARD_ROWS + board->count / 8);
    return found;
}

/* Return how many empty cells touch no stone. */
static inline int free_cells(const Sight *sight) {
    return number_of(sight->empty) - sight->edges;
}

/* Return 0..1: how likely a side that is to move is to win. */
static inline double likelihood(const Board *board, const Sight *sight, int side, const Net *net) {
    uint16_t rows[MOST_ROWS];
    int16_t sums[WIDTH];
    int found = find_rows(board, sight, side, rows), free = free_cells(sight);
    for (int each = 0; each < WIDTH; each++) {
        sums[each] = (int16_t)(free * net->row[CELL_ROWS][each]);
    }
    add_rows(net->row, rows, found, sums);
    return through_layers(&net->layers, sums);
}

#endif
