// SPDX-License-Identifier: Apache-2.0
// A copy that fails in every way of the virtual driver (tests/fault/README.md), one a value
// of FAULT, and what a search should store of each: any of the statuses behind `expect`.
// faults-virtual.sh reads those lines.
//
// Good ones take 20 us times a factor of each of X, Y and Z on the faster device; the best
// is X=1 Y=3 Z=5, by a tenth. What must not win would: it is four times as fast.
#pragma virtual base 200000
#pragma virtual factor X 0 1.3
#pragma virtual factor X 2 1.7
#pragma virtual factor X 3 1.4
#pragma virtual factor X 4 1.1
#pragma virtual factor X 5 1.8
#pragma virtual factor X 6 1.5
#pragma virtual factor X 7 1.2
#pragma virtual factor X 8 1.9
#pragma virtual factor X 9 1.6
#pragma virtual factor Y 0 1.1
#pragma virtual factor Y 1 1.4
#pragma virtual factor Y 2 1.7
#pragma virtual factor Y 4 1.3
#pragma virtual factor Y 5 1.6
#pragma virtual factor Y 6 1.9
#pragma virtual factor Y 7 1.2
#pragma virtual factor Y 8 1.5
#pragma virtual factor Y 9 1.8
#pragma virtual factor Z 0 1.5
#pragma virtual factor Z 1 1.4
#pragma virtual factor Z 2 1.3
#pragma virtual factor Z 3 1.2
#pragma virtual factor Z 4 1.1
#pragma virtual factor Z 6 1.9
#pragma virtual factor Z 7 1.8
#pragma virtual factor Z 8 1.7
#pragma virtual factor Z 9 1.6
// expect 1 build_failed
#pragma virtual fault FAULT 1 build_error
// expect 2 build_failed
#pragma virtual fault FAULT 2 build_error:-6
// expect 3 timeout
#pragma virtual fault FAULT 3 build_hang
// expect 4 crashed
#pragma virtual fault FAULT 4 build_segfault
// expect 5 crashed
#pragma virtual fault FAULT 5 build_abort
// expect 6 crashed
#pragma virtual fault FAULT 6 build_exit
// expect 7 crashed
#pragma virtual fault FAULT 7 build_exit:0
// expect 8 timeout
#pragma virtual fault FAULT 8 build_spawn
// expect 9 ok
#pragma virtual fault FAULT 9 build_chatter:256
// expect 10 ok leak:1500
#pragma virtual fault FAULT 10 build_leak:1500
// expect 11 crashed ok
#pragma virtual fault FAULT 11 build_segfault until:1
// expect 12 invalid
#pragma virtual fault FAULT 12 launch_error
#pragma virtual factor FAULT 12 0.25
// expect 13 invalid
#pragma virtual fault FAULT 13 launch_error:-54
#pragma virtual factor FAULT 13 0.25
// expect 14 timeout
#pragma virtual fault FAULT 14 launch_hang
#pragma virtual factor FAULT 14 0.25
// expect 15 crashed
#pragma virtual fault FAULT 15 segfault
#pragma virtual factor FAULT 15 0.25
// expect 16 crashed
#pragma virtual fault FAULT 16 abort
#pragma virtual factor FAULT 16 0.25
// expect 17 crashed
#pragma virtual fault FAULT 17 exit
#pragma virtual factor FAULT 17 0.25
// expect 18 crashed
#pragma virtual fault FAULT 18 exit:0
#pragma virtual factor FAULT 18 0.25
// expect 19 crashed ok
#pragma virtual fault FAULT 19 segfault until:1
// expect 20 crashed
#pragma virtual fault FAULT 20 segfault from:20
#pragma virtual factor FAULT 20 0.25
// expect 21 timeout
#pragma virtual fault FAULT 21 launch_hang from:20
#pragma virtual factor FAULT 21 0.25
// expect 22 ok
#pragma virtual fault FAULT 22 leak:64 at:1
// expect 23 crashed
#pragma virtual fault FAULT 23 lost
#pragma virtual factor FAULT 23 0.25
// expect 24 crashed
#pragma virtual fault FAULT 24 finish_lost
#pragma virtual factor FAULT 24 0.25
// expect 25 invalid
#pragma virtual fault FAULT 25 group_limit:8
#pragma virtual factor FAULT 25 0.25
// expect 26 invalid
#pragma virtual fault FAULT 26 local_limit:128
#pragma virtual factor FAULT 26 0.25
// expect 27 crashed
#pragma virtual fault FAULT 27 local_abort:128
#pragma virtual factor FAULT 27 0.25
// expect 28 wrong
#pragma virtual fault FAULT 28 wrong
#pragma virtual factor FAULT 28 0.25
// expect 29 wrong
#pragma virtual fault FAULT 29 unwritten
#pragma virtual factor FAULT 29 0.25
// expect 30 wrong
#pragma virtual fault FAULT 30 overrun
#pragma virtual factor FAULT 30 0.25
// expect 31 wrong
#pragma virtual fault FAULT 31 underrun
#pragma virtual factor FAULT 31 0.25
// expect 32 ok wrong
#pragma virtual fault FAULT 32 taint at:1
// expect 33 ok wrong
#pragma virtual fault FAULT 33 wrong every:2
// expect 34 ok
#pragma virtual fault FAULT 34 event_scale
// expect 35 ok
#pragma virtual fault FAULT 35 event_scale:10
// expect 36 ok
#pragma virtual fault FAULT 36 event_scale:1000
// expect 37 ok
#pragma virtual fault FAULT 37 backwards
// expect 38 crashed
#pragma virtual fault FAULT 38 finish_error
#pragma virtual factor FAULT 38 0.25
// expect 39 crashed
#pragma virtual fault FAULT 39 finish_error:-5
#pragma virtual factor FAULT 39 0.25
// expect 40 timeout
#pragma virtual fault FAULT 40 finish_hang
#pragma virtual factor FAULT 40 0.25
// expect 41 crashed
#pragma virtual fault FAULT 41 finish_segfault
#pragma virtual factor FAULT 41 0.25
// expect 42 crashed
#pragma virtual fault FAULT 42 finish_abort
#pragma virtual factor FAULT 42 0.25
// expect 43 crashed
#pragma virtual fault FAULT 43 finish_exit
#pragma virtual factor FAULT 43 0.25
// expect 44 ok
#pragma virtual fault FAULT 44 load_error
// expect 45 crashed ok
#pragma virtual fault FAULT 45 load_segfault
// expect 46 timeout ok
#pragma virtual fault FAULT 46 load_hang
// expect 47 crashed ok
#pragma virtual fault FAULT 47 segfault chance:0.5
// expect 48 wrong
#pragma virtual fault FAULT 48 overrun:100
#pragma virtual factor FAULT 48 0.25
// expect 49 ok
#if FAULT == 49
#pragma virtual build_time 300000000
#endif
// expect 50 ok
#if FAULT == 50
#pragma virtual first_time 300000000
#endif
__kernel void copy(__global const float *input, __global float *output, uint n)
{
    __local float tile[64];
    uint i = get_global_id(0);

    tile[get_local_id(0)] = input[i];
    if (i < n)
        output[i] = tile[get_local_id(0)];
}
