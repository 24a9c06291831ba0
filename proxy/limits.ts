// Every bound of the proxy, with its unit. A limit of the data path that is hit answers or closes; it never waits.

/** Request and response heads, start line included. Bytes. */
export const HEAD_BYTES_MAX = 16 * 1024;
/** A method with the space after it: longer than any that HTTP knows. Bytes. */
export const METHOD_BYTES_MAX = 32;
/** Header fields in one head or trailer section. */
export const HEAD_FIELDS_MAX = 1_000;
/** 1xx answers before the answer itself; they are passed on without waiting for a slow client. */
export const INTERIM_HEADS_MAX = 32;
/** Trailer section of a chunked body. Bytes. */
export const TRAILER_BYTES_MAX = 8 * 1024;
/** One chunk-size line with its extensions, which are read and dropped. Bytes. */
export const CHUNK_LINE_BYTES_MAX = 1024;
/** Hexadecimal digits of a chunk's size: 13 stay below 2^53. */
export const CHUNK_SIZE_DIGITS_MAX = 13;
/** Head and body that arrive together are written together up to this size. Bytes. */
export const MERGE_BYTES_MAX = 16 * 1024;
/** What one side has not taken yet before the other side is held back; Node's own 64 KB stop and start a fast one at every read. Bytes. */
export const BUFFERED_BYTES_MAX = 256 * 1024;

/** Client connections held at once, where there are descriptors for so many; a further one is answered 503. */
export const CLIENT_CONNECTIONS_MAX = 20_000;
/** Those that are being told so; beyond them a connection is closed at accept. */
export const TURNED_AWAY_MAX = 64;
/** One that is told so is closed after this, whatever it does. Milliseconds. */
export const TURNED_AWAY_MS_MAX = 2_000;
/** File descriptors for the process itself: Node's own, the log, the listeners, the sockets of control. */
export const DESCRIPTORS_KEPT = 64;
export const DESCRIPTORS_KEPT_PER_WORKER = 16;
/** For upstream connections, where there are many descriptors and most clients only wait. */
export const UPSTREAMS_KEPT = 4_096;
/** From accept, or from a request's first byte, to its whole head. Milliseconds. */
export const HEAD_MS_MAX = 30_000;
/** A client silent this long after its CONNECT may be waiting for a server that speaks first. Milliseconds. */
export const SERVER_FIRST_MS = 300;
/** From `200 Connection Established` to the client's first byte, and from there to a finished handshake. */
export const HANDSHAKE_MS_MAX = 15_000;
/** A TLS hello that is read for its name before it is tunnelled; real ones, post-quantum keys included, are under 4 KB. */
export const CLIENT_HELLO_BYTES_MAX = 32 * 1024;
/** One plaintext record of it (RFC 8446 5.1). Bytes. */
export const TLS_RECORD_BYTES_MAX = 2 ** 14;
/** A kept-alive client connection with nothing in flight. Milliseconds. */
export const CLIENT_IDLE_MS_MAX = 10 * 60_000;
/** An exchange in which no byte moves in either direction. Model calls can think for minutes. */
export const EXCHANGE_STALL_MS_MAX = 15 * 60_000;

/** What is read and thrown away of a request body whose answer is already out, before the connection closes. */
export const DRAIN_BYTES_MAX = 1024 * 1024;
export const DRAIN_MS_MAX = 5_000;
/** Of what a refused client calls itself, for the people who read of it. Characters. */
export const AGENT_CHARS_SHOWN_MAX = 120;
/** The rest of a refused request's body that is read past to keep its connection. Bytes. */
export const SKIP_BYTES_MAX = 64 * 1024;

/** Streams that one HTTP/2 client may have open at once. */
export const HTTP2_STREAMS_MAX = 250;
/** What a client may send on one stream before it is read. Bytes. */
export const HTTP2_WINDOW_BYTES = 256 * 1024;
/** What one HTTP/2 session may hold: heads, frames that wait to be written. Megabytes. */
export const HTTP2_SESSION_MEMORY_MB_MAX = 16;

/** DNS, TCP and TLS to an upstream, each address tried in turn within it. Milliseconds. */
export const DIAL_MS_MAX = 20_000;
/** TCP to one of several addresses: long enough for one lost SYN, then the next is tried. The last has what is left. */
export const DIAL_ADDRESS_MS_MAX = 3_000;
/** Idle upstream connections kept for one origin, and in all. */
export const UPSTREAM_IDLE_PER_ORIGIN_MAX = 512;
export const UPSTREAM_IDLE_MAX = 4_096;
/** An idle upstream connection is closed after this, or a second before what the upstream announced. */
export const UPSTREAM_IDLE_MS_MAX = 30_000;

/** Tunnels that one run may have open at once; a further CONNECT is answered 503. */
export const TUNNELS_PER_RUN_MAX = 16_000;
/** Hosts never seen for which a certificate is minted: sustained, and saved up for a start. */
export const LEAF_MINTS_PER_SECOND_MAX = 200;
export const LEAF_MINTS_BURST_MAX = 2_000;

/** Between two looks at all deadlines. Milliseconds. */
export const SWEEP_MS = 1_000;

/** The limits that a server may be given otherwise: a share of them to each worker, or short ones to a test. */
export type Limits = {
  readonly clientConnections: number;
  /** Idle ones among them. */
  readonly upstreamConnections: number;
  /** Of both. */
  readonly connections: number;
  readonly tunnelsPerRun: number;
  readonly leafMintsPerSecond: number;
  readonly leafMintsBurst: number;
  readonly headMs: number;
  readonly handshakeMs: number;
  readonly clientIdleMs: number;
  readonly exchangeStallMs: number;
  readonly sweepMs: number;
};

export const LIMITS: Limits = {
  clientConnections: CLIENT_CONNECTIONS_MAX,
  // What the clients ask for; where there are few descriptors, so many (descriptors.ts).
  upstreamConnections: Number.POSITIVE_INFINITY,
  connections: Number.POSITIVE_INFINITY,
  tunnelsPerRun: TUNNELS_PER_RUN_MAX,
  leafMintsPerSecond: LEAF_MINTS_PER_SECOND_MAX,
  leafMintsBurst: LEAF_MINTS_BURST_MAX,
  headMs: HEAD_MS_MAX,
  handshakeMs: HANDSHAKE_MS_MAX,
  clientIdleMs: CLIENT_IDLE_MS_MAX,
  exchangeStallMs: EXCHANGE_STALL_MS_MAX,
  sweepMs: SWEEP_MS,
};

/** On SIGTERM, what is in flight may finish within this. Milliseconds. */
export const SHUTDOWN_MS_MAX = 10_000;

/** Longest path and host in a line of the journal. Characters. */
export const JOURNAL_TEXT_CHARS_MAX = 512;
/** Lines of the journal and of the process log are written out when there are this many bytes of them. */
export const LINES_BYTES_MAX = 64 * 1024;
/** A longer line is written by itself. Characters. */
export const LINE_CHARS_MAX = 8 * 1024;
/** How long a line waits at most. Milliseconds. */
export const LINE_WAIT_MS_MAX = 200;

/** Between attempts to reach control. Milliseconds; doubles from the first to the last. */
export const CONTROL_RETRY_MS_MIN = 20;
export const CONTROL_RETRY_MS_MAX = 1_000;
/** Refusals held for control while it reads slowly; beyond it they are only logged. Bytes. */
export const REPORTS_BYTES_MAX = 1024 * 1024;
/** Longest time that may be asked for to go on without control. Seconds. */
export const ORPHAN_SECONDS_MAX = 7 * 86_400;
/** Between two looks at whether control is there. Milliseconds. */
export const ORPHAN_CHECK_MS = 1_000;
/** From listening to reading the roots: control is told first that we listen, and has its snapshot put in force. */
export const TRUST_AFTER_MS = 100;

/** More threads than this share no more work. */
export const WORKERS_MAX = 64;
/** A worker that ended sooner after its start did not work at all. Milliseconds. */
export const WORKER_STEADY_MS = 1_000;
/** So many false starts of a worker in a row, and the process gives up: control starts it anew, and says so. */
export const WORKER_FALSE_STARTS_MAX = 5;
/** Before a worker is started again after a false start. Milliseconds. */
export const WORKER_RESTART_MS = 200;
/** Beyond the drain's own limit, a worker is ended. Milliseconds. */
export const WORKER_DRAIN_SLACK_MS = 1_000;
