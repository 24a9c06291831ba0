// Every bound of the files of lines, with its unit.

const KIB = 1024;
const MIB = 1024 * KIB;

/** A file of lines that would become longer is set aside, and a new one begun. */
export const LOG_BYTES_MAX = 10 * MIB;
/** Files set aside, the newest; with the one in use, a log takes four times LOG_BYTES_MAX of the disk. */
export const LOG_FILES_OLD_MAX = 3;
/** Lines that could not be written are kept so far, and written when there is room again; later ones are lost. */
export const LOG_HELD_BYTES_MAX = 256 * KIB;
