// SPDX-License-Identifier: Apache-2.0
// What the layer in a program asks cltune, which looks into the database for it: a process of its
// own, so that neither SQLite nor a damaged file is any business of the program.
//
// Both sides send lines "KEY VALUE" with "end" at the end of a message, over one socket.
//
//     ask                                 wrong
//     kernel NAME@HASH                    kernel NAME@HASH
//     name, vendor, type, driver, units   (the same of the device)
//     size AXIS N                         size AXIS N
//     end                                 experiment HASH
//                                         end
//
// The answer to `ask` is "none", "error MESSAGE", or what to use: "experiment HASH", "text
// CONFIGURATION", "local X Y Z" and "global X Y Z" (0: the driver chooses; left out: unknown),
// "option WORD" for further build options, "macro NAME VALUE", "time NS DEFAULT_NS", "evidence N",
// "distance D"; then "end". That of `wrong` is "end", once it is stored.
#ifndef CT_LAYER_QUESTIONS_H
#define CT_LAYER_QUESTIONS_H

/* The argument that makes the program answer. */
#define CT_ANSWERS_ARGUMENT "--ct-answers"

enum { CT_QUESTION_LINE = 8192 };

#endif
