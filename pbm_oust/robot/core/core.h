/* What a compiled tree can do. There is one set of these functions for each size of sets of cells. */

#ifndef PBM_OUST_CORE_H
#define PBM_OUST_CORE_H

#include "lattice.h"
#include "proofs.h"

#include <stddef.h>
#include <stdint.h>

/* How a tree sees positions: by the eye for the game, or by games to the end by chance. */
typedef enum { OUST_BY_EYE, OUST_BY_CHANCE, CHURN_BY_EYE, CHURN_BY_CHANCE, EYES } Eye;

static inline int is_of_churn(Eye eye) {
    return eye == CHURN_BY_EYE || eye == CHURN_BY_CHANCE;
}

#define MOST_WORDS 4

/* What a stone of a side on an empty cell could be: apart from its others, or part of one of some
 * classes of groups that would be formed, in a class of what that group takes or meets. */
#define SIZES 7
#define MEETINGS 8
#define OPTIONS (1 + SIZES * MEETINGS)

/* The classes of groups on the board, by their own stones and those of the largest enemy group that
 * they touch; of the largest groups and largest captures of both sides; and of their stones. */
#define MOST_SIZE 10
#define MOST_FOE 7
#define MOST_LARGEST 15
#define MOST_CAPTURE 11
#define MOST_STONES 63

/* Where the rows for each kind of thing that is seen begin in the table of a net. */
enum {
    CELL_ROWS = 0,
    GROUP_ROWS = CELL_ROWS + OPTIONS * OPTIONS,
    LARGEST_ROWS = GROUP_ROWS + 2 * MOST_SIZE * (MOST_FOE + 1) * 2,
    CAPTURE_ROWS = LARGEST_ROWS + (MOST_LARGEST + 1) * (MOST_LARGEST + 1),
    STONE_ROWS = CAPTURE_ROWS + (MOST_CAPTURE + 1) * (MOST_CAPTURE + 1),
    BOARD_ROWS = STONE_ROWS + 2 * (MOST_STONES + 1),
    ROWS = BOARD_ROWS + MOST_CELLS / 8 + 1
};

/* What is at stake with a placement: the most that the enemy could take before it, and the class of
 * what it leaves of that, or of what it takes. */
#define MOST_DANGER 7
#define STAKES 14

/* Where the figures for what a cell is to both sides, and for what is at stake, begin in a net. A
 * placement picks one of each. */
enum {
    PAIR_SIGNS = 0,
    STAKE_SIGNS = PAIR_SIGNS + OPTIONS * OPTIONS,
    SIGNS = STAKE_SIGNS + STAKES * (MOST_DANGER + 1)
};

/* Placements have so many grades, which are so many 16ths of their sums apart. */
#define GRADES 16
#define STEP 8

/* In Churn, the classes of groups by their stones; of the empty cells that touch an empty one, which
 * are at most as many as touch it, and that touch a group; of the smallest and largest groups; of the
 * cells apart from own stones, for both sides together or for one; and of stones and empty cells. */
#define CHURN_SIZES 12
#define CHURN_FREE 4
#define CHURN_ROOM 7
#define CHURN_SMALLEST 15
#define CHURN_APART 11
#define CHURN_FEW 7
#define CHURN_STONES 63

/* Where the rows begin in the table of a net for Churn. */
enum {
    CHURN_CELL_ROWS = 0,
    CHURN_GROUP_ROWS = CHURN_CELL_ROWS + 3 * CHURN_FREE * CHURN_SIZES * CHURN_SIZES,
    CHURN_APART_ROWS = CHURN_GROUP_ROWS + 2 * CHURN_SIZES * (CHURN_ROOM + 1) * 2,
    CHURN_FORMED_ROWS = CHURN_APART_ROWS + (CHURN_APART + 1) * (CHURN_APART + 1),
    CHURN_TEMPO_ROWS = CHURN_FORMED_ROWS + (CHURN_SMALLEST + 1) * (CHURN_SMALLEST + 1),
    CHURN_STONE_ROWS = CHURN_TEMPO_ROWS + 2 * (CHURN_SMALLEST + 1) * (CHURN_FEW + 1),
    CHURN_LARGEST_ROWS = CHURN_STONE_ROWS + 4 * (CHURN_STONES + 1),
    CHURN_EMPTY_ROWS = CHURN_LARGEST_ROWS + (CHURN_SMALLEST + 1) * (CHURN_SMALLEST + 1),
    CHURN_ROWS = CHURN_EMPTY_ROWS + CHURN_STONES + 1
};

/* A position has so many rows at most: one for each cell or group, and ten more. */
#define MOST_ROWS (MOST_CELLS + 10)

#define WIDTH 16
#define INNER 8

/* What a net has learned, in 64ths: what the sum of its rows goes through, and these. No figure is
 * below -120 or above 120: so no sum of rows is too large for 16 bits. */
typedef struct {
    int8_t inner[INNER][WIDTH];
    int8_t bias[INNER];
    int8_t outer[INNER];
    int8_t last;
} Layers;

/* A net that tells the value of positions of Oust. */
typedef struct {
    int8_t row[ROWS][WIDTH];
    Layers layers;
    /* How promising placements look, in 16ths. */
    int8_t sign[SIGNS];
} Net;

/* A net that tells the value of positions of Churn. */
typedef struct {
    int8_t row[CHURN_ROWS][WIDTH];
    Layers layers;
} ChurnNet;

/* What to plant: a position that goes on, and how to see it. */
typedef struct {
    const Lattice *lattice;
    Eye eye;
    /* A net for the eye, which the tree needs as long as it lives; for games by chance, any. */
    const void *net;
    /* How much the promise of a placement counts against what came of it. */
    double curiosity;
    /* Proofs of the same game and lattice, or NULL. The tree needs them as long as it lives. */
    Proofs *proofs;
    uint64_t seed;
    int picks_lowest;
    /* How many positions are used for proofs at a time, and after how many looks. */
    long proving, resting;
    /* How many bytes the tree may take before it stops adding positions. */
    size_t most_bytes;
    /* The stones of x and of o, by the numbers of their cells. */
    uint64_t stones[2][MOST_WORDS];
    int to_move;
    int is_mid_turn;
} Planting;

/* What is known of a position of a tree. */
typedef struct {
    uint64_t stones[2][MOST_WORDS];
    int to_move;
    int is_mid_turn;
    uint32_t visits;
    /* The sum of what came of it, for the side to move. */
    double total;
    /* 0, 1 or 2 for a loss, a draw or a win of the side to move; -1 if that is not known. */
    int proved;
    uint32_t branches;
} Known;

/* What is known of a branch. */
typedef struct {
    /* The number of the cell; -1 for a pass. */
    int cell;
    uint32_t visits;
    double prior;
    uint32_t node;
} KnownBranch;

/* Cells that look alike, and how promising each of them looks. */
typedef struct {
    double prior;
    uint64_t cells[MOST_WORDS];
} KnownAlike;

/* A placement, and the figures of a net that it picks. */
typedef struct {
    int cell;
    uint16_t sign[2];
} KnownPromise;

typedef struct {
    /* Return a tree of one position, number 0; NULL if there is no memory. */
    void *(*plant)(const Planting *planting);
    void (*fell)(void *tree);
    /* Let a tree grow from a position, until that is proved, the tree is full, or so much effort is
     * spent, or it has grown so often at most. One of effort is about a tenth of a microsecond.
     * `times` is how often it has grown from there before. Return how often it grew; -1 if there is
     * not even memory for one branch. */
    long (*grow)(void *tree, uint32_t node, long times, long effort, long most);
    uint32_t (*positions)(const void *tree);
    size_t (*bytes)(const void *tree);
    int (*is_full)(const void *tree);
    /* Return a tree of what is below the first of some positions, which becomes its root, 0. If that
     * takes more than some bytes, positions that were visited least forget their placements, but none
     * of the positions that are named, as long as they are below the first one. `numbers` get their
     * numbers in it; UINT32_MAX if one is not there. Return NULL if there is no memory. */
    void *(*part_of)(const void *tree, uint32_t *numbers, uint32_t count, size_t most);
    void (*know)(const void *tree, uint32_t node, Known *known);
    void (*know_branch)(const void *tree, uint32_t node, uint32_t number, KnownBranch *known);
    /* Take a position as proved; `proved` is 0, 1 or 2. */
    void (*settle)(void *tree, uint32_t node, int proved);
    /* Return how likely the side to move is to win at a glance, and write up to `most` sets of cells,
     * the most promising last; `sets` gets their number. */
    double (*glance)(void *tree, uint32_t node, KnownAlike *alike, uint32_t most, uint32_t *sets);
    /* Write the rows of a net that a position picks, and return how many they are. */
    int (*rows)(void *tree, uint32_t node, uint16_t *rows);
    /* Place so many stones by chance from a position of Churn that goes on, or to the end of the game.
     * Return the number of the position reached, which stands apart from all others; UINT32_MAX if
     * there is no memory. */
    uint32_t (*wander)(void *tree, uint32_t node, long placements);
    /* Write the placements of a position of Oust, with what they pick of a net, and return how many
     * they are. */
    int (*promises)(void *tree, uint32_t node, KnownPromise *promises);
} Core;

extern const Core core_of_1_word, core_of_2_words, core_of_3_words, core_of_4_words;

#endif
