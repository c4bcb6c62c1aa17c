/* Proofs on small boards of Churn: who wins a position with best play. */

#ifndef PBM_OUST_PROOFS_H
#define PBM_OUST_PROOFS_H

#include "lattice.h"

#include <stdint.h>

/* The most cells of a board on which proofs are sought. */
#define MOST_PROVED 31

typedef struct Proofs Proofs;

/* Return proofs on a lattice, none so far; NULL if there is no memory, or if it has too many
 * cells. `entries` is how many proofs are kept at most, a power of two; each takes 8 bytes. */
Proofs *new_proofs(const Lattice *lattice, uint64_t entries);

void free_proofs(Proofs *proofs);

/* Return 1 or 0 if the side to move, which has its own stones, wins or loses for certain a game that
 * goes on; -1 if that is not known. */
int proved_win(const Proofs *proofs, uint64_t own, uint64_t enemy);

/* Try to prove who wins a position that goes on, by at most so many others. Return how many were
 * looked at. */
long prove(Proofs *proofs, uint64_t own, uint64_t enemy, long most);

#endif
