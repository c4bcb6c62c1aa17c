/* Trees of positions on boards of up to 128 cells. */

#define WORDS 2
#define CORE core_of_2_words

#include "tree.h"
