# SPDX-License-Identifier: GPL-2.0-only
"""Runs a command with a terminal of some columns as stderr, and tells whether its progress fits."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
running = subprocess.Popen(sys.argv[2:], stderr=slave, stdout=subprocess.DEVNULL)
os.close(slave)
said = b""
while True:
    try:
        said += os.read(master, 4096)
    except OSError:
        break
    if b" left" in said:
        running.terminate()
running.wait()
lines = [line for line in re.split(rb"\x1b\[K|[\r\n]+", said) if b"simulated in" in line]
fits = lines and max(map(len, lines)) < int(sys.argv[1])
print(sys.argv[1], "columns:", "fits" if fits else f"{len(lines)} lines, {lines[-1:]}", "left" if b" left" in b"".join(lines) else "")
