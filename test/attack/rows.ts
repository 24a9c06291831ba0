// What the policy and the proxy must withstand, a row each, and under it the tests that prove it: `file: name`, the
// file under test/. rows.test.ts holds that every test named here exists. `#` begins a part of the catalogue.
export const ROWS = `
# Path
a subtree and what is in it: /v1/a, /v1, /v10, /v1evil, /V1/a
  attack/authority.test.ts: [bad-input Path] what is judged is what arrives, inside a tunnel and in the clear
  policy/decide.test.ts: [7.2 not-granted] [bad-input Path] what is judged is what is forwarded
an exact path: e.test/v1/x/, and with a query
  policy/decide.test.ts: [7.2 not-granted] [bad-input Path] what is judged is what is forwarded
dots, plain and encoded, resolve before they are judged
  attack/authority.test.ts: [bad-input Path] what is judged is what arrives, inside a tunnel and in the clear
  policy/decide.test.ts: [7.2 not-granted] [bad-input Path] what is judged is what is forwarded
  policy/path.test.ts: [bad-input Path] readable targets and what is forwarded
an encoded slash, a backslash, malformed escapes
  attack/authority.test.ts: [bad-input Path] what is judged is what arrives, inside a tunnel and in the clear
  policy/decide.test.ts: [7.2 not-granted] [bad-input Path] what is judged is what is forwarded
  policy/path.test.ts: [bad-input Path] unreadable targets
/v1/%252f: never decoded twice
  attack/authority.test.ts: [bad-input Path] what is judged is what arrives, inside a tunnel and in the clear
  policy/decide.test.ts: [7.2 not-granted] [bad-input Path] what is judged is what is forwarded
/v1/%ff and /v1/%00
  attack/authority.test.ts: [bad-input Path] what is judged is what arrives, inside a tunnel and in the clear
  policy/decide.test.ts: [7.2 not-granted] [bad-input Path] what is judged is what is forwarded
//v1/a is no authority, /v1//a as it is
  attack/authority.test.ts: [bad-input Path] what is judged is what arrives, inside a tunnel and in the clear
  policy/decide.test.ts: [7.2 not-granted] [bad-input Path] what is judged is what is forwarded
/v1/..;/admin
  attack/authority.test.ts: [bad-input Path] what is judged is what arrives, inside a tunnel and in the clear
  policy/decide.test.ts: [7.2 not-granted] [bad-input Path] what is judged is what is forwarded
a fragment is cut, then judged
  attack/authority.test.ts: [bad-input Path] what is judged is what arrives, inside a tunnel and in the clear
  policy/decide.test.ts: [7.2 not-granted] [bad-input Path] what is judged is what is forwarded
a tab, a control or an 8-bit byte in the target
  attack/parser.test.ts: [bad-input Parser] what no two parsers read alike ends the connection and goes nowhere
  proxy/http1/request.test.ts: [bad-input Parser] what no two parsers agree on is refused
an unreadable path where nothing is granted; sealed in a sandbox
  attack/authority.test.ts: [bad-input Path] where the world grants nothing, an unreadable path is not-granted, and sealed in a sandbox
  policy/decide.test.ts: [design: the order of checks] where two rules fit, the earlier one names the refusal
GET *
  attack/authority.test.ts: [bad-input Path] OPTIONS * and GET * name no path
# Method
HEAD and OPTIONS read
  attack/authority.test.ts: [bad-input Method] reads, writes and neither, by the wire
  policy/decide.test.ts: [7.2 not-granted] [bad-input Method] reads, writes and neither
POST names runtime.network.writes
  attack/authority.test.ts: [bad-input Method] reads, writes and neither, by the wire
POST with an override to GET
  attack/authority.test.ts: [bad-input Method] reads, writes and neither, by the wire
GET with an override to DELETE
  attack/authority.test.ts: [bad-input Method] reads, writes and neither, by the wire
  proxy/http1/request.test.ts: [bad-input Method] upgrades, overrides and persistence are read for the judge
TRACE is never forwarded
  attack/authority.test.ts: [bad-input Method] reads, writes and neither, by the wire
  policy/decide.test.ts: [7.2 not-granted] [bad-input Method] reads, writes and neither
get, FOO, TRACK
  attack/parser.test.ts: [bad-input Parser] what no two parsers read alike ends the connection and goes nowhere
QUERY writes
  attack/authority.test.ts: [bad-input Method] reads, writes and neither, by the wire
a request in the body of a GET
  attack/parser.test.ts: [bad-input Method] a request in a body is a body
# Authority
absolute form or CONNECT beside another Host
  attack/authority.test.ts: [bad-input Authority] the absolute form in the clear
  attack/authority.test.ts: [bad-input Authority] other spellings of the tunnel’s host, and other hosts
Host, SNI or absolute authority in a tunnel that is not the CONNECT’s
  attack/authority.test.ts: [bad-input Authority] other spellings of the tunnel’s host, and other hosts
  proxy/tunnel.test.ts: [bad-input Authority] a server name other than the CONNECT’s is refused, and mints nothing
two Host lines, an empty one, a/evil, u@a
  attack/authority.test.ts: [bad-input Authority] other spellings of the tunnel’s host, and other hosts
  proxy/http1/client.test.ts: [bad-input Authority] inside a tunnel every name must be the tunnel’s
P.TEST and p.test:443
  attack/authority.test.ts: [bad-input Authority] other spellings of the tunnel’s host, and other hosts
  policy/decide.test.ts: [7.2 not-granted] [bad-input Authority] one origin is one scheme, host and port
one final dot, two
  attack/authority.test.ts: [bad-input Authority] other spellings of the tunnel’s host, and other hosts
  policy/decide.test.ts: [7.2 not-granted] [bad-input Authority] one origin is one scheme, host and port
[p.test] and [[p.test]]
  attack/authority.test.ts: [bad-input Authority] a CONNECT that nobody can read is refused itself
  policy/authority.test.ts: [bad-input Authority] unreadable spellings
NUL in a CONNECT
  attack/authority.test.ts: [bad-input Authority] a CONNECT that nobody can read is refused itself
a Cyrillic homoglyph
  attack/authority.test.ts: [bad-input Authority] other spellings of the tunnel’s host, and other hosts
  policy/decide.test.ts: [7.2 not-granted] [bad-input Authority] one origin is one scheme, host and port
  policy/authority.test.ts: [bad-input Authority] readable spellings and their one canonical form
fullwidth, ideographic full stop, soft hyphen
  attack/authority.test.ts: [bad-input Authority] other spellings of the tunnel’s host, and other hosts
  policy/authority.test.ts: [bad-input Authority] readable spellings and their one canonical form
127.1, 0x7f.1, 2130706433, 0177.0.0.1, circled digits
  policy/authority.test.ts: [bad-input Authority] readable spellings and their one canonical form
  policy/decide.test.ts: [7.2] each network rule refuses, and its nearest neighbour passes
IPv4 in IPv6: mapped, compatible, NAT64
  policy/authority.test.ts: [bad-input Authority] readable spellings and their one canonical form
  policy/authority.test.ts: classes of addresses, as the dialler asks
a scope in a CONNECT
  attack/authority.test.ts: [bad-input Authority] a CONNECT that nobody can read is refused itself
0, 0.0.0.0, [::]
  policy/authority.test.ts: [bad-input Authority] readable spellings and their one canonical form
  proxy/upstream/upstream.test.ts: [bad-input DNS] a granted name that leads to this machine is refused unless it is pinned there
metadata addresses
  attack/authority.test.ts: [bad-input Authority] the absolute form in the clear
  proxy/rules.test.ts: [7.2 guest-private] a guest has the world’s parts, not the machine’s network
  policy/decide.test.ts: [7.2] each network rule refuses, and its nearest neighbour passes
http://p.test@evil.test/; user information in no record
  attack/authority.test.ts: [bad-input Authority] the absolute form in the clear
  policy/decide.test.ts: [2.1] the record says what was asked, and nothing that is secret
another port; http where https is granted
  attack/authority.test.ts: [bad-input Authority] the absolute form in the clear
  policy/decide.test.ts: [7.2 not-granted] [bad-input Authority] one origin is one scheme, host and port
CONNECT without port, :0443, :99999, /x, u@
  attack/authority.test.ts: [bad-input Authority] a CONNECT that nobody can read is refused itself
  policy/authority.test.ts: [bad-input Authority] unreadable spellings
an ftp target
  attack/authority.test.ts: [bad-input Authority] the absolute form in the clear
a request to, or a grant of, a wildcard
  attack/authority.test.ts: [bad-input Authority] the absolute form in the clear
  policy/decide.test.ts: [7.2 not-granted] [bad-input Authority] one origin is one scheme, host and port
  policy/grant.test.ts: [bad-input Output, CA, config] what it may not be, and how that is said
labels over 63 and names over 253
  attack/authority.test.ts: [bad-input Authority] a CONNECT that nobody can read is refused itself
  policy/authority.test.ts: [bad-input Authority] unreadable spellings
# DNS and upstream
a granted name that resolves to loopback, link-local or metadata; pins
  proxy/upstream/upstream.test.ts: [bad-input DNS] a granted name that leads to this machine is refused unless it is pinned there
rebinding: one look-up, the judged address is dialled
  proxy/upstream/upstream.test.ts: [bad-input DNS] a granted name that leads to this machine is refused unless it is pinned there
  proxy/tunnel.test.ts: [bad-input DNS] passthrough: one look-up, and never to this machine
a dead host, a bad certificate
  proxy/upstream/upstream.test.ts: [7.1 a host that does not answer] 502 without the header, and what failed
a redirect to an ungranted host
  attack/parser.test.ts: [bad-input DNS] a redirect to an ungranted host passes; the request that follows it is refused
an upstream that sends our header or Alt-Svc
  attack/parser.test.ts: an upstream speaks for itself alone: the world’s fields and hop-by-hop fields are dropped
  proxy/http1/client.test.ts: heads pass with their case, order, duplicates and reason phrase
tw.test/unserved
  policy/decide.test.ts: [7.2] each network rule refuses, and its nearest neighbour passes
  attack/http2.test.ts: [bad-input Transport] a stream that is malformed or of another host is never forwarded
# Transport
h2 and http/1.1 offered to a granted origin
  proxy/http2/connection.test.ts: [design ALPN] a twin’s host speaks h2 and http/1.1; a granted origin http/1.1, and h2 only to say no
h2 alone offered to a granted origin
  proxy/http2/connection.test.ts: [design ALPN] a twin’s host speaks h2 and http/1.1; a granted origin http/1.1, and h2 only to say no
the h2c preface
  proxy/tunnel.test.ts: [7.2 inspected-transport] [7.2 raw-socket-twinned] other bytes end the connection and the record is kept
Upgrade to a granted origin: h2c, websocket, other
  attack/authority.test.ts: [bad-input Transport] an upgrade to a granted origin, and a CONNECT inside a CONNECT
the same through the guest listener
  proxy/rules.test.ts: [7.2 guest-upgrade] [7.2 guest-http2] guests’ HTTP is plain requests
SSH bytes to a granted origin
  proxy/tunnel.test.ts: [7.2 inspected-transport] [7.2 raw-socket-twinned] other bytes end the connection and the record is kept
CONNECT x:80, then cleartext HTTP
  proxy/tunnel.test.ts: [bad-input Transport] cleartext HTTP in a tunnel is parsed and judged, never tunnelled
CONNECT inside CONNECT
  attack/authority.test.ts: [bad-input Transport] an upgrade to a granted origin, and a CONNECT inside a CONNECT
  proxy/tunnel.test.ts: [bad-input Transport] CONNECT inside CONNECT, where the tunnel may pass unread
:authority beside another host, upper case, doubled pseudo-fields
  attack/http2.test.ts: [bad-input Transport] a stream that is malformed or of another host is never forwarded
  attack/http2.test.ts: [bad-input Transport] pseudo-fields doubled, late or unknown, and names in upper case, are stream errors
  proxy/http2/connection.test.ts: [bad-input Transport] :authority and Host that differ, or another host’s: never forwarded
passthrough with a subtree grant
  control/world/config-mistakes.ts: [7.2 inspected-transport] passthrough whose grant is a subtree
passthrough, SNI not the CONNECT’s
  proxy/tunnel.test.ts: [bad-input Transport] passthrough, SNI ≠ CONNECT: closed before anything is dialled
the proxy asked to reach itself
  proxy/upstream/upstream.test.ts: [bad-input Transport] the proxy asked to reach itself
  proxy/upstream/next-proxy.test.ts: [bad-input Transport] a variable that names this proxy itself is no chain
# Parser and resources
TE beside CL, two CL, +1, 1,1, TE :, xchunked, folding, bare LF and CR, NUL, chunk 0x1
  attack/parser.test.ts: [bad-input Parser] what no two parsers read alike ends the connection and goes nowhere
  proxy/http1/request.test.ts: [bad-input Parser] whatever Node’s parser rejects is rejected here (fuzz)
gzip, chunked; TE on HTTP/1.0; HTTP/0.9; HTTP/2.0
  attack/parser.test.ts: [bad-input Parser] what no two parsers read alike ends the connection and goes nowhere
chunk extensions and a trailer Host
  attack/parser.test.ts: [bad-input Parser] chunk extensions and forbidden trailers are dropped when a body is framed anew
  attack/http2.test.ts: [bad-input Parser] the world’s own fields and forbidden trailers do not pass over HTTP/2
  proxy/http1/body.test.ts: [bad-input Parser] extensions and forbidden trailers are dropped, other trailers stay
Connection: host, content-length
  attack/parser.test.ts: [bad-input Parser] what belongs to this hop, or is the world’s to say, stays behind
  proxy/http1/request.test.ts: [bad-input Parser] Connection cannot name away what frames or routes the message
x-wrld-caller and Proxy-Authorization from a client
  attack/parser.test.ts: [bad-input Parser] what belongs to this hop, or is the world’s to say, stays behind
  proxy/http1/client.test.ts: heads pass with their case, order, duplicates and reason phrase
a header of 17 KB, 3,000 headers
  attack/parser.test.ts: [bad-input Parser] what no two parsers read alike ends the connection and goes nowhere
  proxy/limits.test.ts: HEAD_BYTES_MAX: a head that is too long is answered 431
Expect: 100-continue
  attack/parser.test.ts: [bad-input Parser] no 100 before the decision, and none but the origin’s own
a body of 5 GB to a refused URL
  proxy/http1/client.test.ts: [bad-input Parser] a long body to a refused URL: the answer, then a bounded goodbye
slowloris, an idle handshake, a cap on tunnels
  proxy/limits.test.ts: HEAD_MS_MAX: a head that comes byte by byte is cut, however many bytes come
  proxy/limits.test.ts: HANDSHAKE_MS_MAX: silence after CONNECT, and a TLS hello that never ends
  proxy/limits.test.ts: TUNNELS_PER_RUN_MAX: a further CONNECT is answered 503; one that closes makes room
# Output, CA, config
/</script><svg onload=1> from a browser
  attack/authority.test.ts: [bad-input Output] a refusal’s header carries one word, its body the record on one line, HEAD the head
  policy/refusal.test.ts: [7.1] page: the record can be read from it, and nothing in it can act
  browser/refusals.suite.ts: [7.1] a refused navigation in a real browser
%0d%0a in a URL
  attack/authority.test.ts: [bad-input Output] a refusal’s header carries one word, its body the record on one line, HEAD the head
the record is on exactly one line
  attack/authority.test.ts: [bad-input Output] a refusal’s header carries one word, its body the record on one line, HEAD the head
  policy/refusal.test.ts: [7.1] body: the text on one line, the record on the next, whatever was asked
HEAD refused
  attack/authority.test.ts: [bad-input Output] a refusal’s header carries one word, its body the record on one line, HEAD the head
  proxy/http2/connection.test.ts: [7.1] refusals over HTTP/2: header, text, record; HEAD has its head alone
10,000 SNIs
  proxy/tunnel.test.ts: [bad-input Authority] a server name other than the CONNECT’s is refused, and mints nothing
  certs/cache.test.ts: [bad-input 10,000 SNIs] what is held is bounded, and what was used last is kept
  proxy/limits.test.ts: LEAF_MINTS: over the rate a tunnel to a new host is closed, one to a known host is not
a host of 65 characters
  certs/leaf.test.ts: [bad-input CA] a host too long for a common name stands in a critical alternative name
an IP target
  certs/leaf.test.ts: [bad-input CA] an address is named as an address, a name as a name
the CA’s key is 0600
  certs/authority.test.ts: [bad-input CA key] a new one: its key 0600 in a folder 0700, an authority for ten years
another local user: credentials, 407
  proxy/rules.test.ts: [design: which run is asking] 407 for wrong credentials, and for none beyond loopback
  proxy/runs.test.ts: [design: which run is asking] the proxy URL’s user and password name the run
a policy environment that is truncated or of another world
  policy/decide.test.ts: [7.2] each network rule refuses, and its nearest neighbour passes
a policy edited during a run
  proxy/main.test.ts: a push while requests run: each is judged by one snapshot and none is dropped
  control/node/live-config.test.ts: an edit is in force when it is saved; a bad one changes nothing and is told
a relative read, a file of the home folder, a symlinked mount
  policy/files.test.ts: [2.1] a file refusal names the path and where it was declared
# What users of such proxies ask for most
streaming by default; server-sent events are flushed
  proxy/http1/client.test.ts: a body streams: each part arrives before the next is sent
  proxy/http1/client.test.ts: headers are not held until the first byte of the body
bounded memory with back-pressure
  proxy/http1/client.test.ts: back-pressure reaches the origin
  proxy/limits.test.ts: buffered bytes: a side that does not read holds the other back, in both directions
  attack/soak.test.ts: a short soak: mixed requests, aborts, stalls and resets leave nothing behind
WebSocket through interception; over h2 it is not advertised
  proxy/upstream/upstream.test.ts: a twin that switches protocols gets the client’s bytes as they are, and the other way round
  attack/http2.test.ts: [bad-input What users ask] WebSocket over HTTP/2 is not offered, since nothing would relay it
gRPC: ALPN, trailers, cookies split and joined
  proxy/http2/connection.test.ts: [design ALPN] a twin’s host speaks h2 and http/1.1; a granted origin http/1.1, and h2 only to say no
  proxy/http2/connection.test.ts: requests and answers keep their fields; cookies are joined; trailers pass both ways
  attack/http2.test.ts: an upstream’s answer that HTTP/2 cannot carry ends its stream alone
exact framing: HEAD, 204, 304
  proxy/http1/client.test.ts: HEAD, 204 and 304 have no body whatever they announce
1xx and Expect end to end
  proxy/http1/client.test.ts: trailers, 103 and 100 come through; nothing is invented
  attack/parser.test.ts: [bad-input Parser] no 100 before the decision, and none but the origin’s own
stale keep-alive: one safe retry
  proxy/upstream/upstream.test.ts: a stale kept-alive connection: a read is tried once more, a write never
bounded minting, keys of each process
  proxy/limits.test.ts: LEAF_MINTS: over the rate a tunnel to a new host is closed, one to a known host is not
  certs/leaf.test.ts: [bad-input CA] one key for all leaves, a serial for each, at most 90 days
trust in every runtime; upstream roots are added to, never replaced
  cli/clients.test.ts: every common client reaches the twin
  certs/cache.test.ts: bundles: every certificate of a text, and the roots that the machine trusts
passthrough by SNI
  proxy/tunnel.test.ts: [7.2 inspected-transport] passthrough: the client sees the origin’s own certificate
an upstream proxy, NO_PROXY
  proxy/upstream/next-proxy.test.ts: egress by CONNECT: TLS and cleartext, with credentials for that proxy alone
  proxy/upstream/next-proxy.test.ts: NO_PROXY: hosts, suffixes, ports, ranges, everything
refusals that clients can read
  proxy/http1/client.test.ts: [7.1] a refusal inside a tunnel: header, text, record on one line, connection kept
a request rule does not run on CONNECT
  proxy/tunnel.test.ts: [design: a CONNECT is accepted and then sniffed] TLS is ended with a leaf for the CONNECT’s host
reloads that drop nothing
  proxy/main.test.ts: a push while requests run: each is judged by one snapshot and none is dropped
drain, idle timeouts
  proxy/main.test.ts: SIGTERM: no new connections, what is in flight finishes, then it exits with 0
  proxy/limits.test.ts: CLIENT_IDLE_MS_MAX: a kept connection that is not used is closed
hangs that can be diagnosed
  proxy/upstream/upstream.test.ts: [7.1 a host that does not answer] 502 without the header, and what failed
  proxy/journal.test.ts: a client that goes away, and an upstream that breaks off, leave a line that says so
# What peers get wrong on the wire
hop headers named by Connection leak
  proxy/http1/client.test.ts: heads pass with their case, order, duplicates and reason phrase
  attack/parser.test.ts: [bad-input Parser] what belongs to this hop, or is the world’s to say, stays behind
Proxy-Authorization forwarded
  proxy/http1/client.test.ts: heads pass with their case, order, duplicates and reason phrase
  attack/parser.test.ts: [bad-input Parser] what belongs to this hop, or is the world’s to say, stays behind
the inner Host followed instead of the CONNECT’s
  attack/authority.test.ts: [bad-input Authority] other spellings of the tunnel’s host, and other hosts
a body cut short presented as complete
  proxy/http1/client.test.ts: a body cut short never looks complete
  attack/parser.test.ts: malformed chunks while the answer is on its way: a cut, and nothing mixed into the answer
headers held until the first byte of the body
  proxy/http1/client.test.ts: headers are not held until the first byte of the body
103 dropped
  proxy/http1/client.test.ts: trailers, 103 and 100 come through; nothing is invented
100-continue answered before the upstream’s word
  attack/parser.test.ts: [bad-input Parser] no 100 before the decision, and none but the origin’s own
  proxy/http1/client.test.ts: trailers, 103 and 100 come through; nothing is invented
trailers dropped
  proxy/http1/client.test.ts: trailers, 103 and 100 come through; nothing is invented
  proxy/http1/client.test.ts: an upload streams, chunked and by length, with its trailers
header case, order and duplicates changed
  proxy/http1/client.test.ts: heads pass with their case, order, duplicates and reason phrase
reason phrases changed
  proxy/http1/client.test.ts: heads pass with their case, order, duplicates and reason phrase
a client’s abort not passed upstream
  proxy/http1/client.test.ts: a client that goes away takes its upstream with it
no back-pressure
  proxy/http1/client.test.ts: back-pressure reaches the origin
a WebSocket’s subprotocol lost
  proxy/upstream/upstream.test.ts: a twin that switches protocols gets the client’s bytes as they are, and the other way round
a ClientHello in the packet of its CONNECT
  proxy/tunnel.test.ts: a ClientHello in the packet of its CONNECT, and one that comes byte by byte
a server that speaks first hangs
  proxy/tunnel.test.ts: a server that speaks first: on the run’s own loopback, and a service of the world
bytes that are no TLS crash the process
  proxy/tunnel.test.ts: [7.2 inspected-transport] [7.2 raw-socket-twinned] other bytes end the connection and the record is kept
  attack/fuzz.test.ts: [fuzz] whatever a client sends, only what is permitted is forwarded, and answered to who asked
a length beside chunked normalised instead of refused
  attack/parser.test.ts: [bad-input Parser] what no two parsers read alike ends the connection and goes nowhere
# Whatever else arrives
any bytes from clients
  attack/fuzz.test.ts: [fuzz] whatever a client sends, only what is permitted is forwarded, and answered to who asked
any bytes from origins
  attack/fuzz.test.ts: [fuzz] whatever an origin answers, the client gets it well-formed, or a 502, or a cut
  attack/parser.test.ts: [7.1 a host that does not answer] an answer that cannot be read is a 502 without the header
  attack/parser.test.ts: bytes after an answer are nobody’s answer
an answer after its stream was reset
  attack/http2.test.ts: a client that resets its stream with bytes unread harms nobody when the answer comes`;
