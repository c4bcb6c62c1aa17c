/* Trees of positions on boards of up to 256 cells. */

#define WORDS 4
#define CORE core_of_4_words

#include "tree.h"
