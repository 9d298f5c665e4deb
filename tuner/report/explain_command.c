// SPDX-License-Identifier: Apache-2.0
// Prints a planned program.
#include "report/explain_command.h"

#include "report/print.h"

#include <stdio.h>
#include <string.h>

/* Words as a shell would need them; a shell's own text as it is. */
static void print_words(const char *label, const struct ct_plan_words *words, bool shell)
{
    if (!words->count)
        return;
    ct_print("%-11s", label);
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->words[i];
        bool plain = *word && !word[strcspn(word, " \t\n'\"$`\\*?;|()<>")];

        ct_print(plain || shell ? " %s" : " '%s'", word);
    }
    ct_print_line(shell ? " (by /bin/sh -c)" : "");
}

static void print_files(const struct ct_plan_command *command)
{
    for (size_t i = 0; i < command->file_count; i++) {
        const struct ct_plan_file *file = &command->files[i];

        if (file->path)
            ct_print("file        %s, a copy of %s\n", file->name, file->path);
        else
            ct_print(
                "file        %s, written before each run:\n%s%s", file->name, file->text,
                *file->text && file->text[strlen(file->text) - 1] != '\n' ? "\n" : "");
    }
    if (command->input)
        ct_print("input       %s\n", command->input);
}

static void print_right(const struct ct_plan_command *command)
{
    ct_print("right       exit status %u", command->exit_status);
    if (command->expect)
        ct_print(", output matches /%s/", command->expect);
    if (command->reject)
        ct_print(", output does not match /%s/", command->reject);
    if (command->compare)
        ct_print(", '%s' as of the default configuration", command->compare);
    ct_print_text("\n");
    ct_print("limits      ");
    if (command->limit_ns)
        ct_print("%g s, ", (double)command->limit_ns / 1e9);
    ct_print("%g MiB\n", (double)command->disk_bytes / 0x1p20);
}

void ct_report_explain_command(const struct ct_plan_command *command)
{
    ct_print_text("\n");
    ct_print("folder      %s\n", command->folder ? command->folder : "a temporary one");
    print_files(command);
    print_words("set-up", &command->setup, command->shell);
    print_words("command", &command->run, command->shell);
    print_words("clean-up", &command->cleanup, command->shell);
    for (size_t i = 0; i < command->read_count; i++)
        ct_print("read        %s: /%s/ in %s\n", command->reads[i].name,
                 command->reads[i].pattern,
                 command->reads[i].file ? command->reads[i].file : "the output");
    print_right(command);
}
