/* Memory of one tree: it is bounded, comes in large pieces, and is given back all at once. */

#ifndef PBM_OUST_ROOM_H
#define PBM_OUST_ROOM_H

#include <stddef.h>

/* Blocks are multiples of this many bytes. */
#define GRAIN 32

/* The largest block, in grains. */
#define MOST_GRAINS 1024

typedef struct Piece Piece;

typedef struct {
    /* How many bytes were taken, and how many may be while the bound holds. */
    size_t bytes, most;
    int is_bound;
    /* Whether something was refused because of the bound, or because there is no memory. */
    int is_full;
    Piece *pieces;
    char *next;
    size_t left;
    /* Blocks that were given back, by their grains. */
    void *spare[MOST_GRAINS + 1];
} Room;

/* Make a room that is empty. */
void open_room(Room *room, size_t most);

/* Give back all that was taken. */
void close_room(Room *room);

/* Return so many bytes that are zero, as a block of their own; NULL if that is too much. Blocks that
 * `take_large` has returned go back by `give_large` or with the room. */
void *take_large(Room *room, size_t bytes);
void give_large(Room *room, void *block);

/* Return a block of so many bytes, which may hold anything; NULL if that is too much. */
void *take_block(Room *room, size_t bytes);

/* Give back a block of so many bytes, for others to take. */
void give_block(Room *room, void *block, size_t bytes);

#endif
