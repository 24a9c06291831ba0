// Assertions that run where there is no node:assert.

const told = (value: unknown): string => {
  try {
    return (
      JSON.stringify(value, (_key, held) => (typeof held === 'bigint' ? String(held) : held)) ?? String(value)
    );
  } catch {
    return String(value);
  }
};
const fail = (message: string | undefined, found: unknown, wanted: unknown): never => {
  throw new Error(`${message ?? 'not as expected'}: found ${told(found)}, wanted ${told(wanted)}`);
};

export const ok = (found: unknown, message?: string): void => {
  if (!found) fail(message, found, true);
};

export const strictEqual = (found: unknown, wanted: unknown, message?: string): void => {
  if (!Object.is(found, wanted)) fail(message, found, wanted);
};

/** Plain values, lists, objects and bytes. */
const alike = (one: unknown, other: unknown): boolean => {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every(
    key => Object.hasOwn(other, key) && alike(one[key as keyof typeof one], other[key as keyof typeof other]),
  );
};

export const deepStrictEqual = (found: unknown, wanted: unknown, message?: string): void => {
  if (!alike(found, wanted)) fail(message, found, wanted);
};

export const throws = (
  work: () => unknown,
  wanted?: RegExp | (new (...given: never[]) => Error),
  message?: string,
): void => {
  try {
    work();
  } catch (error) {
    if (wanted === undefined) return;
    if (wanted instanceof RegExp ? wanted.test(String((error as Error).message)) : error instanceof wanted)
      return;
    fail(message, error, String(wanted));
  }
  fail(message ?? 'nothing was thrown', undefined, String(wanted ?? 'an exception'));
};

export const rejects = async (work: Promise<unknown>, message?: string): Promise<void> => {
  const rejected = await work.then(
    () => false,
    () => true,
  );
  if (!rejected) fail(message ?? 'nothing was rejected', undefined, 'a rejection');
};
