// A picture that a message brings: an address, or its bytes as a data URL, of a type that models see.
import { invalid } from './errors.ts';

const EXAMPLE = "'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='";
const PICTURE = /^image\/(?:png|jpe?g|gif|webp)$/i;

/** `place`: of the address in the request, as an error names it. */
export function checkImageUrl(url: string, place: string): void {
  const wrong = (what: string): Error =>
    invalid(`Invalid '${place}'. Expected ${what}`, place, 'invalid_value');
  const data = /^data:([^;,]*)(;base64)?,/i.exec(url);
  if (data === null) {
    if (/^https?:\/\/[^/]/i.test(url) && URL.canParse(url)) return;
    throw wrong('a valid URL, but got a value with an invalid format.');
  }
  const [, type = '', base64] = data;
  const expected = `a base64-encoded data URL with an image MIME type (e.g. ${EXAMPLE}), but got`;
  if (!PICTURE.test(type)) throw wrong(`${expected} unsupported MIME type '${type}'.`);
  if (base64 === undefined) throw wrong(`${expected} a value that is not base64-encoded.`);
}
