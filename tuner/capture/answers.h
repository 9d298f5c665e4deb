// SPDX-License-Identifier: Apache-2.0
// Answers the layer's questions (layer/questions.h) from the database.
#ifndef CT_CAPTURE_ANSWERS_H
#define CT_CAPTURE_ANSWERS_H

/* Answers what comes over the socket until its other end is closed.  Returns an exit status. */
int ct_answers_serve(int socket);

#endif
