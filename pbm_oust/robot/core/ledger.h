/* A ledger: which positions of Churn on a small board are won. `proofs.c` includes this file.
 *
 * A side's stones are changed by its own placements alone, and the sizes of its groups, largest first,
 * only grow. So few of all positions can follow one another, and a plain search to the end of the
 * game decides them, if each is entered once. Own stones are turned to the least of their images,
 * which has a page: a place for each set of enemy stones on the other cells. A place takes two bits,
 * so that a ledger of hex 3 takes 26 megabytes, in place of 290 without symmetries. */

/* The most cells of a board with a ledger. */
#define MOST_ENTERED 21

/* No symmetry: a set is the least of its own images. */
#define UNTURNED UINT8_MAX

/* How many places a word has. */
#define WORD_PLACES 32

typedef struct Ledger {
    /* The bits of one byte that another one has, drawn together: `drawn[within][some]`. */
    uint8_t drawn[256][256];
    /* By the set of own stones: the least of its images, and the symmetry that leads there. */
    uint32_t *least;
    uint8_t *symmetry;
    /* By that image: the place at which its page begins. */
    uint64_t *page;
    uint64_t *places;
} Ledger;

static void close_ledger(Ledger *ledger) {
    if (ledger != NULL) {
        free(ledger->least);
        free(ledger->symmetry);
        free(ledger->page);
        free(ledger->places);
        free(ledger);
    }
}

static void draw_bytes(Ledger *ledger) {
    for (int within = 0; within < 256; within++) {
        for (int some = 0; some < 256; some++) {
            for (int bit = 0, place = 0; bit < 8; bit++) {
                ledger->drawn[within][some] |= (uint8_t)((within & some) >> bit & 1) << place;
                place += within >> bit & 1;
            }
        }
    }
}

/* Give all sets of own stones that are the least of their images a page. Return how many places the
 * pages have. */
static uint64_t number_pages(const Proofs *proofs, Ledger *ledger) {
    uint64_t places = 0;
    for (uint32_t own = 0; own <= proofs->board.all.word[0]; own++) {
        ledger->least[own] = own;
        ledger->symmetry[own] = UNTURNED;
        for (int nth = 0; nth < proofs->symmetries; nth++) {
            uint32_t image = (uint32_t)image_of(proofs, nth, (Cells){{own}}).word[0];
            if (image < ledger->least[own]) {
                ledger->least[own] = image;
                ledger->symmetry[own] = (uint8_t)nth;
            }
        }
        if (ledger->symmetry[own] == UNTURNED) {
            ledger->page[own] = places;
            places += (uint64_t)1 << (proofs->board.count - bits_of(own));
        }
    }
    return places;
}

/* Return an empty ledger; NULL if the game has none, or one that takes more than some bytes. It holds
 * no draws: there are none on a board with an odd number of cells. */
static Ledger *open_ledger(const Proofs *proofs, uint64_t most_bytes) {
    int cells = proofs->board.count;
    int has_one = proofs->is_churn && cells % 2 == 1 && cells <= MOST_ENTERED;
    Ledger *ledger = has_one ? calloc(1, sizeof(Ledger)) : NULL;
    if (ledger == NULL) {
        return NULL;
    }
    draw_bytes(ledger);
    size_t sets = (size_t)1 << cells;
    ledger->least = malloc(sets * sizeof *ledger->least);
    ledger->symmetry = malloc(sets * sizeof *ledger->symmetry);
    ledger->page = malloc(sets * sizeof *ledger->page);
    if (ledger->least != NULL && ledger->symmetry != NULL && ledger->page != NULL) {
        uint64_t words = number_pages(proofs, ledger) / WORD_PLACES + 1;
        if (words <= most_bytes / sizeof *ledger->places) {
            ledger->places = calloc(words, sizeof *ledger->places);
        }
    }
    if (ledger->places == NULL) {
        close_ledger(ledger);
        return NULL;
    }
    return ledger;
}

/* Return the place of a position, by the stones of the side to move and those of the other. */
static uint64_t place_in(const Proofs *proofs, Cells own, Cells enemy) {
    const Ledger *ledger = proofs->ledger;
    uint32_t least = ledger->least[own.word[0]];
    int symmetry = ledger->symmetry[own.word[0]];
    uint64_t others = (symmetry == UNTURNED ? enemy : image_of(proofs, symmetry, enemy)).word[0];
    uint64_t left = proofs->board.all.word[0] & ~(uint64_t)least, place = 0;
    for (int shift = 8 * ((proofs->board.count - 1) / 8); shift >= 0; shift -= 8) {
        uint64_t within = left >> shift & 255;
        place = place << bits_of(within) | ledger->drawn[within][others >> shift & 255];
    }
    return ledger->page[least] + place;
}

/* Return what was entered: the position is WON or LOST for the side to move; UNKNOWN if nothing was. */
static int entered(const Ledger *ledger, uint64_t place) {
    int bits = (int)(ledger->places[place / WORD_PLACES] >> (2 * (place % WORD_PLACES)) & 3);
    return bits == 0 ? UNKNOWN : bits == 1 ? LOST : WON;
}

static void enter(Ledger *ledger, uint64_t place, int worth) {
    uint64_t bits = worth == LOST ? 1 : 2;
    ledger->places[place / WORD_PLACES] |= bits << (2 * (place % WORD_PLACES));
}

/* Enter a position, and what has to be known for that. Return what it is worth to the side to move;
 * UNKNOWN if the search must stop. No game is so long that this goes too deep. */
static int fill(Proofs *proofs, Cells own, Cells enemy) {
    uint64_t here = place_in(proofs, own, enemy);
    int worth = entered(proofs->ledger, here);
    if (worth != UNKNOWN || !may_go_on(proofs)) {
        return worth;
    }
    proofs->searched++;
    Stance from = {{own, enemy}, 0, 0, UNKNOWN};
    Cells cells = churn_placements(&proofs->board, own, empty_cells(&proofs->board, &from));
    Cells open[MOST_ENTERED];
    int count = 0;
    worth = LOST;
    while (!is_empty(cells) && worth == LOST) {
        Stance to = churn_place(&proofs->board, &from, take_lowest(&cells));
        int theirs = to.result;
        if (theirs == UNKNOWN) {
            theirs = entered(proofs->ledger, place_in(proofs, enemy, to.stones[0]));
        }
        if (theirs == UNKNOWN) {
            open[count++] = to.stones[0];
        } else {
            worth = WON - theirs;
        }
    }
    for (int nth = 0; nth < count && worth == LOST; nth++) {
        int theirs = fill(proofs, enemy, open[nth]);
        if (theirs == UNKNOWN) {
            return UNKNOWN;
        }
        worth = WON - theirs;
    }
    enter(proofs->ledger, here, worth);
    return worth;
}
