/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the values that it was built with. */
#include <stdio.h>

#ifndef ITEMS
#define ITEMS 1
#define WG    0
#endif

int main(void)
{
    printf("ITEMS=%d WG=%d\n", ITEMS, WG);
    return 0;
}
