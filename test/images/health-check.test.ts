// The health checks of a compose file, and what is none.
import t from 'tap';
import { durationOf, healthCheckOf, instructedHealthCheck } from '../../images/health-check.ts';
import { readYaml } from '../../images/yaml-tree.ts';

const place = { file: 'c.yaml', line: 1 };
const read = (text: string) => healthCheckOf(readYaml(text, 'c.yaml'), place);

t.test('what is run, how often, and for how long', async t => {
  const usual = { interval: 30_000, timeout: 30_000, startPeriod: 0, retries: 3, place };
  const shell = (text: string) => ({ words: ['/bin/sh', '-c', text], shell: true, place });
  t.strictSame(read('test: pg_isready -U me'), { ...usual, command: shell('pg_isready -U me') });
  t.strictSame(read('test: [CMD-SHELL, "a || b"]'), { ...usual, command: shell('a || b') });
  const told =
    'test: [CMD, a, "b c"]\ninterval: 1m30s\ntimeout: 500ms\nretries: 7\nstart_period: 2s\nstart_interval: 1s';
  const command = { words: ['a', 'b c'], shell: false, place };
  const times = { interval: 90_000, timeout: 500, startPeriod: 2_000, retries: 7 };
  t.strictSame(read(told), { ...usual, ...times, command });
  t.equal(read('test: [NONE]'), 'none');
  t.equal(read('disable: true'), 'none');
});

t.test('what is none is refused with its line', async t => {
  for (const [text, why] of [
    ['interval: 1s', /has no test/],
    ['test: []', /begins with CMD/],
    ['test: [CMD]', /begins with CMD/],
    ['test: [CMD-SHELL, a, b]', /begins with CMD/],
    ['test: [curl, x]', /begins with CMD/],
    ['test: x\ninterval: soon', /c.yaml:2.*interval takes a time/],
    ['test: x\nretries: -1', /c.yaml:2.*retries takes a number/],
    ['test: x\nfrobnicate: 1', /c.yaml:2.*frobnicate is not known/],
    ['test: { a: b }', /takes a text/],
    ['x', /takes names with values/],
  ] as const)
    t.throws(() => read(text), { message: why }, text);
});

t.test('the HEALTHCHECK of a build file', async t => {
  const instructed = (rest: string, flags: { readonly [name: string]: string } = {}) =>
    instructedHealthCheck({ rest, flags: new Map(Object.entries(flags)) }, ['/bin/bash', '-c'], place);
  const usual = { interval: 30_000, timeout: 30_000, startPeriod: 0, retries: 3, place };
  t.strictSame(instructed('CMD ["a", "b c"]'), {
    ok: true,
    check: { ...usual, command: { words: ['a', 'b c'], shell: false, place } },
  });
  const command = { words: ['/bin/bash', '-c', 'curl -f "$URL" || exit 1'], shell: true, place };
  const flags = { interval: '5s', timeout: '1s', 'start-period': '2m', 'start-interval': '1s', retries: '9' };
  const times = { interval: 5_000, timeout: 1_000, startPeriod: 120_000, retries: 9 };
  t.strictSame(instructed('cmd  curl -f "$URL" || exit 1', flags), {
    ok: true,
    check: { ...usual, ...times, command },
  });
  t.match(instructed('CMD x', { interval: '0', timeout: '0', retries: '0' }), { ok: true, check: usual });
  t.strictSame(instructed('NONE'), { ok: true, check: 'none' });
  for (const [rest, given, why] of [
    ['', {}, /has neither CMD with a command nor NONE, and is not run/],
    ['CMD', {}, /has neither CMD/],
    ['curl x', {}, /has neither CMD/],
    ['CMD []', {}, /has an empty command/],
    ['CMD x', { interval: 'soon' }, /--interval takes a time/],
    ['CMD x', { retries: '-1' }, /--retries takes a number/],
    ['CMD x', { frobnicate: '1' }, /knows no --frobnicate/],
  ] as const)
    t.match(instructed(rest, given), { ok: false, why }, rest);
});

t.test('times as compose files have them', async t => {
  for (const [text, expected] of [
    ['1m30s', 90_000],
    ['500ms', 500],
    ['1.5h', 5_400_000],
    ['0', 0],
    ['10', null],
    ['', null],
    ['-1s', null],
    ['1 s', null],
    ['9999999999s', null],
  ] as const)
    t.equal(durationOf(text), expected, text);
});
