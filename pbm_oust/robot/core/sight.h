/* Oust: the groups of both sides, and all that either side could take. */

#ifndef PBM_OUST_SIGHT_H
#define PBM_OUST_SIGHT_H

#include "core.h"
#include "stance.h"

#include <string.h>

/* The groups of a side are numbered from 1. Number 0 stands for none: it has no stones. */
typedef struct {
    Cells stones;
    /* The cells that touch its stones. */
    Cells beside;
    int groups;
    struct {
        Cells stones, around;
        /* The numbers of the enemy groups that it touches, and perhaps 0. */
        Cells foes;
    } group[CELLS];
    /* How many stones each group has, and the largest of those enemy groups. */
    int16_t size[CELLS], strongest[CELLS];
    /* The number of the group that the stone on each cell belongs to. */
    uint8_t mark[CELLS + 1];
    /* The number of stones in its largest group. */
    int largest;
    /* The placements that take enemy stones, and how many each of them takes. */
    Cells captures;
    int taken[CELLS];
    /* The numbers of its groups that the enemy could take with one placement, and perhaps 0. */
    Cells doomed;
    /* The most stones that it can take with one placement. */
    int most;
} OustCamp;

/* What an empty cell is to a side: how many stones its groups have that touch it, and how many the
 * largest enemy group has that a stone there would touch, with its group. */
typedef struct {
    int16_t joined, strongest;
} Edge;

typedef struct {
    OustCamp camp[2];
    Cells empty;
    Edge edge[CELLS][2];
    /* How many empty cells touch stones, and what a stone of x and of o could be on each. */
    int edges;
    uint8_t options[CELLS][2];
} Sight;

static inline void see_groups(const Board *board, OustCamp *camp, Cells stones) {
    Cells left = stones;
    camp->stones = stones;
    camp->beside = camp->group[0].around = camp->group[0].foes = no_cells();
    camp->groups = camp->largest = camp->size[0] = 0;
    memset(camp->mark, 0, sizeof camp->mark);
    while (!is_empty(left)) {
        int nth = ++camp->groups, size = 0;
        Cells edge = only(take_lowest(&left)), found = edge, around = no_cells();
        while (!is_empty(edge)) {
            int cell = take_lowest(&edge);
            Cells fresh = both(board->around[cell], left);
            camp->mark[cell] = (uint8_t)nth;
            size++;
            around = either(around, board->around[cell]);
            left = without(left, fresh);
            edge = either(edge, fresh);
            found = either(found, fresh);
        }
        camp->size[nth] = (int16_t)size;
        camp->strongest[nth] = 0;
        camp->group[nth].stones = found;
        camp->group[nth].around = around;
        camp->group[nth].foes = no_cells();
        camp->beside = either(camp->beside, around);
        camp->largest = size > camp->largest ? size : camp->largest;
    }
}

static inline int16_t larger(int16_t one, int16_t other) {
    return one > other ? one : other;
}

/* Find which groups touch each other. */
static inline void see_foes(const Board *board, OustCamp *x, OustCamp *o) {
    EACH_CELL(cell, x->stones) {
        int group = x->mark[cell];
        for (int way = 0; way < board->ways; way++) {
            int foe = o->mark[board->near[cell][way]];
            put_cell(&x->group[group].foes, foe);
            put_cell(&o->group[foe].foes, group);
            x->strongest[group] = larger(x->strongest[group], o->size[foe]);
            o->strongest[foe] = larger(o->strongest[foe], x->size[group]);
        }
    }
    o->group[0].foes = no_cells();
    x->strongest[0] = o->strongest[0] = 0;
}

/* Return what a stone on an empty cell could be that would form a group of so many stones, take so
 * many, and meet enemy groups of which the largest has `foe`. */
static inline uint8_t option_of(int formed, int foe, int taken) {
    static const uint8_t sizes[] = {0, 0, 0, 1, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 5, 6};
    static const uint8_t captures[] = {0, 4, 5, 6, 6, 7};
    int meeting = foe == 0 ? 0 : foe < formed ? captures[capped(taken, 5)] : 1 + capped(foe - formed, 2);
    return (uint8_t)(1 + MEETINGS * sizes[capped(formed, 15)] + meeting);
}

/* Let the cells around each group know of it. */
static inline void see_touching(Sight *sight, int side) {
    const OustCamp *camp = &sight->camp[side];
    for (int nth = 1; nth <= camp->groups; nth++) {
        int16_t size = camp->size[nth], strongest = camp->strongest[nth];
        Cells around = both(camp->group[nth].around, sight->empty);
        EACH_CELL(cell, around) {
            Edge *own = &sight->edge[cell][side], *enemy = &sight->edge[cell][!side];
            own->joined = (int16_t)(own->joined + size);
            own->strongest = larger(own->strongest, strongest);
            enemy->strongest = larger(enemy->strongest, size);
        }
    }
}

/* Note that a side can take enemy groups on a cell; return how many stones they have. */
static inline int note_capture(const Board *board, OustCamp *own, OustCamp *enemy, int cell) {
    Cells foes = no_cells();
    int taken = 0;
    for (int way = 0; way < board->ways; way++) {
        int near = board->near[cell][way];
        foes = either(foes, own->group[own->mark[near]].foes);
        add_cell(&foes, enemy->mark[near]);
    }
    EACH_CELL(foe, foes) {
        taken += enemy->size[foe];
    }
    enemy->doomed = either(enemy->doomed, foes);
    put_cell(&own->captures, cell);
    own->taken[cell] = taken;
    own->most = taken > own->most ? taken : own->most;
    return taken;
}

static inline void see_captures(const Board *board, Sight *sight) {
    Cells cells = both(either(sight->camp[0].beside, sight->camp[1].beside), sight->empty);
    int edges = 0;
    memset(sight->edge, 0, (size_t)board->count * sizeof *sight->edge);
    for (int side = 0; side < 2; side++) {
        sight->camp[side].most = 0;
        sight->camp[side].doomed = sight->camp[side].captures = no_cells();
        see_touching(sight, side);
    }
    EACH_CELL(cell, cells) {
        for (int side = 0; side < 2; side++) {
            OustCamp *own = &sight->camp[side], *enemy = &sight->camp[!side];
            int formed = sight->edge[cell][side].joined + 1, taken = 0;
            int strongest = sight->edge[cell][side].strongest;
            if (formed > 1 && strongest > 0 && strongest < formed) {
                taken = note_capture(board, own, enemy, cell);
            }
            sight->options[edges][side] = formed > 1 ? option_of(formed, strongest, taken) : 0;
        }
        edges++;
    }
    sight->edges = edges;
}

/* See all that there is in a position with these stones of x and o. */
static inline void see(const Board *board, const Cells *stones, Sight *sight) {
    sight->empty = without(board->all, either(stones[0], stones[1]));
    see_groups(board, &sight->camp[0], stones[0]);
    see_groups(board, &sight->camp[1], stones[1]);
    see_foes(board, &sight->camp[0], &sight->camp[1]);
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
    const OustCamp *camp = &sight->camp[side];
    Cells found = board->around[cell];
    for (int way = 0; way < board->ways; way++) {
        found = either(found, camp->group[camp->mark[board->near[cell][way]]].around);
    }
    return found;
}

#endif
