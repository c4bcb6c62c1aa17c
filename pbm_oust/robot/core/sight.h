/* Oust: the groups of both sides, and all that either side could take. */

#ifndef PBM_OUST_SIGHT_H
#define PBM_OUST_SIGHT_H

#include "core.h"
#include "stance.h"

#include <string.h>

typedef struct {
    Cells stones;
    /* The cells that touch its stones. */
    Cells beside;
    int groups;
    struct {
        Cells stones, around;
        /* The numbers of the enemy groups that it touches. */
        Cells foes;
        /* How many stones it has, and the largest of those enemy groups. */
        int size, strongest;
    } group[CELLS];
    /* The number of stones in its largest group. */
    int largest;
    /* The placements that take enemy stones, and how many each of them takes. */
    Cells captures;
    int taken[CELLS];
    /* The numbers of its groups that the enemy could take with one placement. */
    Cells doomed;
    /* The most stones that it can take with one placement. */
    int most;
} OustCamp;

typedef struct {
    OustCamp camp[2];
    Cells empty;
    /* The number of the group that the stone on a cell belongs to, and 256 more for one of o. */
    uint16_t mark[CELLS];
    /* How many empty cells touch stones, and what a stone of x and of o could be on each. */
    int edges;
    uint8_t options[CELLS][2];
} Sight;

#define NO_STONE UINT16_MAX

static inline void see_groups(const Board *board, OustCamp *camp, Cells stones, uint16_t *mark,
                              int more) {
    Cells left = stones;
    camp->stones = stones;
    camp->beside = no_cells();
    camp->groups = camp->largest = 0;
    while (!is_empty(left)) {
        int nth = camp->groups++, size = 0;
        Cells edge = only(take_lowest(&left)), found = edge, around = no_cells();
        while (!is_empty(edge)) {
            int cell = take_lowest(&edge);
            Cells fresh = both(board->around[cell], left);
            mark[cell] = (uint16_t)(nth + more);
            size++;
            around = either(around, board->around[cell]);
            left = without(left, fresh);
            edge = either(edge, fresh);
            found = either(found, fresh);
        }
        camp->group[nth].size = size;
        camp->group[nth].stones = found;
        camp->group[nth].around = around;
        camp->group[nth].foes = no_cells();
        camp->group[nth].strongest = 0;
        camp->beside = either(camp->beside, around);
        camp->largest = size > camp->largest ? size : camp->largest;
    }
}

/* Find the groups of both sides that touch a cell, each once, and how many they are. */
static inline void find_touching(const Board *board, const Sight *sight, int cell, int *number,
                                 uint8_t groups[2][MOST_NEIGHBOURS]) {
    for (int side = 0; side < 2; side++) {
        const OustCamp *camp = &sight->camp[side];
        Cells beside = both(board->around[cell], camp->stones);
        number[side] = 0;
        while (!is_empty(beside)) {
            int group = sight->mark[lowest(beside)] & 255;
            groups[side][number[side]++] = (uint8_t)group;
            beside = without(beside, camp->group[group].stones);
        }
    }
}

static inline int capped(int number, int most) {
    return number < most ? number : most;
}

/* Return what a stone on an empty cell could be that would form a group of so many stones, take so
 * many, and meet enemy groups of which the largest has `foe`. */
static inline uint8_t option_of(int formed, int foe, int taken) {
    static const uint8_t sizes[] = {0, 0, 0, 1, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 5, 6};
    static const uint8_t captures[] = {0, 4, 5, 6, 6, 7};
    int meeting = foe == 0 ? 0 : foe < formed ? captures[capped(taken, 5)] : 1 + capped(foe - formed, 2);
    return (uint8_t)(1 + MEETINGS * sizes[capped(formed, 15)] + meeting);
}

/* Return how many stones a side takes on an empty cell that touches these groups, of which `joins`
 * are its own, or 0 if it may not place there or takes none. Note which groups it could take, and
 * what its stone would be. */
static inline int number_taken(const OustCamp *own, OustCamp *enemy, int joins,
                               const uint8_t *joined, int meets, const uint8_t *met,
                               uint8_t *option) {
    int size = 1, strongest = 0, number = 0;
    Cells foes = no_cells();
    *option = 0;
    if (joins == 0) {
        return 0;
    }
    for (int nth = 0; nth < joins; nth++) {
        int largest = own->group[joined[nth]].strongest;
        size += own->group[joined[nth]].size;
        foes = either(foes, own->group[joined[nth]].foes);
        strongest = largest > strongest ? largest : strongest;
    }
    for (int nth = 0; nth < meets; nth++) {
        int foe = enemy->group[met[nth]].size;
        strongest = foe > strongest ? foe : strongest;
        add_cell(&foes, met[nth]);
    }
    if (strongest < size) {
        enemy->doomed = either(enemy->doomed, foes);
        while (!is_empty(foes)) {
            number += enemy->group[take_lowest(&foes)].size;
        }
    }
    *option = option_of(size, strongest, number);
    return number;
}

static inline void see_captures(const Board *board, Sight *sight) {
    Cells cells = both(either(sight->camp[0].beside, sight->camp[1].beside), sight->empty);
    Cells captures[2] = {no_cells(), no_cells()};
    sight->edges = 0;
    for (int side = 0; side < 2; side++) {
        sight->camp[side].most = 0;
        sight->camp[side].doomed = no_cells();
    }
    while (!is_empty(cells)) {
        int cell = take_lowest(&cells), number[2];
        uint8_t groups[2][MOST_NEIGHBOURS], *options = sight->options[sight->edges++];
        find_touching(board, sight, cell, number, groups);
        for (int side = 0; side < 2; side++) {
            OustCamp *own = &sight->camp[side], *enemy = &sight->camp[!side];
            int taken = number_taken(own, enemy, number[side], groups[side], number[!side],
                                     groups[!side], &options[side]);
            if (taken) {
                add_cell(&captures[side], cell);
                own->taken[cell] = taken;
                own->most = taken > own->most ? taken : own->most;
            }
        }
    }
    sight->camp[0].captures = captures[0];
    sight->camp[1].captures = captures[1];
}

/* See all that there is in a position with these stones of x and o. */
static inline void see(const Board *board, const Cells *stones, Sight *sight) {
    OustCamp *x = &sight->camp[0], *o = &sight->camp[1];
    sight->empty = without(board->all, either(stones[0], stones[1]));
    memset(sight->mark, -1, (size_t)board->count * sizeof *sight->mark);
    see_groups(board, x, stones[0], sight->mark, 0);
    see_groups(board, o, stones[1], sight->mark, 256);
    for (int nth = 0; nth < x->groups; nth++) {
        Cells beside = both(x->group[nth].around, o->stones), foes = no_cells();
        while (!is_empty(beside)) {
            int foe = sight->mark[lowest(beside)] & 255;
            int size = x->group[nth].size, others = o->group[foe].size;
            beside = without(beside, o->group[foe].stones);
            add_cell(&foes, foe);
            add_cell(&o->group[foe].foes, nth);
            if (others > x->group[nth].strongest) {
                x->group[nth].strongest = others;
            }
            if (size > o->group[foe].strongest) {
                o->group[foe].strongest = size;
            }
        }
        x->group[nth].foes = foes;
    }
    see_captures(board, sight);
}

/* Return the cells where a side may place without touching a stone of its own. */
static inline Cells apart(const Sight *sight, int side) {
    return without(sight->empty, sight->camp[side].beside);
}

static inline int may_place(const Sight *sight, int side) {
    return !is_empty(sight->camp[side].captures) || !is_empty(apart(sight, side));
}

static inline Cells oust_placements(const Sight *sight, int side) {
    return either(sight->camp[side].captures, apart(sight, side));
}

/* Return the cells that touch the group which a stone of a side on a cell would form. */
static inline Cells around_formed(const Board *board, const Sight *sight, int side, int cell) {
    Cells found = board->around[cell];
    int number[2];
    uint8_t groups[2][MOST_NEIGHBOURS];
    find_touching(board, sight, cell, number, groups);
    for (int nth = 0; nth < number[side]; nth++) {
        found = either(found, sight->camp[side].group[groups[side][nth]].around);
    }
    return found;
}

#endif
