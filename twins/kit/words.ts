// Long lists of a vendor's words, written as text.

/** The words of a text, apart by white space. */
export const wordsIn = (text: string): readonly string[] => text.trim().split(/\s+/);
