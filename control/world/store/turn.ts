// Long work gives way to other requests between two of its steps.

/** Resolves in a later turn of the event loop. */
export const turn = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 0));
