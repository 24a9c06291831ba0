// Every limit of what runs inside an attached Node program, with its unit in its name.
'use strict';

/** The proxy is on this machine: it answers at once or not at all. */
const TUNNEL_MS_MAX = 30_000;
/** Longer than any refusal the proxy sends with a CONNECT's answer. */
const TUNNEL_ANSWER_BYTES_MAX = 64 * 1024;
/** Starting what stands between a program and a world that is served elsewhere; a busy machine takes seconds. */
const ATTACH_MS_MAX = 60_000;
/** Between two looks at whether it has started. */
const ATTACH_LOOK_MS = 5;

module.exports = { ATTACH_LOOK_MS, ATTACH_MS_MAX, TUNNEL_ANSWER_BYTES_MAX, TUNNEL_MS_MAX };
