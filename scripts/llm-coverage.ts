// By which tier the OpenAI and the Anthropic twin answer each request that their vendor's SDK can make, read from the
// SDK's own tree of resources.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { ANTHROPIC_MANIFEST } from '../twins/anthropic/manifest.ts';
import { OPERATIONS as ANTHROPIC_OPERATIONS } from '../twins/anthropic/operations.ts';
import type { Manifest } from '../twins/kit/manifest.ts';
import { OPENAI_MANIFEST } from '../twins/openai/manifest.ts';
import { OPERATIONS as OPENAI_OPERATIONS } from '../twins/openai/operations.ts';
import { type Coverage, coverageOf } from './coverage.ts';

/** As the receipts of their actions say it (`Deploys` of twins/kit/real-vendor.ts is none of theirs). */
const NOT_DEPLOYED = { undeployed: 'the twin does not deploy' } as const;

type Modelled = { readonly method: string; readonly path: string; readonly name: string };

const REQUEST =
  /_client\s*\.(get|post|put|patch|delete|getAPIList)\(\s*(?:\(0, path_1\.path\) |\w*path)?\s*(['`])([^'`?]*)/;

export function openaiCoverage(): Coverage {
  return read(OPENAI_MANIFEST, new OpenAI({ apiKey: 'none' }), '/v1', OPENAI_OPERATIONS);
}

export function anthropicCoverage(): Coverage {
  return read(ANTHROPIC_MANIFEST, new Anthropic({ apiKey: 'none' }), '', ANTHROPIC_OPERATIONS);
}

/** `base` is the path in the SDK's own base URL. */
function read(manifest: Manifest, client: object, base: string, operations: readonly Modelled[]): Coverage {
  const modelled = new Map<string, string>(
    operations.map(({ method, path, name }) => [`${method} ${withoutNames(path)}`, name]),
  );
  const found = new Map<string, string[]>();
  for (const [name, route] of requests(client, base)) {
    found.set(route, [...(found.get(route) ?? []), name]);
  }
  // A few requests are built outside of their resource: `embeddings.create`, or an address that an answer gave.
  for (const [route, name] of modelled) if (!found.has(route)) found.set(route, [name]);
  const [sdk] = manifest.api.sdks;
  return coverageOf({
    vendor: manifest.vendor,
    api: manifest.api.version,
    counted: `requests that ${sdk?.npm}@${sdk?.version} can make`,
    operations: [...found].map(([route, names]) => {
      if (!modelled.has(route)) return { route, names, tier: 'unmodelled' };
      return { route, names, tier: 'modelled', ...(route.startsWith('GET ') ? {} : NOT_DEPLOYED) };
    }),
  });
}

/** Parameters of paths are named differently by the SDK and by us: only their places count. */
function withoutNames(path: string): string {
  return path.replaceAll(/\$?\{[^}]*\}/g, '{}');
}

/** Every method of a resource that makes a request by itself, and of the resources in it. */
function* requests(
  holder: object,
  base: string,
  prefix = '',
): Generator<readonly [name: string, route: string]> {
  for (const [name, method] of methodsOf(holder)) {
    const source = method.toString();
    const [, verb, , path] = REQUEST.exec(source) ?? [];
    if (verb === undefined || path === undefined || prefix === '') continue;
    yield [
      `${prefix}${name}`,
      `${verb === 'getAPIList' ? listed(source) : verb.toUpperCase()} ${base}${withoutNames(path)}`,
    ];
  }
  for (const [name, inner] of Object.entries(holder)) {
    if (isResource(inner)) yield* requests(inner, base, `${prefix}${name}.`);
  }
}

/** A list may be asked for with a body. */
const listed = (source: string): string => (/method: 'post'/.test(source) ? 'POST' : 'GET');

function methodsOf(holder: object): (readonly [name: string, method: () => unknown])[] {
  const own = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(holder));
  return Object.entries(own).flatMap(([name, { value }]) =>
    name !== 'constructor' && typeof value === 'function' ? [[name, value] as const] : [],
  );
}

/** What holds its client is a resource; the client itself holds none. */
function isResource(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, '_client');
}
