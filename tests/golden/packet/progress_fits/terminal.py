# SPDX-License-Identifier: GPL-2.0-only
"""Runs a command with a terminal of some columns as stderr until its progress has a word, and tells whether the lines fit."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

columns, word, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
running = subprocess.Popen(command, stderr=slave, stdout=subprocess.DEVNULL)
os.close(slave)
said = b""
while True:
    try:
        said += os.read(master, 4096)
    except OSError:
        break
    if word.encode() in said:
        running.terminate()
running.wait()
lines = [line for line in re.findall(rb"\x1b\[K([^\r\n\x1b]*)", said) if word.encode() in line]
fits = lines and max(map(len, lines)) < columns
print(command[1], columns, "columns:", "fits" if fits else f"{len(lines)} lines, {lines[-1:]}, {said[-400:]}", word)
