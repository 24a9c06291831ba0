// Bounds of what runs in QuickJS, beside those that each module is given.

/** Of WebAssembly. */
export const PAGE_BYTES = 64 * 1024;
/** With which the engine begins, whether it needs them or not. */
export const ENGINE_PAGES_MIN = 256;
/**
 * Deep enough for JSON of any record. Deeper, what the engine does at once with a deep value (it looks for circles) takes
 * longer than it may, and the host's own stack ends before.
 */
export const ENGINE_STACK_BYTES = 128 * 1024;
