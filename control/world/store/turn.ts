// Long work gives way to other requests between two of its steps.

/** Resolves in a later turn of the event loop, after so many milliseconds. */
export const turn = (ms = 0): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));
