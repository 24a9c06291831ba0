// What stands between a check and its host (control/ports/sandbox.ts): it takes what it needs of the language before the
// check is there to change it, gives it `tree` and a console, and reads its verdict. Date stands at the instant of the
// entry, so that a check says the same of the same changeset whenever it is run; there is no randomness.

/** The text of one call. */
export type Asked = { readonly at: number; readonly entry: unknown };

/** What it says. */
export type Verdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly message: string; readonly stack?: string };

/** What the driver asks for, as of the entry that is looked at. The answer is JSON: a record's body or null; bodies. */
export type Question = {
  readonly twin: string;
  readonly position: number;
  readonly type: string;
  /** Missing: all of the type. */
  readonly id?: string;
};

/**
 * For a driver: the language without a clock and without randomness. `at` is the instant at which Date stands, in milliseconds.
 * It needs `construct` and `text` of the driver.
 */
export const standingClock = (noRandomness: string): string => `let at = 0;
  const Real = Date;
  function Standing(...given) {
    if (new.target === undefined) return text(new Real(at));
    return construct(Real, given.length === 0 ? [at] : given, new.target);
  }
  Standing.now = () => at;
  Standing.parse = Real.parse;
  Standing.UTC = Real.UTC;
  Standing.prototype = Real.prototype;
  Real.prototype.constructor = Standing;
  globalThis.Date = Standing;
  Math.random = () => {
    throw new Error(${JSON.stringify(noRandomness)});
  };`;

export const CHECK_DRIVER = `(() => {
  'use strict';
  const { parse, stringify } = JSON;
  const { freeze, keys } = Object;
  const { construct } = Reflect;
  const { isArray } = Array;
  const text = String;
  // Where the engine gives way, nobody catches it.
  const Broken = InternalError;
  const Type = TypeError;

  let twin = '';
  let position = 0;
${standingClock('a check has no randomness: it says the same of the same entry each time')}
  const shown = value => {
    if (typeof value === 'string') return value;
    try {
      return stringify(value) ?? text(value);
    } catch {
      return 'something that cannot be shown';
    }
  };
  const failed = message => stringify({ ok: false, message });
  const verdictOf = value => {
    if (value === undefined || value === null) return '{"ok":true}';
    if (typeof value === 'object') {
      const { ok, message } = value;
      if (ok === true) return '{"ok":true}';
      if (ok === false) return failed(typeof message === 'string' && message !== '' ? message : 'it gave no message');
    }
    return failed('it returned ' + (isArray(value) ? 'an array' : typeof value === 'object' ? 'an object without ok' : 'a ' + typeof value) +
      ', which is no verdict; a check returns nothing, or { ok: false, message }');
  };
  const thrown = error => {
    if (error instanceof Broken) throw error;
    let message = 'something was thrown';
    let stack = '';
    if (typeof error === 'object' && error !== null) {
      message = text(error.message ?? message);
      stack = text(error.stack ?? '');
    } else message = text(error);
    return stringify({ ok: false, message, stack });
  };

  return (exported, ask, print) => {
    const console = {};
    for (const name of ['log', 'info', 'warn', 'error', 'debug'])
      console[name] = (...said) => {
        let line = '';
        for (let n = 0; n < said.length; n++) line += (n === 0 ? '' : ' ') + shown(said[n]);
        print(line);
      };
    globalThis.console = console;
    const named = (what, value) => {
      if (typeof value !== 'string' || value === '') throw new Type('tree.' + what + ' takes texts: tree.get(type, id), tree.list(type)');
      return value;
    };
    const question = type => '{"twin":' + stringify(twin) + ',"position":' + position + ',"type":' + stringify(type);
    const tree = freeze({
      get: (type, id) => parse(ask(question(named('get', type)) + ',"id":' + stringify(named('get', id)) + '}')) ?? undefined,
      list: type => parse(ask(question(named('list', type)) + '}')),
    });
    const check = exported.check ?? exported.default;
    if (check === undefined || check === null)
      throw new Type('it exports no check: export const check = { name, run(entry, tree) { … } }' +
        (keys(exported).length === 0 ? '' : '; it exports ' + keys(exported).join(', ')));
    if (typeof check.name !== 'string' || check.name === '') throw new Type('its check has no name: { name, run(entry, tree) }');
    if (typeof check.run !== 'function') throw new Type('its check has no function run: { name, run(entry, tree) }');
    return given => {
      const asked = parse(given);
      at = asked.at;
      twin = asked.entry.twin;
      position = asked.entry.position;
      try {
        const value = check.run(asked.entry, tree);
        const waits = typeof value === 'object' && value !== null && typeof value.then === 'function';
        return waits ? (async () => verdictOf(await value))().catch(thrown) : verdictOf(value);
      } catch (error) {
        return thrown(error);
      }
    };
  };
})()`;
