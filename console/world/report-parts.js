// Parts of a report, as the page shows one: what a deploy would perform, and what became of each record.

import { empty, h, table } from '../shared/dom.js';
import { recordHash } from './record-hash.js';

/** @param {any} report @param {readonly any[]} deployed */
export function actionsOf({ actions, actionsLeft }, deployed) {
  if (actions.length === 0) return empty('It asks nothing of any vendor.');
  const receipts = new Map(deployed.map(receipt => [receipt.actionId, receipt]));
  const items = actions.map((/** @type {any} */ action) => {
    const { actionId, twin, kind, target, method, path, query, skipped } = action;
    const known = target === null || target.name === null ? '' : ` “${target.name}”`;
    const about = `${twin}: ${kind}${target === null ? '' : ` ${target.type}${known}`}`;
    const asked = `${method} ${path}${query === undefined ? '' : `?${query}`}`;
    const receipt = receipts.get(actionId);
    return h(
      'li',
      {},
      h(
        'details',
        {},
        h('summary', {}, `${actionId} ${about} `, h('code', { class: 'soft' }, asked)),
        h('pre', {}, [asked, ...linesOf(action)].join('\n')),
      ),
      receipt === undefined
        ? skipped !== null && h('p', { class: 'soft' }, `skipped: ${skipped}`)
        : receiptOf(receipt),
    );
  });
  const all = h('ul', { class: 'plain' }, ...items);
  if (actionsLeft > 0) all.append(h('li', { class: 'soft' }, `and ${actionsLeft} more`));
  return all;
}

/** @param {any} action @returns {readonly string[]} */
function linesOf({ fields, fieldsLeft, text, blob }) {
  const lines = fields.map((/** @type {any} */ { field, after }) => `  ${field} = ${shown(after)}`);
  if (fieldsLeft > 0) lines.push(`  and ${fieldsLeft} more fields`);
  if (text !== undefined) lines.push(`  ${text}`);
  if (blob !== undefined) lines.push(`  ${blob.bytes} bytes, SHA-256 ${blob.sha256}`);
  return lines;
}

/** A vendor's page is only linked where it is one. @param {any} receipt */
function receiptOf({ status, externalId, url, reason }) {
  const web = typeof url === 'string' && /^https?:\/\//.test(url);
  const id = externalId === undefined ? false : h('code', {}, externalId);
  return h(
    'span',
    { class: status === 'deployed' ? 'good' : status === 'failed' || status === 'refused' ? 'bad' : null },
    status,
    id && ' ',
    web && id ? h('a', { href: url, rel: 'noreferrer noopener', target: '_blank' }, id) : id,
    reason !== undefined && `: ${reason}`,
  );
}

/** @param {any} twin @returns {readonly Node[]} */
export function changesOf({ twin, records, recordsLeft, told }) {
  const nodes = records.map((/** @type {any} */ { type, id, name, fate, fields, fieldsLeft, first }) => {
    const title = `${fate} ${type}${name === null ? '' : ` “${name}”`} ${id}`;
    const rows = fields.map((/** @type {any} */ { field, before, after }) => [
      h('code', {}, field),
      before === undefined ? '' : h('code', {}, shown(before)),
      after === undefined ? '' : h('code', {}, shown(after)),
    ]);
    return h(
      'details',
      {},
      h('summary', {}, title, h('span', { class: 'soft' }, ` ${first}`)),
      h('p', {}, h('a', { href: `#${recordHash(twin, type, id)}` }, 'The record and its history')),
      rows.length > 0 && table(['Field', 'Before', 'After'], rows),
      fieldsLeft > 0 && h('p', { class: 'soft' }, `and ${fieldsLeft} more fields`),
    );
  });
  const besides = told.map((/** @type {any} */ { type, count }) => `${count} ${type}`);
  if (recordsLeft > 0) besides.push(`${recordsLeft} more records`);
  return [
    h('h4', {}, twin),
    ...nodes,
    ...(besides.length > 0 ? [h('p', { class: 'soft' }, `Besides: ${besides.join(', ')}.`)] : []),
  ];
}

/** @param {unknown} value */
function shown(value) {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
