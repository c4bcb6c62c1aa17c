/* Trees of positions on boards of up to 64 cells. */

#define WORDS 1
#define CORE core_of_1_word

#include "tree.h"
