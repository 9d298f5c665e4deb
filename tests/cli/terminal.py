# SPDX-License-Identifier: Apache-2.0
"""Runs a command at a terminal of its own, where a text is typed, and prints what it shows.

    terminal.py TYPED COMMAND...      \\n and \\004 (end of input) in TYPED are what they are in C
"""
import os
import pty
import sys

typed = sys.argv[1].encode().decode("unicode_escape").encode()
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
os.write(terminal, typed)
shown = b""
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    shown += part
sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
