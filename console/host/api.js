// The host's endpoints, as the console asks them: same origin, by the admin token, which lies in this module's memory and
// nowhere else. It is gone with the page.
import { answerOf, ask as askAt } from '../shared/asking.js';

/** Of this file: `/-/console/host/`. */
const HOST = new URL('../../', import.meta.url).pathname;

let token = '';

/** What every question carries from now on. @param {string} given */
export function presentToken(given) {
  token = given;
}

/**
 * The parsed body; throws `Problem` for anything but a success, and `Unreachable`.
 *
 * @param {string} path below `/-/`
 * @param {{ method?: string; body?: unknown }} [options]
 */
export const ask = (path, options = {}) =>
  askAt(HOST + path, { ...options, headers: { 'x-wrld-token': token } });

/** The answer as it arrives. @param {string} path */
export const answer = path => answerOf(HOST + path, { headers: { 'x-wrld-token': token } });

/** What the host says to everybody. @param {string} path */
export const askOpen = path => askAt(HOST + path);

/**
 * An endpoint of one world, by a token of that world's.
 *
 * @param {string} world `<org>/<world>` @param {string} path @param {string} worldToken @param {string} method
 */
export const askWorld = (world, path, worldToken, method) =>
  askAt(`${HOST}${world}/${path}`, { method, headers: { 'x-wrld-token': worldToken } });

/** Of a world's page at an origin; the console's own where none is given. @param {string} world @param {string} [origin] */
export const pageOf = (world, origin = location.origin) => new URL(`${HOST}${world}/`, origin).href;
