// SPDX-License-Identifier: Apache-2.0
// A reference for space files to name.
void f(float *a);
void f(float *a)
{
    a[0] = 0;
}
