// By which tier the OpenAI and the Anthropic twin answer each request that their vendor's SDK can make, read from the
// SDK's own tree of resources.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { ANTHROPIC_MANIFEST } from '../twins/anthropic/manifest.ts';
import { OPERATIONS as ANTHROPIC_OPERATIONS } from '../twins/anthropic/operations.ts';
import { anthropicDeploys } from '../twins/anthropic/real/deploy.ts';
import type { Manifest } from '../twins/kit/manifest.ts';
import type { Deploys } from '../twins/kit/real-vendor.ts';
import { OPENAI_MANIFEST } from '../twins/openai/manifest.ts';
import { OPERATIONS as OPENAI_OPERATIONS } from '../twins/openai/operations.ts';
import { openaiDeploys } from '../twins/openai/real/deploy.ts';
import { type Coverage, coverageOf, undeployedOf } from './coverage.ts';

type Modelled = { readonly method: string; readonly path: string; readonly name: string };

const REQUEST =
  /_client\s*\.(get|post|put|patch|delete|getAPIList)\(\s*(?:\(0, path_1\.path\) |\w*path)?\s*(['`])([^'`?]*)/;

export function openaiCoverage(): Coverage {
  const base = '/v1';
  return read(new OpenAI({ apiKey: 'none' }), {
    ...{ manifest: OPENAI_MANIFEST, base, operations: OPENAI_OPERATIONS, deploys: openaiDeploys },
  });
}

export function anthropicCoverage(): Coverage {
  return read(new Anthropic({ apiKey: 'none' }), {
    ...{
      manifest: ANTHROPIC_MANIFEST,
      base: '',
      operations: ANTHROPIC_OPERATIONS,
      deploys: anthropicDeploys,
    },
  });
}

type Twin = {
  readonly manifest: Manifest;
  /** The path in the SDK's own base URL. */
  readonly base: string;
  readonly operations: readonly Modelled[];
  readonly deploys: Deploys;
};

function read(client: object, { manifest, base, operations, deploys }: Twin): Coverage {
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
      const [method = '', path = ''] = route.split(' ');
      return { route, names, tier: 'modelled', ...undeployedOf(deploys, { method, path }) };
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
