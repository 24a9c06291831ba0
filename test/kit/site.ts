// The world's endpoints without a socket: a site over a world of note twins, asked with plain values.

import { Gate } from '../../control/http/gate.ts';
import { type Admission, Site } from '../../control/http/site.ts';
import type { ConfigFile, Runs, SeenRefusal, Surroundings } from '../../control/http/surroundings.ts';
import { VendorSites } from '../../control/http/vendor-sites.ts';
import { digest } from '../../control/node/digest.ts';
import { openEntropy } from '../../control/node/entropy.ts';
import { pageFile } from '../../control/node/page-files.ts';
import type { BrowserStore } from '../../control/ports/browsers.ts';
import type { TrustedIssuer } from '../../control/ports/trusted-issuer.ts';
import { openTokens, type Tokens } from '../../control/world/access/token.ts';
import { Browsers } from '../../control/world/browsers/browsers.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { MountedTwin } from '../../twins/kit/twin.ts';
import { holdToContract } from './contract.ts';
import { noteTwin } from './note-twin.ts';
import { type NoteWorld, type NoteWorldOptions, openNoteWorld } from './note-world.ts';

export type TestSite = AsyncDisposable & {
  readonly site: Site;
  readonly around: Surroundings;
  readonly notes: NoteWorld;
  readonly tokens: Tokens;
  readonly token: string;
  readonly readToken: string;
  ask(request: TestRequest): Promise<TestReply>;
};

type TestRequest = {
  readonly method?: string;
  readonly target: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Uint8Array;
  readonly from?: 'client' | 'proxy';
  readonly local?: boolean;
};

type TestReply = {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly text: string;
  /** The parsed body; null when it is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the tests assert.
  readonly json: any;
};

export type TestSiteOptions = {
  readonly twins?: { readonly [vendor: string]: MountedTwin };
  readonly refusals?: readonly SeenRefusal[];
  /** What its proxy let out and refused; it has none unless told. */
  readonly outside?: Surroundings['outside'];
  readonly runs?: Runs;
  /** `.wrld/world.json`; none unless told. */
  readonly config?: ConfigFile;
  /** The world's own origin; none unless told. Asked for with every request, since a port is known late. */
  readonly ownOrigin?: () => string | null;
  readonly siteForm?: 'hosted';
  readonly browsers?: BrowserStore;
  /** The real hosts of the world’s twins, for browsers’ addresses. */
  readonly hosts?: readonly string[];
  readonly trusted?: readonly TrustedIssuer[];
  /** `<org>/<world>`; `acme/notes` unless told. */
  readonly world?: string;
  /** Of the real vendors behind it. */
  readonly ports?: NoteWorldOptions['ports'];
  /** Real vendors, and the roots of twins. */
  readonly vendors?: NoteWorldOptions['vendors'];
  /** Of the world of notes. */
  readonly notes?: Pick<NoteWorldOptions, 'sealer' | 'askOrigin' | 'file'>;
};

const quiet = (): void => {};

export async function openTestSite(options: TestSiteOptions = {}): Promise<TestSite> {
  const twins = options.twins ?? { note: noteTwin() };
  const { world: name, ports, vendors } = options;
  const notes = await openNoteWorld({
    twins,
    ...(name && { name }),
    ...(ports && { ports }),
    ...(vendors && { vendors }),
    ...options.notes,
  });
  const tokens = openTokens({ sql: notes.sql, entropy: openEntropy(), digest });
  const pair = tokens.issue();
  const wall = { now: () => notes.wall.at };
  const gate = new Gate({
    sql: notes.sql,
    entropy: openEntropy(),
    digest,
    wall,
    tokens,
    trusted: options.trusted ?? [],
  });
  const around: Surroundings = {
    baseUrl: 'http://127.0.0.1:4000',
    docsUrl: 'http://127.0.0.1:4000',
    get ownOrigin() {
      return options.ownOrigin?.() ?? null;
    },
    ca: '-----BEGIN CERTIFICATE-----\n',
    proxyUrl: () => 'http://127.0.0.1:4001',
    runs: options.runs ?? null,
    branches: null,
    reset: null,
    savepoint: null,
    scenario: null,
    refusals: () => options.refusals ?? [],
    ...(options.outside && { outside: options.outside }),
    ...(options.config && { config: options.config }),
    gate,
    rotate: async () => tokens.issue(),
    vendorError: (vendor, status, code, message) => twins[vendor]?.twin.error(status, code, message) ?? null,
    pageFile,
    siteForm: options.siteForm ?? 'local',
    browsers: new Browsers({
      store: options.browsers ?? browserShelf(),
      digest,
      entropy: openEntropy(),
      sites: () => ({ hosts: options.hosts ?? new VendorSites(notes.world, around).hosts, place: null }),
    }),
    entropy: openEntropy(),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  };
  const site = new Site(notes.world, around);
  return {
    site,
    around,
    notes,
    tokens,
    token: pair.write.reveal(),
    readToken: pair.read.reveal(),
    ask: async ({ method = 'GET', target, headers = [], body = '', from = 'client', local = false }) => {
      const admission = site.admit({ method, target, rawHeaders: headers.flat(), from, local });
      const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
      const reply = await replyOf(admission, bytes);
      const text = textOf(reply.body);
      let json: unknown = null;
      try {
        json = JSON.parse(text);
      } catch {}
      const flat = Object.fromEntries(reply.headers.map(([name, value]) => [name.toLowerCase(), value]));
      const contentType = flat['content-type'];
      const read = typeof reply.body === 'string' || reply.body === null ? text : null;
      holdToContract({
        world: notes.world.name,
        method,
        target,
        status: reply.status,
        contentType,
        text: read,
      });
      return { status: reply.status, headers: flat, text, json };
    },
    [Symbol.asyncDispose]: () => notes[Symbol.asyncDispose](),
  };
}

export async function replyOf(admission: Admission, body: Uint8Array = new Uint8Array(0)): Promise<Reply> {
  switch (admission.at) {
    case 'answered':
      return admission.reply;
    case 'admitted':
      return await admission.answer(body);
    case 'forwarded':
      return await admission.forward(null, new AbortController().signal);
  }
}

/** A body that streams is read by the test that asks for it. */
function textOf(body: Reply['body']): string {
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  return typeof body === 'string' ? body : '';
}

/** Profiles in memory. */
export function browserShelf(): BrowserStore {
  const kept = new Map<string, string>();
  let notes: string | null = null;
  return {
    names: async () => [...kept.keys()],
    read: async name => kept.get(name) ?? null,
    write: async (name, text) => void kept.set(name, text),
    remove: async name => kept.delete(name),
    notes: async () => notes,
    keepNotes: async text => void (notes = text),
  };
}
