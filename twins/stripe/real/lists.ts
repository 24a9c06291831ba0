// The lists of the real Stripe, read from the oldest object on: what is made meanwhile is at the end that is still to come, so
// nothing is missed, and what is read last is newest, as it is in the twin.

import { arrayField, field, isJsonObject, type JsonObject, numberField, textField } from '../../kit/json.ts';
import type { AskVendor, VendorAnswer } from '../../kit/real-vendor.ts';
import { headerOf, VendorFault, vendorJson } from '../../kit/vendor-fault.ts';
import { API_VERSION } from '../api/version.ts';

export type Listed = JsonObject & { readonly id: string; readonly created: number };

export type ListPage = {
  readonly data: readonly Listed[];
  readonly more: boolean;
  /** Seconds: what time it is there; null where it does not say. */
  readonly at: number | null;
};

const HEADERS = [['Stripe-Version', API_VERSION]] as const;
const PAGE = 100;
/** Stripe was not there before: 2010-01-01. */
const FIRST_SECOND = 1_262_304_000;

/** An answer of 200; null for 400 and 404, where the path names what is not there. Throws `VendorFault` for any other. */
export async function get(
  ask: AskVendor,
  path: string,
): Promise<{ answer: VendorAnswer; body: JsonObject } | null> {
  const answer = await ask({ method: 'GET', path, headers: HEADERS, body: null });
  const { status } = answer;
  if (status === 404 || status === 400) {
    if (textField(field(vendorJson(answer), 'error'), 'code') === 'resource_missing') return null;
  }
  if (status < 200 || status >= 300) throw new VendorFault(refusal(answer, path));
  const body = vendorJson(answer);
  if (!isJsonObject(body))
    throw new VendorFault(`answers ${path.split('?')[0]} with what is no object of Stripe’s`);
  return { answer, body };
}

function refusal(answer: VendorAnswer, path: string): string {
  const { status } = answer;
  const at = path.split('?')[0];
  if (status === 401) return 'refuses the credential (401); seal one that is in force';
  if (status === 403) return `does not let the credential read ${at} (403); it needs read access there`;
  const error = field(vendorJson(answer), 'error');
  return `answers ${status} at ${at}${textField(error, 'code') === null ? '' : `: ${textField(error, 'code')}`}`;
}

function nowThere(answer: VendorAnswer): number | null {
  const at = Date.parse(headerOf(answer, 'date') ?? '');
  return Number.isNaN(at) ? null : Math.floor(at / 1000);
}

/** A page of a list, as Stripe has it: newest first. Null where a cursor names what is not there. */
export async function page(
  ask: AskVendor,
  path: string,
  query: { readonly [name: string]: string | number },
): Promise<ListPage | null> {
  const [bare, fixed = ''] = path.split('?');
  const params = new URLSearchParams(fixed);
  for (const [name, value] of Object.entries(query)) params.set(name, String(value));
  const got = await get(ask, `${bare}?${params}`);
  if (got === null) return null;
  const data = arrayField(got.body, 'data');
  if (!Array.isArray(got.body['data']) || !data.every(isListed))
    throw new VendorFault(`answers ${bare} with what is no list of Stripe’s`);
  return { data: data as readonly Listed[], more: got.body['has_more'] === true, at: nowThere(got.answer) };
}

function isListed(value: unknown): value is Listed {
  return textField(value, 'id') !== null && numberField(value, 'created') !== null;
}

/** Where in a list one is: the object that was read last, and when it was made. */
export type ListPlace = { readonly after: string; readonly created: number };

/**
 * Pages from a place on, each oldest first; from the beginning where there is none. An object that the place names and that is
 * gone meanwhile is looked for by the second it was made in: what else was made in it comes once more.
 */
export async function* ascending(
  ask: AskVendor,
  path: string,
  from: ListPlace | null,
): AsyncGenerator<readonly Listed[]> {
  let place = from;
  for (;;) {
    const found: ListPage | null =
      place === null ? null : await page(ask, path, { ending_before: place.after, limit: PAGE });
    const begins: Listed | null =
      found === null ? await oldestSince(ask, path, place?.created ?? FIRST_SECOND) : null;
    const data: readonly Listed[] = begins === null ? (found?.data.toReversed() ?? []) : [begins];
    const last = data.at(-1);
    if (last === undefined) return;
    if (last.id === place?.after) throw new VendorFault(`does not come to an end of ${path.split('?')[0]}`);
    yield data;
    if (found !== null && !found.more) return;
    place = { after: last.id, created: last.created };
  }
}

/** Halves the time since then until the second of the first object is found; the oldest of that second. */
async function oldestSince(ask: AskVendor, path: string, since: number): Promise<Listed | null> {
  const newest = (await page(ask, path, { 'created[gte]': since, limit: 1 }))?.data[0];
  if (newest === undefined) return null;
  const within = (until: number, limit: number, more: { readonly [name: string]: string } = {}) =>
    page(ask, path, { 'created[gte]': since, 'created[lte]': until, limit, ...more });
  let high = newest.created;
  for (let low = since; low < high; ) {
    const middle = Math.floor((low + high) / 2);
    const found = await within(middle, 1);
    const newest = found?.data[0];
    if (newest === undefined) low = middle + 1;
    else high = Math.min(middle, newest.created);
  }
  let oldest: Listed | null = null;
  for (;;) {
    const found: ListPage | null = await within(
      high,
      PAGE,
      oldest === null ? {} : { starting_after: oldest.id },
    );
    oldest = found?.data.at(-1) ?? oldest;
    if (found?.more !== true) return oldest;
  }
}

/** All of a list inside an object: it shows the first of them. */
export async function rest(ask: AskVendor, list: JsonObject): Promise<JsonObject> {
  let data = arrayField(list, 'data');
  let more = list['has_more'] === true;
  const url = textField(list, 'url');
  while (more && url !== null) {
    const last = textField(data.at(-1), 'id');
    if (last === null) break;
    const [bare, fixed = ''] = url.split('?');
    const params = new URLSearchParams(fixed);
    params.set('limit', String(PAGE));
    params.set('starting_after', last);
    const got = await get(ask, `${bare}?${params}`);
    if (got === null) break;
    data = [...data, ...arrayField(got.body, 'data')];
    more = got.body['has_more'] === true;
  }
  return { ...list, data, has_more: false };
}
