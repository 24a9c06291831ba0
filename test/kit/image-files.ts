// Files of an image that are nowhere but in a test.
import type { ImageFiles } from '../../images/files.ts';

/** Each by its path below `/w`, which is where names begin. */
export function imageFiles(texts: { readonly [name: string]: string }): ImageFiles {
  const name = (path: string): string =>
    path.startsWith('/w/') ? path.slice(3) : path === '/w' ? '.' : path;
  return {
    read: (path, bytesMax) => {
      const text = texts[name(path)];
      if (text === undefined) return { ok: false, missing: true, why: 'it is not there' };
      if (Buffer.byteLength(text) > bytesMax)
        return { ok: false, missing: false, why: `it is longer than ${bytesMax} bytes` };
      return { ok: true, text };
    },
    name,
    isFolder: path => path === '/w' || Object.keys(texts).some(each => each.startsWith(`${name(path)}/`)),
  };
}
