// One entry of a log for people: the request that made it as it was sent, laid out to be read, and what it changed.
import type { AskedRequest } from '../control/world/log/asked.ts';
import type { Entry } from '../control/world/log/entry.ts';
import { parseJson } from '../policy/json-text.ts';
import { instantText, type Output } from './output.ts';

export function printEntry(output: Output, entry: Entry): void {
  const { id, kind, occurredAt, caller, actor, cause, request, changes } = entry;
  const { ink } = output;
  output.line(`${ink('bold', id)}  ${kind}  ${instantText(occurredAt)}  ${caller ?? actor.type}`);
  if (cause !== undefined) output.line(ink('dim', `caused by ${cause}`));
  if (request !== undefined) printRequest(output, request);
  for (const { op, type, id: record, before } of changes) {
    const what = op === 'delete' ? 'deleted' : before === undefined ? 'made' : 'changed';
    output.line(`${ink('dim', what.padEnd(8))}${type} ${record}`);
  }
}

/** What a terminal would act on; a request is a stranger's. */
const CONTROLS = /\p{Cc}/gu;

function printRequest(output: Output, request: AskedRequest): void {
  const { method, path, query, headers = {}, blob } = request;
  output.line('');
  output.line(`${method} ${path}${query === undefined ? '' : `?${query}`}`);
  for (const [name, value] of Object.entries(headers)) output.line(output.ink('dim', `${name}: ${value}`));
  for (const line of bodyLines(request)) output.line(`  ${line.replaceAll(CONTROLS, '�')}`);
  if (blob !== undefined) output.line(`  ${blob.bytes} bytes, SHA-256 ${blob.sha256}`);
  output.line('');
}

/** A form by its fields, JSON indented, any other text as it is. */
function bodyLines({ headers = {}, body }: AskedRequest): readonly string[] {
  if (body === undefined) return [];
  const type = headers['content-type'] ?? '';
  if (type.startsWith('application/x-www-form-urlencoded')) {
    const fields = [...new URLSearchParams(body)];
    const widest = Math.max(...fields.map(([name]) => name.length));
    return fields.map(([name, value]) => `${name.padEnd(widest)}  ${value}`);
  }
  if (/^application\/(?:[\w.+-]+\+)?json\b/.test(type)) {
    try {
      return JSON.stringify(parseJson(body), null, 2).split('\n');
    } catch {
      // It is shown as it came.
    }
  }
  return body.split('\n');
}
