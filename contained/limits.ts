// Every bound of contained runs, with its unit.

/** For the namespaces, their routes and the relay to be there: a tenth of a second on a quiet machine. */
export const START_MS_MAX = 15_000;
/** What is kept of what the namespaces' own programs said, for the line that says why there are none. */
export const SAID_CHARS_MAX = 2_000;

/** How soon a listener of the program's is open on this machine's loopback too, and the other way round: after a change… */
export const LOOK_SOON_MS = 25;
/** …and when nothing has changed for a while. */
export const LOOK_MS = 150;
export const LOOK_SOON_FOR_MS = 10_000;
/** Where the number of sockets is what it was, one may still have taken the place of another. */
export const LOOK_ANYHOW_MS = 1_000;
/** Of looks at the tables themselves, which cost milliseconds where a machine is large: the pause is so many times as long. */
export const LOOK_PAUSE_TIMES = 10;
/** Listeners of one side that are opened on the other. */
export const MIRRORED_PORTS_MAX = 512;
/** Of one table of sockets, of which those that listen come first. Bytes. */
export const SOCKET_TABLE_BYTES_MAX = 4 * 1024 * 1024;

/** Connections that may wait to be accepted. */
export const BACKLOG = 4_096;
/** A client that is silent so long after it connected to a bare address expects the server to speak first. Milliseconds. */
export const SERVER_FIRST_MS = 300;
/** The proxy's answer to a CONNECT. Bytes. */
export const CONNECT_HEAD_BYTES_MAX = 16 * 1024;

/** Names that have an address at once; the one that was asked for longest ago gives up its own. */
export const NAMES_MAX = 100_000;
/** Of an answer to a name's look-up: the address stays the name's own for longer than any run. */
export const NAME_TTL_SECONDS = 5;

/** Folders that are looked through for bundles of certificates that programs bring along. */
export const BUNDLE_FOLDERS_MAX = 4_000;
/** A bundle of the public roots has over a hundred; a few are somebody's own, and none of ours to replace. */
export const BUNDLE_CERTIFICATES_MIN = 40;
export const BUNDLE_BYTES_MIN = 40 * 1024;
export const BUNDLE_BYTES_MAX = 4 * 1024 * 1024;
/** A longer list of files is no list of bundles. */
export const BUNDLES_MAX = 200;

/** What is left of a run when its program has ended may end by itself within this, before it is killed. Milliseconds. */
export const SURVIVORS_MS = 500;
/** Between two looks at whether it has. */
export const SURVIVORS_LOOK_MS = 10;
