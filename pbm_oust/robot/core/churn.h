/* Churn: where a side may place, what a placement makes of its stones, and games by chance.
 *
 * A placement changes the stones of its own side only. */

#ifndef PBM_OUST_CHURN_H
#define PBM_OUST_CHURN_H

#include "choice.h"
#include "stance.h"

/* Groups take much room on the stack, which a search for proofs must not use at each level. */
#define NOT_INLINE __attribute__((noinline, unused))

/* Groups of one side. */
typedef struct {
    int count;
    struct {
        int size;
        Cells stones, around;
    } group[CELLS];
} Groups;

static inline void find_groups(const Board *board, Cells stones, Groups *groups) {
    groups->count = 0;
    while (!is_empty(stones)) {
        int nth = groups->count++;
        Cells around, found = flood(board, only(lowest(stones)), stones, &around);
        groups->group[nth].stones = found;
        groups->group[nth].size = number_of(found);
        groups->group[nth].around = around;
        stones = without(stones, found);
    }
}

/* Return the cells of `empty`, all beside the groups, on which a stone forms the smallest group. */
static inline Cells smallest_joins(const Groups *groups, Cells empty) {
    int sum[CELLS], smallest = 2 * CELLS;
    Cells found = no_cells(), left = empty;
    while (!is_empty(left)) {
        sum[take_lowest(&left)] = 0;
    }
    for (int nth = 0; nth < groups->count; nth++) {
        left = both(groups->group[nth].around, empty);
        while (!is_empty(left)) {
            sum[take_lowest(&left)] += groups->group[nth].size;
        }
    }
    while (!is_empty(empty)) {
        int cell = take_lowest(&empty);
        if (sum[cell] < smallest) {
            smallest = sum[cell];
            found = no_cells();
        }
        if (sum[cell] == smallest) {
            add_cell(&found, cell);
        }
    }
    return found;
}

/* Return the stones of a side with these groups after a placement; `beside` gets the cells that
 * touch them. */
static inline Cells after_joining(const Board *board, const Groups *groups, int cell,
                                  Cells *beside) {
    Cells own = only(cell);
    int size = 1;
    *beside = board->around[cell];
    for (int nth = 0; nth < groups->count; nth++) {
        if (has_cell(&groups->group[nth].around, cell)) {
            size += groups->group[nth].size;
        }
    }
    for (int nth = 0; nth < groups->count; nth++) {
        if (groups->group[nth].size >= size || has_cell(&groups->group[nth].around, cell)) {
            own = either(own, groups->group[nth].stones);
            *beside = either(*beside, groups->group[nth].around);
        }
    }
    return own;
}

/* Return the cells where a side may place if these cells are empty. */
static NOT_INLINE Cells churn_placements(const Board *board, Cells own, Cells empty) {
    Cells apart = without(empty, neighbours(board, own));
    if (!is_empty(apart)) {
        return apart;
    }
    Groups groups;
    find_groups(board, own, &groups);
    return smallest_joins(&groups, empty);
}

/* Return the stones of a side after a placement where it may place. */
static NOT_INLINE Cells churn_after(const Board *board, Cells own, int cell) {
    if (is_empty(both(board->around[cell], own))) {
        add_cell(&own, cell);
        return own;
    }
    Groups groups;
    Cells beside;
    find_groups(board, own, &groups);
    return after_joining(board, &groups, cell, &beside);
}

static inline Cells empty_cells(const Board *board, const Stance *stance) {
    return without(board->all, either(stance->stones[0], stance->stones[1]));
}

/* Return what a full board is worth to a side that has these stones. */
static inline int majority(const Board *board, Cells own) {
    return 2 * number_of(own) > board->count ? WON : LOST;
}

/* Return the position after a placement where the side to move may place. */
static inline Stance churn_place(const Board *board, const Stance *from, int cell) {
    Stance to = *from;
    int mover = from->to_move;
    to.stones[mover] = churn_after(board, from->stones[mover], cell);
    to.to_move = !mover;
    to.result = UNKNOWN;
    if (is_empty(empty_cells(board, &to))) {
        to.result = majority(board, to.stones[!mover]);
    }
    return to;
}

/* A game by chance that has not ended after this many placements for each cell is decided by the
 * stones that are on the board then. It takes some 50 milliseconds at most. Only on boards of more
 * than 90 cells games often last so long. */
#define MOST_FOR_A_CELL 1000

/* What is true of the stones of a side, from turn to turn. */
typedef struct {
    Cells own;
    /* The stones that touch no other one of the side. */
    Cells single;
    Cells beside;
    /* The cells that touch a stone of a larger group. */
    Cells grouped;
    /* Cells that touch two stones. With `grouped` it holds all that touch two or more. */
    Cells twice;
} Camp;

static inline Camp camp_of(const Board *board, Cells own) {
    Camp camp = {own, no_cells(), neighbours(board, own), no_cells(), no_cells()};
    camp.single = without(own, camp.beside);
    camp.grouped = neighbours(board, without(own, camp.single));
    Cells once = no_cells(), left = camp.single;
    while (!is_empty(left)) {
        Cells around = board->around[take_lowest(&left)];
        camp.twice = either(camp.twice, both(once, around));
        once = either(once, around);
    }
    return camp;
}

/* Place a stone of a side by chance; return the cells that are empty after it. */
static inline Cells place_by_chance(const Board *board, Chance *chance, Camp *camp, Cells empty) {
    Cells apart = without(empty, camp->beside);
    if (!is_empty(apart)) {
        int cell = choose(chance, board, apart);
        Cells around = board->around[cell];
        add_cell(&camp->own, cell);
        add_cell(&camp->single, cell);
        drop_cell(&empty, cell);
        camp->twice = either(camp->twice, both(camp->beside, around));
        camp->beside = either(camp->beside, around);
        return empty;
    }
    Cells before = camp->own, pairing = without(empty, either(camp->twice, camp->grouped));
    if (!is_empty(pairing)) {
        /* The cell touches one single stone: they form a pair, and all other singles go. */
        int cell = choose(chance, board, pairing);
        Cells pair = both(board->around[cell], camp->own);
        camp->grouped = either(camp->grouped, board->around[cell]);
        camp->grouped = either(camp->grouped, board->around[lowest(pair)]);
        add_cell(&pair, cell);
        camp->own = either(without(camp->own, camp->single), pair);
    } else {
        Groups groups;
        find_groups(board, camp->own, &groups);
        int cell = choose(chance, board, smallest_joins(&groups, empty));
        camp->own = after_joining(board, &groups, cell, &camp->grouped);
    }
    camp->beside = camp->grouped;
    camp->single = camp->twice = no_cells();
    return without(either(empty, before), camp->own);
}

/* A position on its way by chance: the side that was to move first has the first camp. */
typedef struct {
    Camp camp[2];
    Cells empty;
    int mover;
} ChurnWay;

static inline ChurnWay churn_way(const Board *board, const Stance *from) {
    ChurnWay way = {{camp_of(board, from->stones[from->to_move]),
                     camp_of(board, from->stones[!from->to_move])},
                    empty_cells(board, from),
                    0};
    return way;
}

/* Place up to so many stones by chance, as long as a cell is empty. Return how many they were. */
static inline long churn_stroll(const Board *board, Chance *chance, ChurnWay *way, long most) {
    long placed = 0;
    for (; placed < most && !is_empty(way->empty); placed++) {
        way->empty = place_by_chance(board, chance, &way->camp[way->mover], way->empty);
        way->mover = !way->mover;
    }
    return placed;
}

/* Return what a way is worth to the side that was to move first, 0 to 1, by the stones on the board. */
static inline double churn_lead(const ChurnWay *way) {
    int lead = number_of(way->camp[0].own) - number_of(way->camp[1].own);
    return lead == 0 ? 0.5 : lead > 0;
}

/* Play a game that goes on to the end by chance. Return what it is then worth to the side to move,
 * 0 to 1, and add to `steps` how many stones were placed. */
static inline double churn_game(const Board *board, Chance *chance, const Stance *from,
                                long *steps) {
    ChurnWay way = churn_way(board, from);
    *steps += churn_stroll(board, chance, &way, MOST_FOR_A_CELL * (long)board->count);
    return churn_lead(&way);
}

#endif
