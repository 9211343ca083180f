"""Usage: run-in-terminal.py ROWS COLUMNS COMMAND...

Runs a command in a terminal of that size. Prints the bytes that the terminal gets as hexadecimal digits, a line for each read. SIGTERM
ends the command.
"""

import fcntl
import os
import pty
import signal
import struct
import sys
import termios

rows, columns, *command = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(columns), 0, 0))
    os.execvp(command[0], command)
signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGTERM))
while True:
    try:
        read = os.read(terminal, 65536)
    except OSError:  # The command has ended.
        break
    if not read:
        break
    print(read.hex(), flush=True)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0)
