// For tests of images that run natively: whether this machine can have them.
import { openSandbox } from '../../images/native/sandbox.ts';

/** False, or why no image can run natively here: for `skip`. */
export async function cannotRunNatively(): Promise<string | false> {
  const opened = await openSandbox({ env: process.env, labelled: true, tell: () => {}, dial: () => {} });
  if (!opened.ok) return `this machine runs no image natively: ${opened.why}`;
  await opened.sandbox[Symbol.asyncDispose]();
  return false;
}
