// Why a pass over a real vendor ends early, in words for people: whoever looks at the twin's status reads them. They quote
// nothing that the vendor said besides its own error message, which is cut.
import { type Json, readJson } from './json.ts';
import type { VendorAnswer } from './real-vendor.ts';

export class VendorFault extends Error {
  override readonly name = 'VendorFault';
}

/** What an answer of 200 to 299 says. Throws `VendorFault` where it is no JSON, or only the half of one. */
export function vendorJson(answer: VendorAnswer): Json {
  const read = readJson(answer.body);
  if (read !== undefined) return read;
  const type = headerOf(answer, 'content-type')?.split(';')[0]?.trim() ?? 'no type';
  throw new VendorFault(
    `answers ${answer.status} with ${answer.body.length} bytes of ${type} that are no JSON; is the root’s URL the vendor’s API?`,
  );
}

/** The first of that name, in any case. */
export function headerOf({ headers }: Pick<VendorAnswer, 'headers'>, name: string): string | undefined {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1];
}
