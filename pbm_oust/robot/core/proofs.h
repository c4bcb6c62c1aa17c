/* Proofs: what a side can reach with best play, on boards whose sets of cells take one word. */

#ifndef PBM_OUST_PROOFS_H
#define PBM_OUST_PROOFS_H

#include "lattice.h"

#include <stdint.h>

/* The most cells of a board on which proofs are sought. */
#define MOST_PROVED 64

/* A rotation or reflection of a board that leaves it the same; a hexagon has the most of them. */
#define MOST_SYMMETRIES 12

/* Symmetries that make positions one: the cell `nth` becomes `image[..][nth]`. */
typedef struct {
    int count;
    uint8_t image[MOST_SYMMETRIES][MOST_PROVED];
} Symmetries;

/* An aim: results that the side to move wants, as bits. 1 is a loss, and 0 and 7 are no aims. */
enum { DRAW = 2, WIN = 4, NO_DRAW = 5, NO_LOSS = 6, ANYTHING = 7 };

typedef struct Proofs Proofs;

/* Is asked from time to time whether a search may go on; gets how many positions were searched. */
typedef int (*Watch)(void *watcher, long searched);

/* Return proofs on a lattice, none so far; NULL if there is no memory, or if it has too many cells.
 * `entries` is how many positions are kept at most, a power of two; each takes 32 bytes. Where a ledger
 * of all positions takes no more than that, it is kept instead. */
Proofs *new_proofs(const Lattice *lattice, int is_churn, uint64_t entries,
                   const Symmetries *symmetries);

void free_proofs(Proofs *proofs);

/* Return 1 or 0 if the side to move, which has its own stones, reaches its aim for certain or not,
 * in a game that goes on; -1 if that is not known. */
int proved(const Proofs *proofs, uint64_t own, uint64_t enemy, int aim);

/* Return what the position is worth to the side to move, in halves of a win; -1 if that is not
 * known. */
int proved_worth(const Proofs *proofs, uint64_t own, uint64_t enemy);

/* Try to prove whether the side to move reaches its aim, by at most so many positions. Return how
 * many were searched. */
long prove(Proofs *proofs, uint64_t own, uint64_t enemy, int aim, long most, Watch watch,
           void *watcher);

/* Try to prove what the position is worth. Return how many positions were searched. */
long prove_worth(Proofs *proofs, uint64_t own, uint64_t enemy, long most);

#endif
