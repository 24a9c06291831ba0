// A run's declaration: what an app says it needs, read from JSON (`wrld world run --declaration F`, a pushed
// snapshot). Hosts are made canonical here, once, so that judging is a look-up.
import type { Scheme } from './ask.ts';
import { formatAuthority, parseAuthority, schemePort } from './authority.ts';
import { parseJson } from './json-text.ts';
import type { Declaration, DeclaredBy } from './run.ts';
import { ShapeReader } from './shape.ts';

export type DeclarationResult =
  | { readonly ok: true; readonly declaration: Declaration }
  | { readonly ok: false; readonly why: string };

const KEYS = ['egress', 'services', 'ownLoopback', 'host', 'declaredBy'] as const;

/**
 * Reads the text of a declaration file. `file` is its name as a refusal shows it; each list that the file gives
 * is recorded as declared there, with its line, unless the file itself says where it was derived from.
 */
export function parseDeclaration(text: string, file: string): DeclarationResult {
  const parsed = parseJson(text);
  if (!parsed.ok) return { ok: false, why: `${file}: ${parsed.fault}` };
  const reader = new ShapeReader();
  const given = reader.map(parsed.value, '');
  const { $schema: _editorHint, ...fields } = given;
  const declaration = readDeclaration(fields, '', reader);
  if (reader.problem !== null) return { ok: false, why: `${file}: ${reader.problem}` };
  if (declaration.declaredBy !== undefined) return { ok: true, declaration };
  const declaredBy = (['egress', 'services', 'ownLoopback', 'host'] as const)
    .filter(key => declaration[key] !== undefined)
    .map(key => ({ capability: `network.${key}`, file, line: lineOf(text, key) }));
  return { ok: true, declaration: declaredBy.length > 0 ? { ...declaration, declaredBy } : declaration };
}

/** Reads a declaration that is part of a larger document; problems go to `reader`. */
export function readDeclaration(value: unknown, at: string, reader: ShapeReader): Declaration {
  const fields = reader.object(value, at, KEYS);
  const in_ = (key: string): string => (at === '' ? key : `${at}.${key}`);
  return {
    ...(fields['egress'] !== undefined && {
      egress: reader.strings(fields['egress'], in_('egress')).map((text, index) => {
        const host = parseAuthority(text, 0);
        if (!host.ok || text.includes('*')) {
          reader.complain(
            `${in_('egress')}[${index}]`,
            `${host.ok ? 'a host has no wildcards' : `not a host: ${host.why}`} (accepted: api.example.com, api.example.com:8443)`,
          );
          return text;
        }
        return host.port === 0
          ? formatAuthority({ host: host.host, port: 443 }, 'https')
          : formatAuthority(host);
      }),
    }),
    ...(fields['services'] !== undefined && {
      services: reader.strings(fields['services'], in_('services')),
    }),
    ...(fields['ownLoopback'] !== undefined && {
      ownLoopback: reader.boolean(fields['ownLoopback'], in_('ownLoopback')),
    }),
    ...(fields['host'] !== undefined && { host: reader.boolean(fields['host'], in_('host')) }),
    ...(fields['declaredBy'] !== undefined && {
      declaredBy: reader
        .list(fields['declaredBy'], in_('declaredBy'))
        .map((entry, index) => readDeclaredBy(entry, `${in_('declaredBy')}[${index}]`, reader)),
    }),
  };
}

function readDeclaredBy(value: unknown, at: string, reader: ShapeReader): DeclaredBy {
  const fields = reader.object(value, at, ['capability', 'file', 'line']);
  return {
    capability: reader.string(fields['capability'], `${at}.capability`),
    file: reader.string(fields['file'], `${at}.file`),
    line: reader.integer(fields['line'], `${at}.line`, { min: 1, max: Number.MAX_SAFE_INTEGER }),
  };
}

/** 1-based line of a top-level key; keys of a declaration stand nowhere else in it. */
function lineOf(text: string, key: string): number {
  const at = text.search(new RegExp(`"${key}"\\s*:`));
  return at < 0 ? 1 : text.slice(0, at).split('\n').length;
}

// A declaration is a plain value, shared by every request of its run; its set is made at the first look.
const hostSets = new WeakMap<Declaration, ReadonlySet<string>>();

/** Whether the declaration lists a host; a bare host stands for the schemes' own ports. Open when it has no list. */
export function declaresHost(declaration: Declaration, scheme: Scheme, host: string, port: number): boolean {
  if (declaration.egress === undefined) return true;
  let hosts = hostSets.get(declaration);
  if (hosts === undefined) hostSets.set(declaration, (hosts = new Set(declaration.egress)));
  const bare = formatAuthority({ host, port: schemePort(scheme) }, scheme);
  return ((port === 443 || port === 80) && hosts.has(bare)) || hosts.has(formatAuthority({ host, port }));
}
