// A file that may not become larger (`ulimit -f`) is an error of the write, told like a full disk. Unless somebody listens,
// the system sends SIGXFSZ besides, which ends the process.

/** For a process whose files may meet such a limit. */
export function outliveFileLimit(): void {
  process.on('SIGXFSZ', () => {});
}
