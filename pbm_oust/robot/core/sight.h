/* Oust: the groups of both sides, and all that either side could take. */

#ifndef PBM_OUST_SIGHT_H
#define PBM_OUST_SIGHT_H

#include "core.h"
#include "stance.h"

#include <string.h>

/* The stones that a side would join on a cell are counted in so many bits, up to 15: `option_of` tells
 * no larger numbers apart. */
#define SUM_BITS 4

typedef struct {
    Cells stones;
    /* The cells that touch its stones. */
    Cells around;
    int size;
} Group;

/* A side and its groups, which are numbered from 0. */
typedef struct {
    Cells stones;
    /* The cells that touch its stones, and those that touch groups which touch enemy stones. */
    Cells beside, met;
    int groups;
    Group group[CELLS];
    /* How many stones the largest enemy group has that each group touches. */
    int strongest[CELLS];
    /* The number of the group that the stone on each cell belongs to. */
    uint8_t mark[CELLS];
    /* How many stones the groups have that touch each cell: the cells that have each bit, the lowest
     * first. */
    Cells sum[SUM_BITS];
    /* The number of stones in its largest group. */
    int largest;
    /* The placements that take enemy stones, and how many each of them takes. */
    Cells captures;
    int taken[CELLS];
    /* Its stones that the enemy could take with one placement. */
    Cells doomed;
    /* The most stones that it can take with one placement. */
    int most;
} OustCamp;

/* Empty cells that nothing tells apart, and what a stone of x and of o could be on each of them. */
typedef struct {
    Cells cells;
    uint8_t options[2];
} Spot;

typedef struct {
    OustCamp camp[2];
    Cells empty;
    int spots;
    Spot spot[CELLS];
} Sight;

static inline int larger(int one, int other) {
    return one > other ? one : other;
}

/* Count the stones of a group on cells that touch it. */
static inline void add_to_sum(Cells *sum, Cells cells, int stones) {
    stones = capped(stones, (1 << SUM_BITS) - 1);
    for (int first = 0; first < SUM_BITS; first++) {
        if (stones >> first & 1) {
            Cells carry = cells;
            for (int bit = first; bit < SUM_BITS; bit++) {
                Cells full = both(sum[bit], carry);
                sum[bit] = without(either(sum[bit], carry), full);
                carry = full;
            }
            for (int bit = 0; bit < SUM_BITS; bit++) {
                sum[bit] = either(sum[bit], carry);
            }
        }
    }
}

/* Find the group of the first of some stones, and let it have a number. Return the stones of other
 * groups. */
static inline Cells add_group(const Board *board, OustCamp *camp, int number, Cells stones) {
    Cells left = stones, edge = only(lowest(stones));
    Group group = {no_cells(), no_cells(), 0};
    while (!is_empty(edge)) {
        left = without(left, edge);
        EACH_CELL(cell, edge) {
            camp->mark[cell] = (uint8_t)number;
            group.around = either(group.around, board->around[cell]);
            group.size++;
        }
        edge = both(group.around, left);
    }
    group.stones = without(stones, left);
    camp->group[number] = group;
    return left;
}

static inline void see_groups(const Board *board, OustCamp *camp, Cells stones) {
    Cells left = stones, beside = no_cells(), sum[SUM_BITS] = {{{0}}};
    camp->stones = stones;
    camp->groups = camp->largest = 0;
    while (!is_empty(left)) {
        const Group *group = &camp->group[camp->groups];
        left = add_group(board, camp, camp->groups, left);
        camp->strongest[camp->groups++] = 0;
        camp->largest = larger(camp->largest, group->size);
        add_to_sum(sum, group->around, group->size);
        beside = either(beside, group->around);
    }
    camp->beside = beside;
    memcpy(camp->sum, sum, sizeof sum);
}

/* Find which groups touch each other. */
static inline void see_foes(const Board *board, OustCamp *x, OustCamp *o) {
    Cells touching = both(x->stones, o->beside);
    x->met = o->met = no_cells();
    EACH_CELL(cell, touching) {
        int group = x->mark[cell];
        Cells foes = both(board->around[cell], o->stones);
        x->met = either(x->met, x->group[group].around);
        while (!is_empty(foes)) {
            int foe = o->mark[take_lowest(&foes)];
            o->met = either(o->met, o->group[foe].around);
            x->strongest[group] = larger(x->strongest[group], o->group[foe].size);
            o->strongest[foe] = larger(o->strongest[foe], x->group[group].size);
        }
    }
}

/* Return what a stone on an empty cell could be that would form a group of so many stones, take so
 * many, and meet enemy groups of which the largest has `foe`. */
static inline uint8_t option_of(int formed, int foe, int taken) {
    static const uint8_t sizes[] = {0, 0, 0, 1, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 5, 6};
    static const uint8_t captures[] = {0, 4, 5, 6, 6, 7};
    int meeting = foe == 0 ? 0 : foe < formed ? captures[capped(taken, 5)] : 1 + capped(foe - formed, 2);
    return (uint8_t)(1 + MEETINGS * sizes[capped(formed, 15)] + meeting);
}

/* Return the group that a stone of a side on an empty cell would form. */
static inline Group formed_at(const Board *board, const OustCamp *own, int cell) {
    Group formed = {only(cell), board->around[cell], 1};
    Cells joined = both(formed.around, own->stones);
    while (!is_empty(joined)) {
        const Group *group = &own->group[own->mark[lowest(joined)]];
        formed.stones = either(formed.stones, group->stones);
        formed.around = either(formed.around, group->around);
        formed.size += group->size;
        joined = without(joined, group->stones);
    }
    return formed;
}

/* The groups of a side that a group of the other one touches: how many stones all of them have, and
 * the largest. */
typedef struct {
    Cells stones;
    int number, strongest;
} Foes;

static inline Foes foes_of(const OustCamp *enemy, const Group *formed) {
    Foes foes = {no_cells(), 0, 0};
    Cells touched = both(formed->around, enemy->stones);
    while (!is_empty(touched)) {
        const Group *group = &enemy->group[enemy->mark[lowest(touched)]];
        foes.stones = either(foes.stones, group->stones);
        foes.number += group->size;
        foes.strongest = larger(foes.strongest, group->size);
        touched = without(touched, group->stones);
    }
    return foes;
}

/* Note what a side can take on an empty cell, and return what a stone there could be. */
static inline uint8_t see_cell(const Board *board, OustCamp *own, OustCamp *enemy, int cell) {
    Group formed = formed_at(board, own, cell);
    if (formed.size == 1) {
        return 0;
    }
    Foes foes = foes_of(enemy, &formed);
    int taken = foes.strongest < formed.size ? foes.number : 0;
    if (taken > 0) {
        enemy->doomed = either(enemy->doomed, foes.stones);
        put_cell(&own->captures, cell);
        own->taken[cell] = taken;
        own->most = larger(own->most, taken);
    }
    return option_of(formed.size, foes.strongest, taken);
}

/* Find the spots of cells where only a side has stones beside, in groups that touch no enemy stone.
 * Cells are alike where these groups have as many stones. */
static inline void see_quiet(Sight *sight, int side, Cells cells) {
    const Cells *sum = sight->camp[side].sum;
    while (!is_empty(cells)) {
        int first = lowest(cells), joined = 0;
        Spot *spot = &sight->spot[sight->spots++];
        spot->cells = cells;
        for (int bit = 0; bit < SUM_BITS; bit++) {
            int has_bit = has_cell(&sum[bit], first);
            joined |= has_bit << bit;
            spot->cells = has_bit ? both(spot->cells, sum[bit]) : without(spot->cells, sum[bit]);
        }
        spot->options[side] = option_of(joined + 1, 0, 0);
        spot->options[!side] = 0;
        cells = without(cells, spot->cells);
    }
}

/* Find all that either side could take, and what a stone of either could be on each empty cell. */
static inline void see_spots(const Board *board, Sight *sight) {
    OustCamp *x = &sight->camp[0], *o = &sight->camp[1];
    Cells meeting = either(both(x->beside, o->beside), either(x->met, o->met));
    Cells free = without(sight->empty, either(x->beside, o->beside));
    Cells quiet = without(sight->empty, either(free, meeting));
    meeting = both(meeting, sight->empty);
    sight->spots = 0;
    if (!is_empty(free)) {
        sight->spot[sight->spots++] = (Spot){free, {0, 0}};
    }
    see_quiet(sight, 0, both(quiet, x->beside));
    see_quiet(sight, 1, both(quiet, o->beside));
    x->captures = o->captures = x->doomed = o->doomed = no_cells();
    x->most = o->most = 0;
    EACH_CELL(cell, meeting) {
        Spot *spot = &sight->spot[sight->spots++];
        spot->cells = only(cell);
        spot->options[0] = see_cell(board, x, o, cell);
        spot->options[1] = see_cell(board, o, x, cell);
    }
}

/* See all that there is in a position with these stones of x and o. */
static inline void see(const Board *board, const Cells *stones, Sight *sight) {
    sight->empty = without(board->all, either(stones[0], stones[1]));
    see_groups(board, &sight->camp[0], stones[0]);
    see_groups(board, &sight->camp[1], stones[1]);
    see_foes(board, &sight->camp[0], &sight->camp[1]);
    see_spots(board, sight);
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

#endif
