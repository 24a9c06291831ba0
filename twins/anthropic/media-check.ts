// Pictures and documents that a message carries in Base64, looked at as Anthropic looks at them: of a type that it takes, and
// what they say they are.
import { fromBase64 } from '../kit/base64.ts';
import { type JsonObject, objectField, textField } from '../kit/json.ts';
import { invalid } from './errors.ts';

/** What the bytes of each type begin with; of WebP's, what they begin with anew after four bytes of length. */
const PICTURES: { readonly [type: string]: RegExp } = {
  'image/jpeg': /^\xff\xd8\xff/,
  'image/png': /^\x89PNG\r\n\x1a\n/,
  'image/gif': /^GIF8[79]a/,
  'image/webp': /^RIFF.{4}WEBP/s,
};
/** In Base64: enough for any of these beginnings, and whole bytes. */
const LOOKED_AT_CHARS = 32;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

export function checkMedia(block: JsonObject, place: string): void {
  const source = objectField(block, 'source');
  const type = textField(block, 'type');
  if (textField(source, 'type') !== 'base64' || (type !== 'image' && type !== 'document')) return;
  const media = textField(source, 'media_type') ?? '';
  const data = textField(source, 'data') ?? '';
  const at = `${place}.${type}.source.base64`;
  const known = type === 'image' ? Object.hasOwn(PICTURES, media) : media === 'application/pdf';
  if (!known)
    throw invalid(
      type === 'image'
        ? `${at}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`
        : `${at}.media_type: Input should be 'application/pdf'`,
    );
  const begun = BASE64.test(data.slice(-LOOKED_AT_CHARS)) ? beginning(data) : null;
  if (begun === null) throw invalid(`${at}.data: Invalid base64 data`);
  if (type === 'document') {
    if (!begun.includes('%PDF')) throw invalid('The PDF specified was not valid.');
    return;
  }
  const is = Object.keys(PICTURES).find(each => PICTURES[each]!.test(begun));
  if (is === undefined) throw invalid('Could not process image');
  if (is !== media)
    throw invalid(
      `${at}: The image was specified using the ${media} media type, but the image appears to be a ${is} image`,
    );
}

/** Its first bytes, each a character; null where they are none. */
function beginning(data: string): string | null {
  const bytes = fromBase64(data.slice(0, LOOKED_AT_CHARS));
  return bytes === null ? null : String.fromCharCode(...bytes);
}
