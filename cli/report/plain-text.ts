// Text of a world's data for a terminal: in one line, and nothing in it that a terminal acts on.

export function plain(text: string): string {
  return text.replaceAll(CONTROLS, ' ');
}

const CONTROLS = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;
