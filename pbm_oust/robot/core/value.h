/* The value of a position of Oust: how likely the side to move is to win, as a net has it.
 *
 * All that is seen on the board picks rows of a table, and their sum goes through two layers. So one
 * net serves all boards of a lattice. It counts in whole numbers, which are the same everywhere. */

#ifndef PBM_OUST_VALUE_H
#define PBM_OUST_VALUE_H

#include "layers.h"
#include "sight.h"

/* Find the rows of a position for the side to move. Return how many they are. */
static inline int find_rows(const Board *board, const Sight *sight, int side, Row *rows) {
    const OustCamp *own = &sight->camp[side], *enemy = &sight->camp[!side];
    int found = 0;
    for (int nth = 0; nth < sight->spots; nth++) {
        const Spot *spot = &sight->spot[nth];
        uint16_t row = row_of(CELL_ROWS, spot->options[side], spot->options[!side], OPTIONS - 1);
        rows[found++] = (Row){row, (uint16_t)number_of(spot->cells)};
    }
    for (int is_enemy = 0; is_enemy < 2; is_enemy++) {
        const OustCamp *camp = is_enemy ? enemy : own;
        for (int nth = 0; nth < camp->groups; nth++) {
            const Group *group = &camp->group[nth];
            int size = MOST_SIZE * is_enemy + capped(group->size, MOST_SIZE) - 1;
            int foe = capped(camp->strongest[nth], MOST_FOE);
            int is_doomed = !is_empty(both(group->stones, camp->doomed));
            int row = 2 * ((MOST_FOE + 1) * size + foe) + is_doomed;
            rows[found++] = one_row(GROUP_ROWS + row);
        }
    }
    rows[found++] = one_row(row_of(LARGEST_ROWS, own->largest, enemy->largest, MOST_LARGEST));
    rows[found++] = one_row(row_of(CAPTURE_ROWS, own->most, enemy->most, MOST_CAPTURE));
    rows[found++] = one_row(row_of(STONE_ROWS, 0, number_of(own->stones), MOST_STONES));
    rows[found++] = one_row(row_of(STONE_ROWS, 1, number_of(enemy->stones), MOST_STONES));
    rows[found++] = one_row(BOARD_ROWS + board->count / 8);
    return found;
}

/* Return 0..1: how likely a side that is to move is to win. */
static inline double likelihood(const Board *board, const Sight *sight, int side, const Net *net) {
    Row rows[MOST_ROWS];
    Sums sums[WIDTH / LANES];
    add_rows(net->row, rows, find_rows(board, sight, side, rows), sums);
    return through_layers(&net->layers, sums);
}

#endif
