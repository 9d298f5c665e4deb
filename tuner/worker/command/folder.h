// SPDX-License-Identifier: Apache-2.0
// The folder that a program runs in.
#ifndef CT_WORKER_COMMAND_FOLDER_H
#define CT_WORKER_COMMAND_FOLDER_H

#include "base/err.h"
#include "plan/plan.h"

#include <stdint.h>

/* What the files in a folder take on disk, or their lengths if those are more; links are not
 * followed.  Of folders in it, at most sixteen levels deep. */
uint64_t ct_folder_size(const char *path);

/* Copies the command's files into the folder, with their permissions.  CT_E_IO. */
enum ct_status ct_folder_copy_files(const char *folder,
                                    const struct ct_plan_command *command,
                                    struct ct_err *err);

/* Writes the texts.  CT_E_IO. */
enum ct_status ct_folder_write_texts(const char *folder,
                                     const struct ct_plan_command *command,
                                     struct ct_err *err);

/* Reads a file of the folder, or an absolute path, up to `most_bytes` of it; from a descriptor if
 * that is not -1.  The caller frees *text, which ends in a null character.  CT_E_NOT_FOUND with the
 * reason, CT_E_NOMEM. */
enum ct_status ct_folder_read(const char *folder, const char *name, int fd,
                              uint64_t most_bytes, char **text, size_t *length,
                              struct ct_err *err);

#endif
