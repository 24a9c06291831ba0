// Every limit of this host in one place, with its unit in its name. What bounds a world is in control/world/limits.ts,
// what bounds the proxy in proxy/limits.ts.

const KIB = 1024;
const MIB = 1024 * KIB;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

// ── The listener ───────────────────────────────────────────────────────────────────────────────────────────

/** What is sent of a streamed answer before others have their turn, though its client takes all of it. */
export const STREAMED_BYTES_PER_TURN_MAX = 128 * KIB;
/** A longer body is handed to its socket slice by slice, and what is left of it counts as in flight. */
export const ANSWER_SLICE_BYTES = 256 * KIB;
/** A request whose head is not whole after this is answered 408. */
export const HEAD_MS_MAX = 15 * SECOND_MS;
/** A request whose body is not whole after this is answered 408. */
export const REQUEST_MS_MAX = 2 * MINUTE_MS;
/** An idle connection is kept this long. Longer than a client's own reuse window, so that it is the client that closes. */
export const IDLE_CONNECTION_MS_MAX = 75 * SECOND_MS;
export const HEAD_BYTES_MAX = 16 * KIB;
/** Requests in flight when the listener closes get this long to finish. */
export const DRAIN_MS_MAX = 5 * SECOND_MS;
/** File descriptors for the process itself: Node's own, the log, the files of a few worlds. */
export const DESCRIPTORS_KEPT = 96;
/** Connections beyond those there is room for that are answered 503; beyond these they are closed at accept. */
export const CROWDED_CONNECTIONS_MAX = 64;
/** Between two lines of the log about connections that found no room. */
export const CROWDED_TOLD_MS = 10 * SECOND_MS;
/** A connection that was accepted when the listener closes, and was asked nothing yet, gets this long for it. */
export const DRAIN_FIRST_MS = 500;
/** Between two looks at which connections have become idle meanwhile. */
export const DRAIN_LOOK_MS = 20;
/** What is read of a body that nobody wants, before the connection is cut instead of reused. */
export const DISCARDED_BODY_BYTES_MAX = 256 * KIB;
/** How long a `timeout` fault (twins/kit/reply.ts) holds a client that does not give up by itself. */
export const FAULT_HOLD_MS_MAX = 10 * MINUTE_MS;
/** From the going-away of a WebSocket to the cut, where its client does not answer it. */
export const SOCKET_CLOSE_MS_MAX = SECOND_MS;

// ── Config and handlers files ──────────────────────────────────────────────────────────────────────────────

/** Worlds above a world: parents of parents. */
export const PARENTS_MAX = 16;
/** Of a file of `.wrld` that is read whole. */
export const FILE_BYTES_MAX = 64 * MIB;
/** Editors save in several steps: a config is read when nothing has happened to its file for this long. */
export const CONFIG_SETTLE_MS = 40;
/** As for the config, of a handlers file. */
export const HANDLERS_SETTLE_MS = 25;

// ── Twins of others ────────────────────────────────────────────────────────────────────────────────────────

/** A call into a twin that does not ship with wrld is ended after this. */
export const TWIN_CALL_MS_MAX = 5 * SECOND_MS;
/** Each call that was ended lately halves the time of the next, down to this. */
export const TWIN_CALL_MS_LEAST = 250;
/** For so long a call that was ended is “lately”. */
export const TWIN_OVERRUN_REMEMBERED_MS = MINUTE_MS;
/** Calls that were ended, of a twin; more would halve nothing any further. */
export const TWIN_OVERRUNS_MAX = 16;

// ── The proxy ──────────────────────────────────────────────────────────────────────────────────────────────

/** A proxy that has not answered a push after this counts as not having it. */
export const PUSH_ANSWER_MS_MAX = 10 * SECOND_MS;
/** A connection of the policy channel that has not said hello after this is closed. */
export const HELLO_MS_MAX = 5 * SECOND_MS;
/** How long a proxy serves on without control: long enough for a restart, too short to be forgotten. */
export const PROXY_ORPHAN_SECONDS = 300;
/** How long the proxy of a far world serves on when its process was killed: nobody will take it over. */
export const FAR_PROXY_ORPHAN_SECONDS = 1;
/** What the proxy says on standard error, of its start and its end, is set aside when it is longer than this at a start. */
export const PROXY_OUTPUT_BYTES_MAX = MIB;
/** The end of it that goes into an error. */
export const OUTPUT_TAIL_CHARS_MAX = 2_000;
/** Between two looks at a process that is no child of this one. */
export const PROCESS_LOOK_MS = 100;
/** Refusals kept in memory, the newest. */
export const REFUSALS_KEPT_MAX = 100;
/** Calls that a test's world keeps, the newest; half of them go when there are more. */
export const CALLS_KEPT_MAX = 10_000;
/** Of a call's body, as such a world keeps it. */
export const CALL_BODY_BYTES_MAX = 256 * 1024;
/** Runs with a declaration at once; `wrld world run` closes its own when its command ends. */
export const RUNS_MAX = 1_000;
/** Runs that are told of, the newest: more than can be open. */
export const RUNS_SEEN_MAX = 2 * RUNS_MAX;

export type BranchLimits = {
  /** Worlds open at once, but for those that are in use; each has three files and its twins in memory. */
  readonly openMax: number;
  /** A world that nobody has asked for so long is closed; it opens again in some 20 ms. */
  readonly idleMs: number;
};

export const BRANCH_LIMITS: BranchLimits = { openMax: 64, idleMs: 5 * MINUTE_MS };

/** Worlds that are opened at once because of what they have to do by themselves. */
export const WORLDS_LOOKED_AFTER_AT_ONCE_MAX = 8;

export type SupervisorLimits = {
  /** A proxy that outlived control redials within this of control's start, or it is not adopted. */
  readonly adoptMs: number;
  /** From start to hello. */
  readonly helloMs: number;
  /** The wait before the second start in a row; it doubles up to `restartMsMax`. The first is at once. */
  readonly restartMs: number;
  readonly restartMsMax: number;
  /** A proxy that lived this long ended a row of crashes. */
  readonly steadyMs: number;
  /** Deaths in a row from which on it is called a crash loop. */
  readonly crashLoopDeaths: number;
  /** From SIGTERM to SIGKILL. */
  readonly drainMs: number;
};

export const SUPERVISOR_LIMITS: SupervisorLimits = {
  adoptMs: 2 * SECOND_MS,
  helloMs: 10 * SECOND_MS,
  restartMs: 100,
  restartMsMax: 5 * SECOND_MS,
  steadyMs: 10 * SECOND_MS,
  crashLoopDeaths: 5,
  drainMs: 10 * SECOND_MS,
};

// ── Mails ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Longer mails are read on a thread; of these, the worst takes a few milliseconds. */
export const MAIL_READ_AT_ONCE_BYTES_MAX = 32 * KIB;
/** An ordinary mail of 25 MB takes half a second. */
export const MAIL_READ_MS_MAX = 10 * SECOND_MS;
/** The heap of the thread that reads mails; the mail itself is not in it. */
export const MAIL_READER_HEAP_MIB_MAX = 256;
/** The thread ends when it has had no mail to read for so long. */
export const MAIL_READER_IDLE_MS_MAX = 30 * SECOND_MS;

// ── The store ──────────────────────────────────────────────────────────────────────────────────────────────

/** Nobody has written for so long: the write-ahead log goes into the file. */
export const STORE_IDLE_MS = SECOND_MS;
/** Commits between two looks at how long the write-ahead log has become. */
export const COMMITS_PER_LOOK = 8;
/** A write-ahead log that has grown so long is brought into the file on a thread; until then it takes a few milliseconds. */
export const WAL_THREAD_BYTES: number = 4 * MIB;
/** From one time to the next, while it is written to. */
export const WAL_GROWTH_BYTES: number = 8 * MIB;
/** A longer one is begun anew, for which whoever writes has to wait a moment. */
export const WAL_BYTES_MAX: number = 64 * MIB;
/** How long the thread waits until the writer gives it its turn: the loop may be busy with others. */
export const WAL_WANTED_MS_MAX: number = SECOND_MS;
/** How long it waits for those who read. */
export const WAL_BUSY_MS_MAX = 50;
/** How long those who can wait let it have its turn. */
export const WAL_REST_MS_MAX: number = 2 * SECOND_MS;
/** How long a writer who cannot holds the loop up for it, while the log is not longer than `WAL_BYTES_MAX`. */
export const WAL_TURN_MS_MAX = 100;
/** A thread that has not let go of the store by then is ended. */
export const CHECKPOINT_THREAD_MS_MAX: number = 5 * SECOND_MS;
/** Between two notes of how far the logs go, while they are written to. */
export const STORE_MARKS_MS = 5 * SECOND_MS;

// ── The system ─────────────────────────────────────────────────────────────────────────────────────────────

/** What the machine's clock may differ by, against the time that has elapsed, without having jumped. */
export const CLOCK_STEP_MS = 2 * SECOND_MS;
/** A clock that has jumped is believed when it has stood there for so long. */
export const CLOCK_BELIEVED_AFTER_MS = 10 * SECOND_MS;
/** What `setTimeout` takes; a later instant is waited for in steps. */
export const TIMER_MS_MAX: number = 2 ** 31 - 1;
/** The longest path a unix socket can have: `sun_path` less its NUL. */
export const SOCKET_PATH_BYTES_MAX: number = process.platform === 'linux' ? 107 : 103;

/** What is committed together, so that the first of many calls does not wait for all of them. */
export const COMMIT_GROUP_MEMBERS_MAX = 64;
export const COMMIT_GROUP_MS_MAX = 3;
/** Texts are few and fixed; this only bounds a mistake. */
export const PREPARED_STATEMENTS_MAX = 500;
/** A store up to this size is read through once before it is opened; it takes some 10 ms. */
export const STORE_CHECKED_BYTES_MAX = 8 * 1024 * 1024;

/** What is read of a body that nobody wants before its connection is cut: most end by themselves until then. */
export const OUTBOUND_DISCARDED_BYTES_MAX = 1024 * 1024;

// ── Functions of handlers ──────────────────────────────────────────────────────────────────────────────────

/** One run of a function: an app waits for it, as it would for the vendor. */
export const FUNCTION_MS_MAX = 2 * SECOND_MS;
export const FUNCTION_MEMORY_BYTES_MAX = 64 * MIB;
export const FUNCTIONS_FILE_CHARS_MAX = MIB;
/** Until a thread that runs them is there, or is rid of what it ran. */
export const SANDBOX_START_MS_MAX = 10 * SECOND_MS;
export const FUNCTION_SAID_CHARS_MAX = 8 * MIB;
/** What was made for the next call is kept so long for it. */
export const FUNCTION_AHEAD_MS_MAX = 30 * SECOND_MS;
/** On which QuickJS stands: its own stack ends long before. */
export const SANDBOX_THREAD_STACK_MIB = 16;
/** So many times of a call's own time may pass on the wall, twice, before its thread is ended from outside. */
export const SANDBOX_STEP_TIMES_MAX = 5;
/** How far its thread goes behind whoever answers, where both want a processor: a tenth of its share, as Linux counts. */
export const SANDBOX_NICE = 10;
/** Of a processor that is wanted by one other, what that leaves it. */
export const SANDBOX_NICE_SHARE = 0.1;
/** Of its own time: a call that takes longer goes behind everything that wants a processor, however little of it. */
export const SANDBOX_LONG_MS = 100;
/** On the wall: one that had less than its share for so long comes back from there. */
export const SANDBOX_STARVED_MS = SECOND_MS;
/** A thread that runs nothing waits so long for the next module. */
export const SANDBOX_IDLE_MS_MAX = 30 * SECOND_MS;

// ── The proxy's journal, as people look at it ──────────────────────────────────────────────────────────────

/** What of it is read when somebody looks first, or looks again after it has grown by more. */
export const PROXY_JOURNAL_BYTES_MAX = 2 * MIB;
/** Requests that went out, or were refused: kept to be shown, the newest. */
export const OUTSIDE_LINES_MAX = 2000;
/** Minutes of them that are counted. */
export const OUTSIDE_MINUTES_MAX = 24 * 60;
