// SPDX-License-Identifier: Apache-2.0
// Included by tests/apps/assorted.cl, which its application builds with -I.
typedef float real;
#define GROUP_ITEMS 16
