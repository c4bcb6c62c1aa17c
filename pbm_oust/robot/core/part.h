/* The part of a tree that stays when the rest is let go of. `tree.h` includes this file.
 *
 * It is copied into a tree of its own. What a position is worth and how often it was visited stay as
 * they were; a position that was visited too little forgets its placements. */

/* Return whether a position keeps what it knows of its placements, if it may keep what was visited
 * so often. A turn that is proved is kept to its end. */
static int keeps_crown(const Node *node, uint32_t least) {
    return (node->visits >= least || (node->proved != UNKNOWN && node->is_mid_turn)) &&
           node->crown != NULL;
}

/* Return how many bytes the crown of a position takes, with the positions that it leads to. */
static size_t size_with_branches(const Node *node) {
    size_t branches = node->crown->branches;
    return size_of_crown((uint32_t)branches, node->crown->sets) + GRAIN +
           branches * (sizeof(Shelf) / SHELF + 2 * sizeof(Place));
}

/* Numbers of visits are told apart by their three highest bits, which form so many ranks. */
#define RANKS 128

static int rank_of(uint32_t visits) {
    int highest = 31 - __builtin_clz(visits | 1);
    return visits < 4 ? (int)visits : 4 * highest + (int)(visits >> (highest - 2) & 3);
}

/* Return the least number of visits of a rank. */
static uint32_t least_of(int rank) {
    return rank < 8 ? (uint32_t)rank : (4u + (uint32_t)rank % 4) << (rank / 4 - 2);
}

/* Return how often a position must have been visited to keep its placements, so that all of them
 * take some bytes at most. */
static uint32_t visits_worth(const Tree *tree, size_t most) {
    size_t bytes[RANKS] = {0}, kept = 0;
    for (uint32_t number = 0; number < tree->positions; number++) {
        const Node *node = node_at(tree, number);
        if (keeps_crown(node, 0)) {
            bytes[keeps_crown(node, NOWHERE) ? RANKS - 1 : rank_of(node->visits)] +=
                size_with_branches(node);
        }
    }
    int rank = RANKS;
    while (rank > 0 && kept + bytes[rank - 1] <= most) {
        kept += bytes[--rank];
    }
    return rank < RANKS ? least_of(rank) : NOWHERE;
}

/* Copy a position to another depth, without what it knows of its placements. Return 0 if there is no
 * memory. */
static int copy_node(Tree *part, const Tree *tree, uint32_t origin, int depth) {
    const Node *node = node_at(tree, origin);
    Stance stance = stance_of(tree, origin);
    stance.result = node->proved;
    uint32_t number = shelve_node(part, &stance, depth);
    if (number == NOWHERE) {
        return 0;
    }
    Node *copy = node_at(part, number);
    copy->total = node->total;
    copy->visits = node->visits;
    copy->is_seen = node->is_seen;
    return 1;
}

/* Copy what a position knows of its placements, and the positions that they lead to. `places` has
 * the numbers of positions in the part, `origins` those of the part in the tree. Return 0 if there
 * is no memory. */
static int copy_crown(Tree *part, const Tree *tree, uint32_t number, uint32_t *places,
                      uint32_t *origins) {
    Crown *crown = node_at(tree, origins[number])->crown;
    Crown *copy = take_block(&part->room, size_of_crown(crown->branches, crown->sets));
    if (copy == NULL) {
        return 0;
    }
    *copy = (Crown){crown->branches, crown->branches, crown->sets, crown->untried};
    memcpy(sets_of(copy), sets_of(crown), crown->sets * sizeof(Alike));
    memcpy(copy->branch, crown->branch, crown->branches * sizeof(Branch));
    node_at(part, number)->crown = copy;
    int depth = node_at(part, number)->depth + 1;
    for (int nth = 0; nth < copy->branches; nth++) {
        uint32_t after = copy->branch[nth].node;
        if (places[after] == NOWHERE) {
            places[after] = part->positions;
            origins[part->positions] = after;
            if (!copy_node(part, tree, after, depth)) {
                return 0;
            }
        }
        copy->branch[nth].node = places[after];
    }
    return 1;
}

/* Copy what is below the first of some positions into an empty tree. The others keep what they know
 * of their placements. Return 0 if there is no memory. */
static int copy_below(Tree *part, const Tree *tree, const uint32_t *numbers, uint32_t count,
                      uint32_t least, uint32_t *places, uint32_t *origins) {
    memset(places, 0xff, tree->positions * sizeof *places);
    places[numbers[0]] = 0;
    origins[0] = numbers[0];
    int is_copied = copy_node(part, tree, numbers[0], 0);
    for (uint32_t next = 0; is_copied && next < part->positions; next++) {
        const Node *node = node_at(tree, origins[next]);
        int is_kept = keeps_crown(node, least);
        for (uint32_t nth = 0; nth < count && !is_kept; nth++) {
            is_kept = node->crown != NULL && numbers[nth] == origins[next];
        }
        is_copied = !is_kept || copy_crown(part, tree, next, places, origins);
    }
    return is_copied;
}

/* Return a tree like another one, but without any position; NULL if there is no memory. */
static Tree *like(const Tree *tree) {
    Tree *part = calloc(1, sizeof(Tree));
    if (part != NULL) {
        part->board = tree->board;
        part->eye = tree->eye;
        part->net = tree->net;
        part->curiosity = tree->curiosity;
        part->proofs = tree->proofs;
        part->proving = tree->proving;
        part->resting = tree->resting;
        part->chance = tree->chance;
        open_room(&part->room, tree->room.most);
        part->room.is_bound = 0;
        part->seen = NOWHERE;
        memcpy(part->history, tree->history, sizeof part->history);
    }
    return part;
}

/* Enter all positions of a tree in a table that is large enough. Return 0 if there is no memory. */
static int enter_all(Tree *tree) {
    uint32_t size = LEAST_TABLE;
    while (!has_places(size, tree->positions)) {
        size *= 2;
    }
    return make_table(tree, size);
}

static void *part_of(const void *it, uint32_t *numbers, uint32_t count, size_t most) {
    const Tree *tree = it;
    Tree *part = like(tree);
    uint32_t *places = malloc(2 * (size_t)tree->positions * sizeof *places);
    int is_copied = 0;
    if (part != NULL && places != NULL) {
        uint32_t *origins = places + tree->positions;
        uint32_t least = visits_worth(tree, most);
        is_copied = copy_below(part, tree, numbers, count, least, places, origins) &&
                    enter_all(part);
        for (uint32_t nth = 0; is_copied && nth < count; nth++) {
            numbers[nth] = places[numbers[nth]];
        }
    }
    free(places);
    if (!is_copied) {
        fell(part);
        return NULL;
    }
    return part;
}
