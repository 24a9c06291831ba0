// A picture of one colour as baseline JPEG (ITU T.81): each block of 8 by 8 pixels is its mean alone, and all but the first say
// that it is the mean of the one before.
import type { Picture } from './png.ts';

/** The mean of a block is eight times its value: divided by this it is the value. */
const STEP = 8;
const BLOCK = 8;
/** Nine categories of differences, four bits each. */
const MEANS = [0, 1, 2, 3, 4, 5, 6, 7, 8];

export function jpegOf({ width, height, colour }: Picture): Uint8Array {
  const blocks = Math.ceil(width / BLOCK) * Math.ceil(height / BLOCK);
  const two = (value: number): readonly number[] => [value >> 8, value & 0xff];
  const components = [1, 2, 3];
  return Uint8Array.from([
    ...[0xff, 0xd8],
    ...segment(0xe0, [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    ...segment(0xdb, [0, ...new Array<number>(64).fill(STEP)]),
    ...segment(0xc0, [8, ...two(height), ...two(width), 3, ...components.flatMap(id => [id, 0x11, 0])]),
    ...segment(0xc4, [0x00, 0, 0, 0, MEANS.length, ...new Array<number>(12).fill(0), ...MEANS]),
    // Of what else a block may have there is its end, and one bit says so.
    ...segment(0xc4, [0x10, 1, ...new Array<number>(15).fill(0), 0]),
    ...segment(0xda, [3, ...components.flatMap(id => [id, 0]), 0, 63, 0]),
    ...scanOf(meansOf(colour), blocks),
    ...[0xff, 0xd9],
  ]);
}

const segment = (marker: number, data: readonly number[]): readonly number[] => [
  0xff,
  marker,
  (data.length + 2) >> 8,
  (data.length + 2) & 0xff,
  ...data,
];

/** As brightness and two colours (JFIF), around nought. */
function meansOf([red, green, blue]: Picture['colour']): readonly number[] {
  const y = 0.299 * red + 0.587 * green + 0.114 * blue;
  return [y - 128, (blue - y) * 0.564, (red - y) * 0.713].map(value =>
    Math.min(127, Math.max(-127, Math.round(value))),
  );
}

function scanOf(means: readonly number[], blocks: number): readonly number[] {
  const bytes: number[] = [];
  let held = 0;
  let bits = 0;
  const put = (value: number, count: number): void => {
    for (let at = count - 1; at >= 0; at -= 1) {
      held = (held << 1) | ((value >> at) & 1);
      bits += 1;
      if (bits < 8) continue;
      bytes.push(held);
      if (held === 0xff) bytes.push(0);
      held = 0;
      bits = 0;
    }
  };
  for (let block = 0; block < blocks; block += 1)
    for (const mean of means) {
      const difference = block === 0 ? mean : 0;
      const category = difference === 0 ? 0 : 32 - Math.clz32(Math.abs(difference));
      put(category, 4);
      put(difference < 0 ? difference + 2 ** category - 1 : difference, category);
      put(0, 1);
    }
  while (bits > 0) put(1, 1);
  return bytes;
}
