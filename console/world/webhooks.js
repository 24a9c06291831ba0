// What the twins sent to the endpoints that apps named: what came of it, one of them with its attempts, and sent again.

import { h, instant } from '../shared/dom.js';
import { acting } from './acting.js';
import { ask } from './api.js';
import { laidOut } from './entry.js';
import { replaceInPlace } from './kept-place.js';
import { NewestList } from './newest-list.js';

const STATES = /** @type {{ [state: string]: string }} */ ({
  sending: 'on its way',
  waiting: 'failed, is sent again',
  delivered: 'delivered',
  failed: 'failed',
});

const SIGNATURES = /** @type {{ [check: string]: string }} */ ({
  holds: 'The signature holds.',
  differs: 'The signature is not by the secret that the endpoint has now.',
  unsigned: 'The twin signs nothing.',
  gone: 'The endpoint is gone, and its secret with it.',
  unknown: 'The signature cannot be checked any more.',
});

/** @param {import('./views.js').Around} around @returns {import('./views.js').View} */
export function webhooksView(around) {
  const id = around.search.get('id');
  return id === null ? listView(around) : oneView(around, id);
}

/** @param {import('./views.js').Around} around @returns {import('./views.js').View} */
function listView({ write, notice, search, go }) {
  const failed = search.get('failed') === 'true';
  const list = new NewestList(
    async before => {
      const query = new URLSearchParams({
        ...(failed ? { failed: 'true' } : {}),
        ...(before === null ? {} : { before }),
      });
      const page = await ask(`webhooks?${query}`);
      return { items: page.webhooks, next: page.next };
    },
    webhooks => [
      h(
        'ul',
        { class: 'plain lines' },
        ...webhooks.map(webhook => line(webhook, write ? () => again(webhook) : null)),
      ),
    ],
    failed
      ? 'Nothing failed.'
      : 'No webhook was sent. A twin sends some once an app has named an endpoint for them, as it does at the vendor.',
  );
  const again = resending(notice, () => list.refresh());
  const box = /** @type {HTMLInputElement} */ (
    h('input', {
      type: 'checkbox',
      checked: failed,
      onchange: () => go(box.checked ? 'webhooks?failed=true' : 'webhooks'),
    })
  );
  return {
    element: h(
      'section',
      {},
      h('h2', {}, 'Webhooks'),
      h(
        'form',
        { class: 'row', onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
        h('label', { class: 'check' }, box, ' failed only'),
      ),
      list.element,
    ),
    kinds: ['entry'],
    refresh: first => list.refresh(first),
  };
}

/** @param {any} webhook @param {(() => void) | null} again null for whoever reads only */
function line(webhook, again) {
  const { id, event, text, endpoint, state, last, attempts, nextAt } = webhook;
  const bad = state === 'failed' || state === 'waiting';
  return h(
    'li',
    {},
    h(
      'div',
      { class: 'with' },
      h('a', { href: `#${webhookHash(id)}`, id: `open-${id}`, class: 'text' }, text ?? event.type),
      again !== null && bad && againButton(webhook, again),
    ),
    h(
      'div',
      { class: 'soft' },
      last !== undefined && instant(last.at),
      last !== undefined && ' ',
      h('span', { class: bad ? 'bad' : state === 'delivered' ? 'good' : null }, STATES[state] ?? state),
      ` · ${last === undefined ? 'no attempt yet' : outcome(last)}`,
      attempts > 1 && ` · ${attempts} attempts`,
      nextAt !== null && ' · next at ',
      nextAt !== null && instant(nextAt),
    ),
    h('div', { class: 'soft' }, 'to ', h('code', {}, endpoint.url)),
  );
}

/** @param {any} webhook @param {() => void} again */
function againButton({ id, event, endpoint, bodyKept }, again) {
  return bodyKept
    ? h(
        'button',
        {
          id: `again-${id}`,
          'aria-label': `Send again ${event.type} to ${endpoint.url}`,
          onclick: again,
        },
        'Send again',
      )
    : h('span', { class: 'soft' }, 'what was sent is not kept any more');
}

/** @param {(text: string, bad?: boolean) => void} notice @param {() => Promise<void>} refresh */
function resending(notice, refresh) {
  const act = acting(notice, refresh);
  return (/** @type {any} */ { id, event }) =>
    void act(
      () => ask(`webhooks/${place(id)}/resend`, { method: 'POST' }),
      `${event.type} goes to its endpoint once more; what comes of it is shown here and in the log.`,
    );
}

/** @param {any} last */
function outcome({ status, error, ms }) {
  return `${status === undefined ? (error ?? 'no answer') : `answered ${status}`}, ${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;
}

/** `stripe:delivery:12` → `stripe/12` @param {string} id */
const place = id => id.replace(':delivery:', '/');

/** Where one is on the page. @param {string} id */
export const webhookHash = id => `webhooks?${new URLSearchParams({ id })}`;

/** @param {import('./views.js').Around} around @param {string} id @returns {import('./views.js').View} */
function oneView({ write, notice }, id) {
  const title = h('h2', {}, 'Webhook');
  const body = h('div');
  const refresh = async () => {
    const webhook = await ask(`webhooks/${place(id)}`);
    title.textContent = webhook.text ?? webhook.event.type;
    replaceInPlace(body, parts(webhook, write ? () => again(webhook) : null));
  };
  const again = resending(notice, refresh);
  return {
    element: h('section', {}, h('p', {}, h('a', { href: '#webhooks' }, 'All webhooks')), title, body),
    kinds: ['entry'],
    refresh,
  };
}

/** @param {any} webhook @param {(() => void) | null} again */
function parts(webhook, again) {
  const { event, endpoint, state, nextAt, trace, tries, headers, body } = webhook;
  const facts = h('dl');
  const fact = (/** @type {string} */ name, /** @type {(Node | string)[]} */ ...value) =>
    facts.append(h('dt', {}, name), h('dd', {}, ...value));
  const bad = state === 'failed' || state === 'waiting';
  fact('State', h('span', { class: bad ? 'bad' : 'good' }, STATES[state] ?? state));
  if (nextAt !== null) fact('Next attempt', instant(nextAt));
  fact('Event', h('code', {}, `${event.type} ${event.id}`));
  fact('Endpoint', h('code', {}, endpoint.url), ' ', h('code', { class: 'soft' }, endpoint.id));
  fact('Caused by', h('a', { href: `#timeline?trace=${trace}` }, 'what it came of, with all of its trace'));
  const type = headers.find((/** @type {any} */ { name }) => name.toLowerCase() === 'content-type')?.value;
  return [
    facts,
    ...(again !== null && state !== 'sending' ? [h('p', {}, againButton(webhook, again))] : []),
    h('h3', {}, tries.length === 0 ? 'No attempt yet' : 'Attempts'),
    ...(tries.length === 0 ? [] : [attempts(tries)]),
    h('h3', {}, 'What was sent'),
    ...(body === null
      ? [h('p', { class: 'soft' }, 'It is kept no more: only the newest webhooks of a world are.')]
      : [
          h(
            'pre',
            {},
            [
              ...headers.map((/** @type {any} */ { name, value }) => `${name}: ${value}`),
              '',
              laidOut(type ?? '', body),
            ].join('\n'),
          ),
        ]),
  ];
}

/** Newest first. @param {readonly any[]} tries */
function attempts(tries) {
  return h('ol', { class: 'plain lines', reversed: true }, ...[...tries].reverse().map(attempt));
}

/** @param {any} attempt */
function attempt({ at, wallAt, signed, signature, answer, ...came }) {
  const taken = came.status >= 200 && came.status < 300;
  return h(
    'li',
    {},
    h(
      'div',
      {},
      instant(at),
      ' ',
      h('span', { class: taken ? 'good' : 'bad' }, outcome(came)),
      at !== wallAt && h('span', { class: 'soft' }, ' · by the wall clock ', instant(wallAt)),
    ),
    h(
      'div',
      { class: 'soft' },
      h(
        'span',
        { class: signature === 'holds' ? 'good' : signature === 'differs' ? 'bad' : null },
        SIGNATURES[signature] ?? signature,
      ),
      ...signed.flatMap((/** @type {any} */ { name, value }) => [
        ' ',
        h('code', {}, value === null ? name : `${name}: ${value}`),
      ]),
    ),
    answer !== undefined && h('pre', {}, `The answer begins:\n${answer}`),
  );
}
