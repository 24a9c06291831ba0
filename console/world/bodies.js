// A body laid out to be read: a form by its fields, JSON indented, a stream by its events, an image as one.

import { h } from '../shared/dom.js';

/** @typedef {{ bytes: number; text: string | null; image: string | null }} Body */

/** @param {string} type its content type @param {Body} body @returns {HTMLElement | null} null for none */
export function laidOutBody(type, { bytes, text, image }) {
  if (bytes === 0) return null;
  const media = type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (image !== null)
    return h('img', {
      class: 'answered',
      src: `data:${media};base64,${image}`,
      alt: `${media}, ${bytes} bytes`,
    });
  if (text === null)
    return h(
      'p',
      { class: 'soft' },
      `${bytes} bytes${media === '' ? '' : ` of ${media}`}, which are not shown.`,
    );
  if (media === 'application/x-www-form-urlencoded') return formOf(text);
  if (media === 'text/event-stream') return eventsOf(text);
  return h('pre', { tabindex: '0' }, /[/+]json$/.test(media) ? indented(text) : text);
}

/** @param {string} text */
function formOf(text) {
  const fields = h('dl', { class: 'fields' });
  for (const [name, value] of new URLSearchParams(text))
    fields.append(h('dt', {}, h('code', {}, name)), h('dd', {}, value));
  return fields;
}

/** @param {string} text */
function eventsOf(text) {
  const events = text.split(/\r?\n\r?\n/).filter(block => block.trim() !== '');
  return h(
    'ol',
    { class: 'events', 'aria-label': `${events.length} events` },
    ...events.map(block => {
      const field = (/** @type {string} */ name) =>
        block
          .split(/\r?\n/)
          .filter(line => line.startsWith(`${name}:`))
          .map(line => line.slice(name.length + 1).replace(/^ /, ''))
          .join('\n');
      const [name, data] = [field('event'), field('data')];
      return h(
        'li',
        {},
        name !== '' && h('strong', {}, name),
        h('pre', {}, indented(data === '' ? block : data)),
      );
    }),
  );
}

/** As it is where it is no JSON. @param {string} text */
function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
