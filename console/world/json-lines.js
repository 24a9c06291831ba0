// Where in a JSON text each value stands, by its JSON pointer: a fault names the pointer, and a person looks for the line, or
// writes at one.

/**
 * Lines are counted from 1. What is no JSON is followed as far as it goes.
 *
 * @param {string} text
 * @returns {Map<string, number>} by JSON pointer; that of the whole is empty
 */
export function linesOf(text) {
  /** @type {Map<string, number>} */
  const lines = new Map();
  for (const { what, pointer, line } of stepsOf(text)) if (what === 'value') lines.set(pointer, line);
  return lines;
}

/**
 * The JSON pointer of what somebody writes at: of the name or the value before that place on its line, else of what is open
 * around it.
 *
 * @param {string} text @param {number} place where in it
 */
export function pointerAt(text, place) {
  let at = '';
  for (const { pointer, index } of stepsOf(text)) {
    if (index >= place) break;
    at = pointer;
  }
  return at;
}

/**
 * @typedef {{ what: 'name' | 'value' | 'end' | 'line'; pointer: string; line: number; index: number }} Step `pointer`: of an
 *   end and of a line, what is open around it
 */

/** @param {string} text @returns {Generator<Step>} */
function* stepsOf(text) {
  /** Where the next value stands, and what is open around it. */
  let pointer = '';
  let line = 1;
  /** @type {{ pointer: string; at: number; names: boolean }[]} `at`: of the next item of a list */
  const open = [];
  const around = () => open.at(-1)?.pointer ?? '';
  const step = (/** @type {string | number} */ name) =>
    `${around()}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const inner = open.at(-1);
    if (token === '\n') {
      line += 1;
      yield { what: 'line', pointer: around(), line, index };
    } else if (token === '}' || token === ']') {
      open.pop();
      yield { what: 'end', pointer: around(), line, index };
    } else if (token === ',' && inner?.names === false) pointer = step(++inner.at);
    else if (token.endsWith(':')) {
      pointer = step(nameOf(token));
      line += token.split('\n').length - 1;
      yield { what: 'name', pointer, line, index };
    } else if (token !== ',') {
      yield { what: 'value', pointer, line, index };
      if (token === '{' || token === '[') {
        open.push({ pointer, at: 0, names: token === '{' });
        if (token === '[') pointer = step(0);
      }
    }
  }
}

/** A name with its colon, a text, a bracket, a comma, a line's end, or any other value. */
const TOKEN = /"(?:[^"\\\n]|\\.)*"(?:\s*:)?|[{}[\],\n]|[^\s{}[\],:"]+/g;

/** @param {string} token */
function nameOf(token) {
  try {
    return JSON.parse(token.replace(/\s*:$/, ''));
  } catch {
    return token;
  }
}

/**
 * The line of the value, or of the nearest one around it that is there: a field that is missing has none of its own.
 *
 * @param {Map<string, number>} lines @param {string} pointer
 */
export function lineOf(lines, pointer) {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const line = lines.get(at);
    if (line !== undefined) return line;
  }
  return lines.get('') ?? 1;
}
