/* Who wins Oust on a small board, and with which first stones: a solver of its own.
 *
 * It shares no code with the program: it tries every placement, captures first, and keeps in a table
 * what positions are worth to the side to move. Standard input has the number of cells, at most 32,
 * and then for each cell the number of its neighbours and these. It prints the worth of the empty
 * board to the first player, 1, 0 or -1, and the first stones that win, by the numbers of their cells.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BITS = 24 };

static int cells;
static uint32_t beside[32];
static struct { uint64_t key; int8_t worth; } *table;

static uint32_t around(uint32_t some) {
    uint32_t found = 0;
    for (int cell = 0; cell < cells; cell++)
        if (some >> cell & 1) found |= beside[cell];
    return found;
}

static uint32_t group_of(uint32_t some, uint32_t among) {
    for (;;) {
        uint32_t more = (some | around(some)) & among;
        if (more == some) return some;
        some = more;
    }
}

/* Says whether a stone may be placed on a free cell; `taken` are the stones that it takes. */
static int places(int cell, uint32_t own, uint32_t enemy, uint32_t *taken) {
    uint32_t stone = 1u << cell;
    *taken = 0;
    if (!(beside[cell] & own)) return 1;
    uint32_t group = group_of(stone, own | stone), left = around(group) & enemy;
    while (left) {
        uint32_t other = group_of(left & -left, enemy);
        if (__builtin_popcount(other) >= __builtin_popcount(group)) return 0;
        *taken |= other;
        left &= ~other;
    }
    return *taken != 0;
}

static int may_place(uint32_t own, uint32_t enemy) {
    uint32_t taken;
    for (int cell = 0; cell < cells; cell++)
        if (!((own | enemy) >> cell & 1) && places(cell, own, enemy, &taken)) return 1;
    return 0;
}

/* What a position is worth to the side with the stones `own`, which is to move. */
static int worth_of(uint32_t own, uint32_t enemy) {
    uint64_t key = (uint64_t)own << 32 | enemy;
    uint64_t place = (key * 0x9E3779B97F4A7C15u) >> (64 - BITS);
    if (table[place].key == key + 1) return table[place].worth;
    int best = -2;
    for (int captures = 1; captures >= 0 && best < 1; captures--)
        for (int cell = 0; cell < cells && best < 1; cell++) {
            uint32_t taken, stone = 1u << cell;
            if ((own | enemy) & stone || !places(cell, own, enemy, &taken)) continue;
            if (captures != (taken != 0)) continue;
            int worth = !taken          ? -worth_of(enemy, own | stone)
                        : taken == enemy ? 1
                                         : worth_of(own | stone, enemy & ~taken);
            if (worth > best) best = worth;
        }
    if (best == -2) best = may_place(enemy, own) ? -worth_of(enemy, own) : 0;
    table[place].key = key + 1;
    table[place].worth = (int8_t)best;
    return best;
}

int main(void) {
    if (scanf("%d", &cells) != 1 || cells < 1 || cells > 32) return 1;
    for (int cell = 0; cell < cells; cell++) {
        int count, other;
        if (scanf("%d", &count) != 1) return 1;
        while (count--) {
            if (scanf("%d", &other) != 1 || other < 0 || other >= cells) return 1;
            beside[cell] |= 1u << other;
        }
    }
    table = calloc((size_t)1 << BITS, sizeof *table);
    if (!table) return 1;
    printf("%d", worth_of(0, 0));
    for (int cell = 0; cell < cells; cell++)
        if (worth_of(0, 1u << cell) == -1) printf(" %d", cell);
    printf("\n");
    free(table);
    return 0;
}
