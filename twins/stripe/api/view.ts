// What an operation answers before it is written: an object of the vendor's, and a page of them.
import type { Tx } from '../../kit/tx.ts';

export type View = { readonly [field: string]: unknown };

export type Reader = Pick<Tx, 'get' | 'list' | 'now'>;

export function listView(data: readonly View[], more: boolean, url: string): View {
  return { object: 'list', data, has_more: more, url };
}
