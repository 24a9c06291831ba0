// Every limit of what runs inside an attached Node program, with its unit in its name.
'use strict';

/** The proxy is on this machine: it answers at once or not at all. */
const TUNNEL_MS_MAX = 30_000;
/** Longer than any refusal the proxy sends with a CONNECT's answer. */
const TUNNEL_ANSWER_BYTES_MAX = 64 * 1024;
/** Starting what stands between a program and a world that is served elsewhere; a busy machine takes seconds. */
const ATTACH_MS_MAX = 60_000;
/** Handshakes of WebSockets that were refused and whose sockets have not said so yet. */
const UPGRADES_REFUSED_MAX = 1_000;

module.exports = { ATTACH_MS_MAX, UPGRADES_REFUSED_MAX, TUNNEL_ANSWER_BYTES_MAX, TUNNEL_MS_MAX };
