/* Oust: what a placement makes of a position, and games by chance. */

#ifndef PBM_OUST_OUST_H
#define PBM_OUST_OUST_H

#include "choice.h"
#include "sight.h"

/* A game by chance that has not ended after this many placements for each cell counts as a draw. */
#define LONGEST 10

/* Return the enemy stones that a side takes on an empty cell that touches a stone of its own; none
 * if it may not place there. */
static inline Cells taken_at(const Board *board, Cells own, Cells enemy, int cell) {
    Cells around, ignored, within = own, taken = no_cells();
    add_cell(&within, cell);
    Cells formed = flood(board, only(cell), within, &around);
    Cells touched = both(around, enemy);
    int size = number_of(formed);
    while (!is_empty(touched)) {
        Cells foes = flood(board, only(lowest(touched)), enemy, &ignored);
        if (number_of(foes) >= size) {
            return no_cells();
        }
        taken = either(taken, foes);
        touched = without(touched, foes);
    }
    return taken;
}

/* Put the stone of a placement where the side to move may place, and take what it takes off the
 * board. Return whether it takes anything. What follows from that is for `end_placement`. */
static inline int put_stone(const Board *board, const Stance *from, int cell, Stance *to) {
    int mover = from->to_move;
    Cells taken = no_cells();
    *to = *from;
    if (!is_empty(both(board->around[cell], from->stones[mover]))) {
        taken = taken_at(board, from->stones[mover], from->stones[!mover], cell);
    }
    add_cell(&to->stones[mover], cell);
    to->stones[!mover] = without(to->stones[!mover], taken);
    return !is_empty(taken);
}

/* Work out who is to move after a placement, and whether the game is over. Whether the sides may place
 * then does not matter if the last stone of a side was taken. */
static inline void end_placement(int has_taken, int may_go_on, int may_answer, Stance *to) {
    int mover = to->to_move;
    to->is_mid_turn = 0;
    if (has_taken && is_empty(to->stones[!mover])) {
        to->result = WON;
    } else if (has_taken && may_go_on) {
        to->is_mid_turn = 1;
        to->result = UNKNOWN;
    } else {
        to->to_move = !mover;
        to->result = may_go_on || may_answer ? UNKNOWN : DRAWN;
    }
}

/* Return whether a side has a placement. It is seldom that it has to look for a capture. */
static inline int has_placement(const Board *board, Cells own, Cells enemy) {
    Cells empty = without(board->all, either(own, enemy)), left = empty;
    while (!is_empty(left)) {
        if (is_empty(both(board->around[take_lowest(&left)], own))) {
            return 1;
        }
    }
    while (!is_empty(empty)) {
        if (!is_empty(taken_at(board, own, enemy, take_lowest(&empty)))) {
            return 1;
        }
    }
    return 0;
}

/* Return the position after a placement where the side to move may place. */
static inline Stance oust_place(const Board *board, const Stance *from, int cell) {
    Stance to;
    int has_taken = put_stone(board, from, cell, &to), mover = from->to_move;
    Cells own = to.stones[mover], enemy = to.stones[!mover];
    int may_go_on = has_placement(board, own, enemy);
    end_placement(has_taken, may_go_on, may_go_on || has_placement(board, enemy, own), &to);
    return to;
}

/* A game by chance: the sides, and the empty cells in any order. Each group has the number of one of
 * its cells. */
typedef struct {
    OustCamp camp[2];
    int empties;
    uint8_t empty[CELLS];
} Course;

static inline void begin_course(const Board *board, const Cells *stones, Course *course) {
    Cells empty = without(board->all, either(stones[0], stones[1]));
    for (int side = 0; side < 2; side++) {
        Cells left = course->camp[side].stones = stones[side];
        while (!is_empty(left)) {
            left = add_group(board, &course->camp[side], lowest(left), left);
        }
    }
    course->empties = 0;
    EACH_CELL(cell, empty) {
        course->empty[course->empties++] = (uint8_t)cell;
    }
}

/* Place a stone of a side by chance, each allowed placement being equally likely: cells are drawn
 * until one is allowed. Return -1 if none is, else how many stones were taken. */
static inline int draw_placement(const Board *board, Chance *chance, Course *course, int side) {
    OustCamp *own = &course->camp[side], *enemy = &course->camp[!side];
    for (int drawn = 0; drawn < course->empties; drawn++) {
        int left = course->empties - drawn, number = drawn;
        if (!chance->picks_lowest) {
            number += number_below(chance, left);
        } else {
            for (int nth = drawn; nth < course->empties; nth++) {
                number = course->empty[nth] < course->empty[number] ? nth : number;
            }
        }
        int cell = course->empty[number];
        course->empty[number] = course->empty[drawn];
        course->empty[drawn] = (uint8_t)cell;
        Group formed = formed_at(board, own, cell);
        Foes taken = {no_cells(), 0, 0};
        if (formed.size > 1) {
            taken = foes_of(enemy, &formed);
            if (taken.number == 0 || taken.strongest >= formed.size) {
                continue;
            }
        }
        course->empty[drawn] = course->empty[--course->empties];
        own->stones = either(own->stones, formed.stones);
        own->group[cell] = formed;
        EACH_CELL(each, formed.stones) {
            own->mark[each] = (uint8_t)cell;
        }
        enemy->stones = without(enemy->stones, taken.stones);
        EACH_CELL(each, taken.stones) {
            course->empty[course->empties++] = (uint8_t)each;
        }
        return taken.number;
    }
    return -1;
}

/* Play a game that goes on to the end by chance. Return what it is then worth to the side to move,
 * 0 to 1, and add to `steps` how many stones were placed. */
static inline double oust_game(const Board *board, Chance *chance, const Stance *from,
                               long *steps) {
    Course course;
    begin_course(board, from->stones, &course);
    int side = from->to_move, has_passed = 0, has_taken = from->is_mid_turn;
    for (int left = LONGEST * board->count; left > 0; left--) {
        int taken = draw_placement(board, chance, &course, side);
        if (taken < 0 && has_taken) {
            /* The turn ended with the placement before. */
            has_taken = 0;
            side = !side;
            taken = draw_placement(board, chance, &course, side);
        }
        ++*steps;
        if (taken > 0 && is_empty(course.camp[!side].stones)) {
            return side == from->to_move;
        }
        if (taken < 0 && has_passed) {
            return 0.5;
        }
        has_passed = taken < 0;
        has_taken = taken > 0;
        side = has_taken ? side : !side;
    }
    return 0.5;
}

#endif
