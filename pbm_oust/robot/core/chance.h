/* Numbers by chance: a generator by Blackman and Vigna (xoroshiro128+), fast and good enough for
 * games. */

#ifndef PBM_OUST_CHANCE_H
#define PBM_OUST_CHANCE_H

#include <stdint.h>

typedef struct {
    uint64_t state[2];
    /* Whether the lowest of several is always chosen, and nothing by chance. */
    int picks_lowest;
} Chance;

static inline void seed_chance(Chance *chance, uint64_t seed, int picks_lowest) {
    for (int nth = 0; nth < 2; nth++) {
        uint64_t mixed = seed += 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
        chance->state[nth] = mixed ^ mixed >> 31;
    }
    chance->picks_lowest = picks_lowest;
}

static inline uint64_t turned(uint64_t word, int by) {
    return word << by | word >> (64 - by);
}

/* Return a number from 0 to `below` - 1; `below` is at least 1 and small. */
static inline int number_below(Chance *chance, int below) {
    uint64_t first = chance->state[0], second = chance->state[1], sum = first + second;
    second ^= first;
    chance->state[0] = turned(first, 24) ^ second ^ second << 16;
    chance->state[1] = turned(second, 37);
    return (int)((sum >> 32) * (uint64_t)below >> 32);
}

#endif
