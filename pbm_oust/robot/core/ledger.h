/* A ledger: which positions of Churn on a small board are won. `proofs.c` includes this file.
 *
 * A side's stones are changed by its own placements alone, and their groups only grow, so that few
 * of all positions can follow one another: a plain search to the end of the game decides them, if
 * each is entered once. Two bits for each position say whether it is known, and whether the side to
 * move wins. No hashing is needed: own stones are turned to the least of their images, and have a
 * page with a place for each set of enemy stones on the other cells. On hex 3 that is 26 megabytes,
 * in place of 290 without symmetries. */

/* The most cells of a board with a ledger: its sets of cells take so many parts of so many cells. */
#define MOST_ENTERED 21
#define PARTS 3
#define PART 7
#define PART_SETS (1 << PART)

typedef struct {
    /* The image of each part of a set, by symmetry; the first one changes nothing. */
    uint32_t image[MOST_SYMMETRIES + 1][PARTS][PART_SETS];
    /* The bits of one part that another one has, drawn together: `drawn[within][some]`. */
    uint8_t drawn[PART_SETS][PART_SETS];
    uint32_t all;
    /* By the set of own stones: the least of its images, and the symmetry that leads there. */
    uint32_t *least;
    uint8_t *symmetry;
    /* By that image: the place at which its page begins. */
    uint64_t *page;
    uint64_t *places;
} Ledger;

static uint32_t part_of_set(uint32_t some, int nth) {
    return some >> (PART * nth) & (PART_SETS - 1);
}

static uint32_t image_in(const Ledger *ledger, int symmetry, uint32_t some) {
    const uint32_t(*image)[PART_SETS] = ledger->image[symmetry];
    return image[0][part_of_set(some, 0)] | image[1][part_of_set(some, 1)] |
           image[2][part_of_set(some, 2)];
}

static void close_ledger(Ledger *ledger) {
    if (ledger != NULL) {
        free(ledger->least);
        free(ledger->symmetry);
        free(ledger->page);
        free(ledger->places);
        free(ledger);
    }
}

/* Give all sets of own stones that are the least of their images a page. Return how many places the
 * pages have. */
static uint64_t number_pages(Ledger *ledger, int symmetries, int cells) {
    uint64_t places = 0;
    for (uint32_t own = 0; own <= ledger->all; own++) {
        ledger->least[own] = own;
        ledger->symmetry[own] = 0;
        for (int nth = 1; nth <= symmetries; nth++) {
            uint32_t image = image_in(ledger, nth, own);
            if (image < ledger->least[own]) {
                ledger->least[own] = image;
                ledger->symmetry[own] = (uint8_t)nth;
            }
        }
        if (ledger->least[own] == own) {
            ledger->page[own] = places;
            places += (uint64_t)1 << (cells - bits_of(own));
        }
    }
    return places;
}

/* Return an empty ledger of a board with some symmetries, by the images of the bytes of a set; NULL if
 * the board is too large for one that takes up to so many bytes. */
static Ledger *open_ledger(const Board *board, const uint64_t (*image)[8][256], int symmetries,
                           uint64_t most_bytes) {
    int cells = board->count;
    Ledger *ledger = cells <= MOST_ENTERED ? calloc(1, sizeof(Ledger)) : NULL;
    if (ledger == NULL) {
        return NULL;
    }
    ledger->all = (uint32_t)board->all.word[0];
    for (uint32_t some = 0; some < PART_SETS; some++) {
        for (int part = 0; part < PARTS; part++) {
            uint32_t set = some << (PART * part) & ledger->all;
            ledger->image[0][part][some] = set;
            for (int nth = 0; nth < symmetries; nth++) {
                for (int byte = 0; byte < 4; byte++) {
                    ledger->image[nth + 1][part][some] |=
                        (uint32_t)image[nth][byte][set >> (8 * byte) & 255];
                }
            }
        }
        for (uint32_t within = 0; within < PART_SETS; within++) {
            for (uint32_t cell = 0, place = 0; cell < PART; cell++) {
                ledger->drawn[within][some] |= (uint8_t)(((within & some) >> cell & 1) << place);
                place += within >> cell & 1;
            }
        }
    }
    size_t sets = (size_t)ledger->all + 1;
    ledger->least = malloc(sets * sizeof *ledger->least);
    ledger->symmetry = malloc(sets * sizeof *ledger->symmetry);
    ledger->page = malloc(sets * sizeof *ledger->page);
    if (ledger->least != NULL && ledger->symmetry != NULL && ledger->page != NULL) {
        uint64_t words = number_pages(ledger, symmetries, cells) / 32 + 1;
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
static uint64_t place_in(const Ledger *ledger, uint64_t own, uint64_t enemy) {
    uint32_t least = ledger->least[own], free = ledger->all & ~least;
    uint32_t others = image_in(ledger, ledger->symmetry[own], (uint32_t)enemy);
    uint64_t place = 0;
    for (int nth = PARTS - 1; nth >= 0; nth--) {
        uint32_t within = part_of_set(free, nth);
        place = place << bits_of(within) | ledger->drawn[within][part_of_set(others, nth)];
    }
    return ledger->page[least] + place;
}

/* Return 1 or 0 if the side to move wins or loses; UNKNOWN if that was not entered. */
static int entered(const Ledger *ledger, uint64_t place) {
    return (int)(ledger->places[place / 32] >> (2 * (place % 32)) & 3) - 1;
}

static void enter_win(Ledger *ledger, uint64_t place, int wins) {
    ledger->places[place / 32] |= (uint64_t)(wins + 1) << (2 * (place % 32));
}
