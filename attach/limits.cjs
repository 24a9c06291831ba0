// Every limit of what runs inside an attached Node program, with its unit in its name.
'use strict';

/** The proxy is on this machine: it answers at once or not at all. */
const TUNNEL_MS_MAX = 30_000;
/** Longer than any refusal the proxy sends with a CONNECT's answer. */
const TUNNEL_ANSWER_BYTES_MAX = 64 * 1024;

module.exports = { TUNNEL_ANSWER_BYTES_MAX, TUNNEL_MS_MAX };
