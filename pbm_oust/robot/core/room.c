#include "room.h"

#include <stdlib.h>
#include <string.h>

/* How many bytes are asked of the system at a time. */
#define PIECE ((size_t)1 << 18)

/* What stands before what was asked of the system. */
struct Piece {
    Piece *before, *after;
    size_t bytes;
    /* Keeps what follows where any type may stand. */
    size_t unused;
};

void open_room(Room *room, size_t most) {
    memset(room, 0, sizeof *room);
    room->most = most;
    room->is_bound = 1;
}

void close_room(Room *room) {
    while (room->pieces != NULL) {
        Piece *piece = room->pieces;
        room->pieces = piece->after;
        free(piece);
    }
}

void *take_large(Room *room, size_t bytes) {
    bytes += sizeof(Piece);
    Piece *piece = NULL;
    if (!room->is_bound || room->bytes + bytes <= room->most) {
        piece = calloc(1, bytes);
    }
    if (piece == NULL) {
        room->is_full = 1;
        return NULL;
    }
    piece->bytes = bytes;
    piece->after = room->pieces;
    if (room->pieces != NULL) {
        room->pieces->before = piece;
    }
    room->pieces = piece;
    room->bytes += bytes;
    return piece + 1;
}

void give_large(Room *room, void *block) {
    Piece *piece = (Piece *)block - 1;
    room->bytes -= piece->bytes;
    if (piece->before != NULL) {
        piece->before->after = piece->after;
    } else {
        room->pieces = piece->after;
    }
    if (piece->after != NULL) {
        piece->after->before = piece->before;
    }
    free(piece);
}

static size_t grains_of(size_t bytes) {
    return (bytes + GRAIN - 1) / GRAIN;
}

void *take_block(Room *room, size_t bytes) {
    size_t grains = grains_of(bytes);
    void *block = room->spare[grains];
    if (block != NULL) {
        memcpy(&room->spare[grains], block, sizeof(void *));
        return block;
    }
    if (room->left < grains * GRAIN) {
        char *piece = take_large(room, PIECE);
        if (piece == NULL) {
            return NULL;
        }
        room->next = piece;
        room->left = PIECE;
    }
    block = room->next;
    room->next += grains * GRAIN;
    room->left -= grains * GRAIN;
    return block;
}

void give_block(Room *room, void *block, size_t bytes) {
    size_t grains = grains_of(bytes);
    memcpy(block, &room->spare[grains], sizeof(void *));
    room->spare[grains] = block;
}
