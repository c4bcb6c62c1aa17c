/* The cells of a board, numbered from 0, and which of them touch. */

#ifndef PBM_OUST_LATTICE_H
#define PBM_OUST_LATTICE_H

#include <stddef.h>
#include <stdint.h>

#define MOST_CELLS 256
#define MOST_NEIGHBOURS 6
#define MOST_BITS 1024

typedef struct {
    int count;
    /* The bit of each cell in sets as `Grid` lays them out. */
    uint16_t bit[MOST_CELLS];
    uint8_t degree[MOST_CELLS];
    uint8_t around[MOST_CELLS][MOST_NEIGHBOURS];
} Lattice;

/* Number the cells of a grid. `cells` holds the bits of `length` bytes, the lowest first, and the
 * other two figures are those of `Grid`. Returns 0 if there are no cells or too many of
 * them, or if a cell touches no other one. */
int make_lattice(Lattice *lattice, const uint8_t *cells, size_t length, int stride, int slant);

#endif
