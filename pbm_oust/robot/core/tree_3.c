/* Trees of positions on boards of up to 192 cells. */

#define WORDS 3
#define CORE core_of_3_words

#include "tree.h"
