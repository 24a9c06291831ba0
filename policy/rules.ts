// The rule table of 7.2: one row a rule. What a refusal says of itself (capability, missing side, words) comes
// from its row and from nowhere else; the reference page is generated from the same rows.

/** What an app was denied: the capability of 2.1 that the rule guards. */
export type Capability =
  | 'network.egress'
  | 'network.services'
  | 'network.ownLoopback'
  | 'network.host'
  | 'files.read'
  | 'files.persist';

/** Which side would have to change for the request to pass. */
export type Missing = 'declaration' | 'grant' | 'transport' | 'twin';

export type RuleName =
  | 'not-granted'
  | 'sealed'
  | 'policy-unreadable'
  | 'invalid'
  | 'unclaimed-path'
  | 'undeclared'
  | 'raw-socket-twinned'
  | 'raw-socket-app'
  | 'inspected-transport'
  | 'guest-upgrade'
  | 'guest-http2'
  | 'guest-inspected'
  | 'native-direct'
  | 'service-undeclared'
  | 'own-loopback-ungranted'
  | 'guest-private'
  | 'host-undeclared'
  | 'persist-undeclared'
  | 'read-undeclared'
  | 'mount-outside-world'
  | 'read-invalid';

/** The facts of one refusal, in text that is safe to show. Only `target` is always known. */
export type About = {
  /** The URL, `host:port` or path that was refused. */
  readonly target: string;
  readonly method?: string;
  readonly host?: string;
  /** The twins or the service concerned. */
  readonly name?: string;
  /** The variable that points a client at the twin. */
  readonly variable?: string;
  /** A closing detail that only the caller knows. */
  readonly why?: string;
  /** Words of the caller's own, in place of the row's: for what is found out after the decision. */
  readonly reason?: string;
  /** The config field that lacks the grant; null where several fields, or none, would grant it. */
  readonly grantField?: string | null;
};

export type Rule = {
  readonly capability: Capability;
  readonly missing: Missing;
  readonly condition: string;
  readonly fix: string;
  /** The one config field that grants it, where the rule alone tells; `not-granted` tells per request. */
  readonly grantField?: string;
  /** What was asked, which side is missing and what to do, in sentences. */
  readonly reason: (about: About) => string;
};

const requestText = (about: About): string =>
  about.method === undefined ? about.target : `${about.method} ${about.target}`;
const detail = (about: About): string => (about.why === undefined ? '' : ` (${about.why})`);

export const RULES: { readonly [name in RuleName]: Rule } = {
  'not-granted': {
    capability: 'network.egress',
    missing: 'grant',
    condition:
      "the world's `runtime.network` does not list the destination. Reads need `egress`; any method other than GET, HEAD or OPTIONS needs the destination in `writes`",
    fix: "add the origin, the exact path or a subtree (ending in `/`) to `runtime.network.egress`, or to `runtime.network.writes` for a write. A world whose parent lists less is held to the parent's list",
    reason: about =>
      about.grantField == null
        ? `${requestText(about)} is not granted${detail(about)}.`
        : `${requestText(about)} is not granted${detail(about)}: ${about.grantField} in .wrld/world.json does not list it. Add the origin, the exact path or a subtree that ends in / to ${about.grantField}.`,
  },
  sealed: {
    capability: 'network.egress',
    missing: 'grant',
    condition:
      'the world is a sandbox (`wrld world up --sandbox`) and reaches only its twins; no grant lists anything; its record names no grant field',
    fix: 'give the destination a twin, or run without `--sandbox` and grant it in `runtime.network`',
    reason: about =>
      `${requestText(about)} does not leave: this world is a sandbox and reaches only its twins. Give ${about.host ?? 'the destination'} a twin, or run without --sandbox and grant it in runtime.network.`,
  },
  'policy-unreadable': {
    capability: 'network.egress',
    missing: 'grant',
    condition:
      "the process's copy of the network policy (`WRLD_WORLD_NETWORK_POLICY`) cannot be read or belongs to another world; every destination outside the world is refused",
    fix: 'run the process through the world (`wrld world run`), not with a hand-copied environment',
    reason: about =>
      `${requestText(about)} does not leave, because no network policy of this world could be read${detail(about)}; until there is one, every destination outside the world is refused. Run the process through the world (wrld world run).`,
  },
  invalid: {
    capability: 'network.egress',
    missing: 'grant',
    condition:
      "the request's address or path cannot be read unambiguously: a backslash, an encoded `/` or backslash, or a malformed escape; refused wherever the world lists any grant",
    fix: 'send the request to a plain URL',
    reason: about =>
      `${requestText(about)} cannot be read unambiguously${detail(about)}, so no grant can be matched to it. Send the request to a plain URL.`,
  },
  'unclaimed-path': {
    capability: 'network.egress',
    missing: 'twin',
    condition:
      'the host belongs to a twin in this world (several vendors can share a host) but no twin serves this path; the request is neither answered by the wrong twin nor sent to the real vendor',
    fix: 'add the twin that serves that API, or set its `*_TWIN_URL`; if no twin serves it yet, the API needs one',
    reason: about =>
      `${requestText(about)} belongs to the host of a twin (${about.name ?? 'twin'}), and no twin in this world serves it${detail(about)}; it is not sent to the real vendor. Add the twin that serves this API${about.variable === undefined ? '' : `; what the twin does serve is at ${about.variable} too, which the world sets when it runs the app`}.`,
  },
  undeclared: {
    capability: 'network.egress',
    missing: 'declaration',
    condition:
      "the app's declaration lists hosts and not this destination (a browser program's hosts or an image binding's `capabilities.network.egress`); an image build file declares open egress, so it does not cause this",
    fix: 'add the host to that list; `declaredBy` names the file and line',
    reason: about =>
      `${requestText(about)}: the app's declaration lists the hosts it needs and ${about.host ?? 'this one'} is not among them. Add it to that list.`,
  },
  'raw-socket-twinned': {
    capability: 'network.egress',
    missing: 'transport',
    condition: 'the client opened its own socket to a host a twin serves, so the twin never saw the request',
    fix: "point the SDK at the twin's endpoint variable that the message names, which the world sets when it runs the app",
    reason: about =>
      `${about.target}: the client opened its own socket to a host that the twin ${about.name ?? ''} serves, so the twin never saw a request. ${
        about.variable === undefined
          ? 'Send an HTTP request through the world’s proxy.'
          : `Point the SDK at the URL in ${about.variable}, which the world sets when it runs the app, with the header x-twins-key: $WRLD_TWINS_KEY.`
      }`,
  },
  'raw-socket-app': {
    capability: 'network.egress',
    missing: 'transport',
    condition: 'the client opened its own socket to a host the world routes to the application',
    fix: 'reach that host with an HTTP request',
    reason: about =>
      `${about.target}: the client opened its own socket to a host that the world routes to the application. Reach it with an HTTP request.`,
  },
  'inspected-transport': {
    capability: 'network.egress',
    missing: 'transport',
    condition:
      "the destination's origin has a grant, so each request is read (path and method checked one by one), and the client connects in a way that cannot be read per request: a raw socket, HTTP/2, a protocol upgrade, or its own undici dispatcher",
    fix: 'send an HTTP/1.1 request; or in a `phase: build` world list the exact origin in `runtime.network.passthrough` (its grant must be the whole origin)',
    reason: about =>
      `${requestText(about)} is granted and therefore read request by request, and the client connects in a way that cannot be read so${detail(about)}. Send an HTTP/1.1 request; or, in a world with phase build, list the exact origin in runtime.network.passthrough.`,
  },
  'guest-upgrade': {
    capability: 'network.egress',
    missing: 'transport',
    condition:
      "a local guest's HTTP leaves through the world's guest listener, which carries plain HTTP requests only",
    fix: 'use HTTP/1.1 without an upgrade',
    reason: about =>
      `${requestText(about)} asks for a protocol upgrade, and the world's guest listener carries plain HTTP requests only. Use HTTP/1.1 without an upgrade.`,
  },
  'guest-http2': {
    capability: 'network.egress',
    missing: 'transport',
    condition:
      "a local guest's HTTP leaves through the world's guest listener, which carries plain HTTP requests only",
    fix: 'use HTTP/1.1 without an upgrade',
    reason: about =>
      `${requestText(about)} came as HTTP/2, and the world's guest listener carries plain HTTP requests only. Use HTTP/1.1.`,
  },
  'guest-inspected': {
    capability: 'network.egress',
    missing: 'transport',
    condition:
      'a World Machine guest asked for a destination the world reads request by request; the world cannot read it without losing the address it checked',
    fix: "grant the whole origin, or reach it from the world's host",
    reason: about =>
      `${about.target} is granted in part and therefore read request by request, which the world cannot do for a guest's own connection without losing the address it checked. Grant the whole origin, for reads and writes, or reach it from the world's host.`,
  },
  'native-direct': {
    capability: 'network.egress',
    missing: 'transport',
    condition:
      "a native image run reaches other hosts only through the world's proxy, and this client dialled directly",
    fix: "send traffic through the proxy: `HTTPS_PROXY`; for the JavaScript runtime's own fetch also `NODE_USE_ENV_PROXY=1`",
    reason: about =>
      `${about.target} was dialled directly, and a native image run reaches other hosts only through the world's proxy. Send the traffic through HTTPS_PROXY; for the JavaScript runtime's own fetch also set NODE_USE_ENV_PROXY=1.`,
  },
  'service-undeclared': {
    capability: 'network.services',
    missing: 'declaration',
    condition:
      "the destination is one of the world's own services and the app's declaration does not name it",
    fix: "name the service in the image's compose `depends_on` (`capabilities.network.services`)",
    reason: about =>
      `${requestText(about)} is the world's service ${about.name ?? ''}, and the app's declaration does not name it. Name it in the image's compose depends_on (capabilities.network.services).`,
  },
  'own-loopback-ungranted': {
    capability: 'network.ownLoopback',
    missing: 'grant',
    condition: 'the run reached a listener it holds and the world sets `runtime.network.ownLoopback: false`',
    fix: 'remove `ownLoopback: false` from `runtime.network`, here and in any parent world',
    grantField: 'runtime.network.ownLoopback',
    reason: about =>
      about.name === undefined
        ? `${requestText(about)} is a listener on the run's own loopback, and this world sets runtime.network.ownLoopback to false. Remove that line from its .wrld/world.json.`
        : `${requestText(about)} is a listener on the run's own loopback, and runtime.network.ownLoopback is set to false by ${about.name}. Remove that line from .wrld/world.json there.`,
  },
  'guest-private': {
    capability: 'network.host',
    missing: 'grant',
    condition:
      "a guest asked for an address on the machine's own network that is neither one of the world's endpoints, nor a declared service, nor its own declared listener; no world grants a guest the machine's network",
    fix: "if it is the run's own listener, the image declares own loopback (every container image does); if it is a service the app needs, make it a service of the world and declare it",
    reason: about =>
      `${requestText(about)} is an address on the machine's own network, which no world grants a guest. If it is the run's own listener, declare own loopback; if it is a service the app needs, make it a service of the world and declare it.`,
  },
  'host-undeclared': {
    capability: 'network.host',
    missing: 'declaration',
    condition:
      "a process not confined from the machine's network, run with a declaration that does not include it, asked for an address on it",
    fix: 'declare it (compose `network_mode: host`); see `guest-private`',
    reason: about =>
      `${requestText(about)} is an address on the machine's own network, which the app's declaration does not include. Declare it (compose network_mode: host), or make what the app needs a service of the world.`,
  },
  'persist-undeclared': {
    capability: 'files.persist',
    missing: 'declaration',
    condition: 'the app keeps a path as its data that its declaration does not name',
    fix: 'declare the path as a `VOLUME`; a declared path is writable for the run and does not outlive it',
    reason: about =>
      `${about.target} is kept by the app as its data, and the app's declaration does not name it. Declare the path as a VOLUME; it is then writable for the run and does not outlive it.`,
  },
  'read-undeclared': {
    capability: 'files.read',
    missing: 'declaration',
    condition:
      "an image's process read a file that a container could not see (for example a file in the home folder); a container sees its own filesystem, the world's provided files and its declared mounts",
    fix: "mount it (a compose bind mount inside the world's folder) or copy it into the image",
    reason: about =>
      `${about.target} was read, and a container could not see it: a container sees its own filesystem, the world's provided files and its declared mounts. Mount it (a compose bind mount inside the world's folder) or copy it into the image.`,
  },
  'mount-outside-world': {
    capability: 'files.read',
    missing: 'grant',
    condition:
      "the image declares a bind mount whose host path is outside the world's folder; no world grants a host path it does not own",
    fix: "move the mounted data into the world's folder and mount from there",
    reason: about =>
      `${about.target} is the host path of a bind mount and lies outside the world's folder; no world grants a host path it does not own. Move the data into the world's folder and mount from there.`,
  },
  'read-invalid': {
    capability: 'files.read',
    missing: 'declaration',
    condition: 'the path read is not absolute',
    fix: 'read the file by its absolute path',
    reason: about =>
      `${about.target} was read by a path that is not absolute. Read the file by its absolute path.`,
  },
};

export const RULE_NAMES = Object.keys(RULES) as readonly RuleName[];
