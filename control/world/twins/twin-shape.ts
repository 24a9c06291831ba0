// Whether what a module exports is a twin (twins/kit/twin.ts), before a world trusts it: every fault at once, each with its
// place and its fix, because whoever reads them wrote the module a minute ago.

import { GENERATIVE_MATCHERS, HANDLER_MATCHERS } from '../../../twins/kit/handlers.ts';
import type { Manifest } from '../../../twins/kit/manifest.ts';
import type { Deploys, Ingests, Observes, RealVendor } from '../../../twins/kit/real-vendor.ts';
import type { Retrieve } from '../../../twins/kit/retrieve.ts';
import type { KeptRequest, RecordType, Twin } from '../../../twins/kit/twin.ts';
import { nearest } from '../config/nearest.ts';

/** `at`: `twin.manifest.hosts[0].paths[1]`. */
export type TwinFault = { readonly at: string; readonly problem: string };

/** `exported`: the module's namespace. No fault: its `twin` is one. */
export function twinFaults(exported: object): readonly TwinFault[] {
  const faults: TwinFault[] = [];
  const given = (exported as { readonly twin?: unknown }).twin;
  if (given === undefined) {
    const names = Object.keys(exported);
    const has = names.length === 0 ? 'nothing' : names.join(', ');
    return [
      { at: 'twin', problem: `is not exported (the module exports ${has}); write: export const twin = …` },
    ];
  }
  new Check(faults).twin(given);
  return faults;
}

type Fields = { readonly [name: string]: unknown };
type Rule = (value: unknown, at: string) => void;
type Shape = { readonly [name: string]: Rule };

const VENDOR = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const HOST = /^(?!-)[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::[1-9]\d{0,4})?$/;
const VARIABLE = /^[A-Z_][A-Z0-9_]*$/;
const SCHEMES = ['stripe', 'github', 'slack', 'svix', 'standard', 'own', 'none'];

class Check {
  readonly #faults: TwinFault[];

  constructor(faults: TwinFault[]) {
    this.#faults = faults;
  }

  twin(value: unknown): void {
    const callable = (optional: boolean): Rule => this.#function(optional);
    const shape = {
      manifest: (held: unknown, at: string) => this.#manifest(held, at),
      records: this.#map((held, at) =>
        this.#object(held, at, {
          indexes: this.#list(this.#list(this.#text())),
          words: this.#maybe(this.#list(this.#text())),
          quotes: this.#maybe(this.#list(this.#text())),
          keptMs: this.#maybe(this.#count()),
          retrieve: this.#maybe((retrieve, where) =>
            this.#object(retrieve, where, {
              path: this.#text(/^\//, 'a path (/v1/parcels/{id})'),
              headers: callable(true),
            } satisfies { readonly [name in keyof Required<Retrieve>]: Rule }),
          ),
          title: callable(true),
          summary: callable(true),
          columns: this.#maybe(this.#map(callable(false))),
        } satisfies { readonly [name in keyof Required<RecordType>]: Rule }),
      ),
      respond: callable(false),
      error: callable(false),
      due: callable(true),
      signature: callable(true),
      retryAfter: callable(true),
      upgrade: callable(true),
      resume: callable(true),
      models: callable(true),
      covers: callable(true),
      keeps: this.#maybe((held, at) =>
        this.#object(held, at, {
          headers: this.#list(this.#text(/^[a-z0-9-]+$/, 'a header’s name in lower case (acme-version)')),
          answered: this.#maybe(this.#text(/^[A-Za-z0-9-]+$/, 'a header’s name (Request-Id)')),
          secrets: (secrets, where) => {
            if (secrets !== undefined && !(secrets instanceof RegExp))
              this.#fault(where, 'must be a regular expression for names of fields');
          },
        } satisfies { readonly [name in keyof Required<KeptRequest>]: Rule }),
      ),
      generative: this.#maybe((held, at) =>
        this.#object(held, at, { features: callable(false), reply: callable(false) }),
      ),
      real: this.#maybe((held, at) => this.#real(held, at)),
    } satisfies { readonly [name in keyof Required<Twin>]: Rule };
    if (!this.#object(value, 'twin', shape)) return;
    const { manifest, generative, error } = value as unknown as Twin;
    if (typeof manifest !== 'object' || manifest === null) return;
    this.#agree(manifest, generative !== undefined);
    if (typeof error === 'function') this.#tryError(value as unknown as Twin);
  }

  #real(value: unknown, at: string): void {
    const text = this.#text();
    const needed = this.#function(false);
    this.#object(value, at, {
      authorize: needed,
      adopt: this.#function(true),
      deploys: this.#maybe((held, where) =>
        this.#object(held, where, {
          once: (once, place) => {
            if (once !== null) this.#object(once, place, { header: text, keptMs: this.#count() });
          },
          unable: needed,
          done: needed,
          refusal: needed,
          lookup: this.#function(true),
        } satisfies { readonly [name in keyof Required<Deploys>]: Rule }),
      ),
      observes: this.#maybe((held, where) =>
        this.#object(held, where, {
          every: (every, place) => {
            if (every !== null) text(every, place);
          },
          atMost: text,
          pages: needed,
        } satisfies { readonly [name in keyof Required<Observes>]: Rule }),
      ),
      ingests: this.#maybe((held, where) =>
        this.#object(held, where, {
          scheme: this.#oneOf(['stripe', 'github', 'slack', 'svix', 'standard']),
          fold: needed,
        } satisfies { readonly [name in keyof Required<Ingests>]: Rule }),
      ),
    } satisfies { readonly [name in keyof Required<RealVendor>]: Rule });
  }

  #manifest(value: unknown, at: string): void {
    const text = this.#text();
    const names = this.#list(text);
    const shape = {
      kind: this.#oneOf(['wrld-twin']),
      vendor: this.#text(VENDOR, 'lower-case letters, digits and single hyphens (acme-mail)'),
      version: text,
      protocol: this.#oneOf(['http', 'smtp', 'mysql']),
      api: (held, where) =>
        this.#object(held, where, {
          version: this.#maybe(text),
          sdks: this.#list((sdk, place) => this.#object(sdk, place, { npm: text, version: text })),
        }),
      models: this.#list((model, where) =>
        this.#object(model, where, { type: text, idPrefix: this.#maybe(text), operations: names }),
      ),
      coverage: (held, where) =>
        this.#object(held, where, {
          modelled: this.#count(),
          generic: this.#count(),
          catalog: this.#count(),
        }),
      hosts: this.#list((host, where) =>
        this.#object(host, where, {
          host: this.#text(
            HOST,
            'a host’s name as clients ask for it, without scheme or wildcard (api.acme.com)',
          ),
          paths: this.#list((path, place) => this.#path(path, place)),
        }),
      ),
      endpointEnv: this.#maybe(
        this.#map((suffix, where) => {
          const name = where.slice(where.lastIndexOf('.') + 1);
          if (!VARIABLE.test(name)) this.#fault(where, 'is no variable’s name (ACME_BASE_URL)');
          if (typeof suffix !== 'string')
            this.#fault(where, 'must be what follows the twin’s URL: "" or "/v1"');
        }),
      ),
      stream: this.#maybe((held, where) =>
        this.#object(held, where, {
          id: text,
          env: names,
          hosts: this.#maybe(
            this.#list((host, place) => this.#object(host, place, { host: text, port: this.#count() })),
          ),
        }),
      ),
      upgrades: this.#maybe(this.#list(this.#text(/^\//, 'a path (/v1/realtime)'))),
      generative: this.#flag(),
      matchers: names,
      root: this.#flag(),
      screens: this.#list((screen, where) =>
        this.#object(screen, where, {
          id: text,
          path: this.#text(/^\//, 'a path (/inbox)'),
          host: this.#maybe(text),
        }),
      ),
      requestScopes: this.#maybe(this.#list(this.#oneOf(['read']))),
      webhooks: this.#maybe((held, where) =>
        this.#object(held, where, { scheme: this.#oneOf(SCHEMES), events: names }),
      ),
      refresh: this.#maybe((held, where) =>
        this.#object(held, where, { every: () => undefined, atMost: text }),
      ),
    } satisfies { readonly [name in keyof Required<Manifest>]: Rule };
    this.#object(value, at, shape);
  }

  /** What two parts of a twin say of the same. */
  #agree(manifest: Manifest, speaks: boolean): void {
    const { generative, matchers, hosts } = manifest;
    if (typeof generative === 'boolean' && generative !== speaks) {
      const fix = speaks ? 'write true' : 'write false, or give the twin `generative`';
      this.#fault('twin.manifest.generative', `says ${generative}, and the twin says ${speaks}; ${fix}`);
    }
    const known = speaks ? GENERATIVE_MATCHERS : HANDLER_MATCHERS;
    for (const [index, name] of (Array.isArray(matchers) ? matchers : []).entries()) {
      if (typeof name !== 'string' || known.includes(name)) continue;
      this.#fault(`twin.manifest.matchers[${index}]`, `is no matcher: ${name}${this.#guess(name, known)}`);
    }
    const seen = new Map<string, string>();
    for (const [index, entry] of (Array.isArray(hosts) ? hosts : []).entries()) {
      for (const [place, path] of (Array.isArray(entry?.paths) ? entry.paths : []).entries()) {
        const at = `twin.manifest.hosts[${index}].paths[${place}]`;
        const first = seen.get(`${entry.host}${path}`);
        if (first === undefined) seen.set(`${entry.host}${path}`, at);
        else this.#fault(at, `is ${entry.host}${path} again, as ${first} is; leave one out`);
      }
    }
  }

  /** The world answers with it when the twin itself has failed, so it must not fail too. */
  #tryError(twin: Twin): void {
    const at = 'twin.error';
    try {
      const fault = replyFault(twin.error(500, 'twin_failed', 'A message.'));
      if (fault !== null) this.#fault(at, `(500, 'twin_failed', 'A message.') answered no reply: ${fault}`);
    } catch (thrown) {
      this.#fault(at, `(500, 'twin_failed', 'A message.') threw ${inWords(thrown)}`);
    }
  }

  #path(path: unknown, at: string): void {
    if (typeof path !== 'string') return this.#fault(at, 'must be a path prefix ("/v1/")');
    if (path.startsWith('/') && path.endsWith('/')) return;
    const mended = `/${path}/`.replaceAll(/\/+/g, '/');
    this.#fault(at, `is ${JSON.stringify(path)}; a prefix begins and ends with /: ${JSON.stringify(mended)}`);
  }

  /** False where it is no object at all. */
  #object(value: unknown, at: string, shape: Shape): value is Fields {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.#fault(at, `must be an object with ${Object.keys(shape).join(', ')}; it is ${kindOf(value)}`);
      return false;
    }
    const known = Object.keys(shape);
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(shape, name))
        this.#fault(
          `${at}.${name}`,
          `is not known here${this.#guess(name, known)}; known: ${known.join(', ')}`,
        );
    }
    for (const [name, rule] of Object.entries(shape)) rule((value as Fields)[name], `${at}.${name}`);
    return true;
  }

  #map(rule: Rule): Rule {
    return (value, at) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        return this.#fault(at, `must be an object by name; it is ${kindOf(value)}`);
      for (const [name, held] of Object.entries(value)) rule(held, `${at}.${name}`);
    };
  }

  #list(rule: Rule): Rule {
    return (value, at) => {
      if (!Array.isArray(value)) return this.#fault(at, `must be a list; it is ${kindOf(value)}`);
      for (const [index, held] of value.entries()) rule(held, `${at}[${index}]`);
    };
  }

  #maybe(rule: Rule): Rule {
    return (value, at) => {
      if (value !== undefined) rule(value, at);
    };
  }

  #text(pattern: RegExp = /./s, accepted = 'text that is not empty'): Rule {
    return (value, at) => {
      if (typeof value !== 'string') this.#fault(at, `must be ${accepted}; it is ${kindOf(value)}`);
      else if (!pattern.test(value)) this.#fault(at, `is ${JSON.stringify(value)}; accepted: ${accepted}`);
    };
  }

  #oneOf(words: readonly string[]): Rule {
    return (value, at) => {
      if (!words.some(word => word === value))
        this.#fault(
          at,
          `is ${inWords(value)}; accepted: ${words.map(word => JSON.stringify(word)).join(', ')}`,
        );
    };
  }

  #flag(): Rule {
    return (value, at) => {
      if (typeof value !== 'boolean') this.#fault(at, `must be true or false; it is ${kindOf(value)}`);
    };
  }

  #count(): Rule {
    return (value, at) => {
      if (!Number.isInteger(value) || Number(value) < 0)
        this.#fault(at, `must be a whole number; it is ${inWords(value)}`);
    };
  }

  #function(optional: boolean): Rule {
    return (value, at) => {
      if (value === undefined && optional) return;
      if (typeof value !== 'function') this.#fault(at, `must be a function; it is ${kindOf(value)}`);
      else if (/^Async/.test(value.constructor.name))
        this.#fault(at, 'is async; a twin answers at once, inside its transaction. Take the async away');
    };
  }

  #guess(name: string, known: readonly string[]): string {
    const near = nearest(name, known);
    return near === undefined ? '' : ` (did you mean ${near}?)`;
  }

  #fault(at: string, problem: string): void {
    this.#faults.push({ at, problem });
  }
}

/** What is wrong with an answer of a twin's, in words; null for nothing. */
export function replyFault(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return `it is ${kindOf(value)}`;
  if (typeof (value as { readonly then?: unknown }).then === 'function')
    return 'it is a promise; a twin answers at once';
  const { status, headers, body, fault } = value as Fields;
  // Below 200 it would be no answer yet, and its client wait on.
  if (!Number.isInteger(status) || (fault === undefined && (Number(status) < 200 || Number(status) > 599)))
    return `its status is ${inWords(status)}`;
  if (!Array.isArray(headers)) return 'its headers are no list of [name, value]';
  for (const header of headers as readonly unknown[]) {
    const [name, text] = Array.isArray(header) ? (header as readonly unknown[]) : [];
    if (typeof name !== 'string' || !/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      return `a header is named ${inWords(name)}`;
    if (typeof text !== 'string' || /[^\t\x20-\x7e\x80-\xff]/.test(text))
      return `its header ${name} holds what no header may: text of one line`;
  }
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) return null;
  if (typeof (body as { readonly [Symbol.asyncIterator]?: unknown })?.[Symbol.asyncIterator] === 'function')
    return null;
  return `its body is ${kindOf(body)}; accepted: null, text, a Uint8Array, an async iterable of those`;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function inWords(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return value === undefined ? 'missing' : (JSON.stringify(value) ?? kindOf(value)).slice(0, 80);
}
