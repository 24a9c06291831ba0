/** The thread that answers, which a process may have for many worlds. */
export type Processor = {
  /** How long it has run by now, whoever it ran for: what it waited for disks and for others of its machine is not in it. Milliseconds. */
  spent(): number;
};
