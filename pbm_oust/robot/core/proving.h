/* What is proved beside a tree of one word. `tree.h` includes this file. */

/* Return what a position is known to be worth to a side. */
static int known_worth(const Tree *tree, const Stance *stance, int side) {
    int mover = stance->to_move, worth = stance->result;
    if (worth == UNKNOWN) {
        worth = proved_worth(tree->proofs, stance->stones[mover].word[0],
                             stance->stones[!mover].word[0]);
    }
    return worth == UNKNOWN || side == mover ? worth : WON - worth;
}

static long prove_stance(const Tree *tree, const Stance *stance, long most) {
    int mover = stance->to_move;
    return prove_worth(tree->proofs, stance->stones[mover].word[0],
                       stance->stones[!mover].word[0], most);
}

/* Return the number of the branch of a placement, which is added if it is not there; -1 if there is no
 * room. */
static int branch_of(Tree *tree, uint32_t number, int cell) {
    if (!crown(tree, number)) {
        return -1;
    }
    Crown *crown = node_at(tree, number)->crown;
    for (int nth = 0; nth < crown->branches; nth++) {
        if (crown->branch[nth].cell == cell) {
            return nth;
        }
    }
    return add_branch(tree, number, (uint16_t)cell, NO_SET);
}

/* Let a position that is proved to be worth so much play a turn that is. What was proved of its
 * placements may have been overwritten: up to `left` positions are searched for that. Return 0 if no
 * turn is found. */
static int play_proved(Tree *tree, uint32_t number, int worth, long *left) {
    Stance stance = stance_of(tree, number);
    Cells cells = placements_of(tree, number);
    while (!is_empty(cells)) {
        int cell = take_lowest(&cells), mover = stance.to_move;
        Stance after = place(tree, &stance, cell);
        if (*left > 0 && known_worth(tree, &after, mover) == UNKNOWN) {
            *left -= prove_stance(tree, &after, *left);
        }
        int branch = known_worth(tree, &after, mover) == worth ? branch_of(tree, number, cell) : -1;
        if (branch < 0) {
            continue;
        }
        Node *node = node_at(tree, number);
        uint32_t next = node->crown->branch[branch].node;
        if (after.is_mid_turn && !play_proved(tree, next, worth, left)) {
            continue;
        }
        node_at(tree, next)->proved = (signed char)(after.to_move == mover ? worth : WON - worth);
        node->proved = (signed char)worth;
        return 1;
    }
    return 0;
}

/* Learn what is proved of the placements, unless all of them lose: in a lost position it still
 * matters what the other side may overlook. */
static void hear(Tree *tree, uint32_t number) {
    Node *node = node_at(tree, number);
    Stance stance = stance_of(tree, number);
    int worth = known_worth(tree, &stance, stance.to_move);
    long none = 0;
    if (worth > LOST && node->proved == UNKNOWN) {
        (void)play_proved(tree, number, worth, &none);
    }
    if (worth != UNKNOWN || node->crown == NULL) {
        return;
    }
    for (int nth = 0; nth < node->crown->branches; nth++) {
        Branch *branch = &node->crown->branch[nth];
        Node *after = node_at(tree, branch->node);
        Stance standing = stance_of(tree, branch->node);
        standing.result = after->proved;
        if (known_worth(tree, &standing, stance.to_move) == LOST) {
            after->proved = after->to_move == node->to_move ? LOST : WON;
            branch->mean = -INFINITY;
        }
    }
}

/* Seek a proof of what a position is worth or, if that is known, of how to play it. */
static void prove_root(Tree *tree, uint32_t number) {
    Stance stance = stance_of(tree, number);
    int worth = known_worth(tree, &stance, stance.to_move);
    if (worth == UNKNOWN) {
        tree->effort += PROOF * prove_stance(tree, &stance, tree->proving);
        hear(tree, number);
    } else if (worth > LOST) {
        long left = tree->proving;
        (void)play_proved(tree, number, worth, &left);
        tree->effort += PROOF * (tree->proving - left);
    }
}
