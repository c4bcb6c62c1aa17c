#include "lattice.h"

static int has_bit(const uint8_t *cells, size_t length, long bit) {
    return bit >= 0 && (size_t)bit < 8 * length && (cells[bit / 8] >> (bit % 8) & 1);
}

int make_lattice(Lattice *lattice, const uint8_t *cells, size_t length, int stride, int slant) {
    int16_t number[MOST_BITS];
    if (8 * length > MOST_BITS || stride < 2 || slant < stride) {
        return 0;
    }
    lattice->count = 0;
    for (long bit = 0; bit < (long)(8 * length); bit++) {
        if (has_bit(cells, length, bit)) {
            if (lattice->count == MOST_CELLS) {
                return 0;
            }
            number[bit] = (int16_t)lattice->count;
            lattice->bit[lattice->count++] = (uint16_t)bit;
        }
    }
    int shifts[MOST_NEIGHBOURS] = {1, -1, stride, -stride, slant, -slant};
    int directions = slant == stride ? 4 : 6, are_joined = lattice->count > 0;
    for (int cell = 0; cell < lattice->count; cell++) {
        lattice->degree[cell] = 0;
        for (int nth = 0; nth < directions; nth++) {
            long bit = (long)lattice->bit[cell] + shifts[nth];
            if (has_bit(cells, length, bit)) {
                lattice->around[cell][lattice->degree[cell]++] = (uint8_t)number[bit];
            }
        }
        are_joined &= lattice->degree[cell] > 0 || lattice->count == 1;
    }
    return are_joined;
}
