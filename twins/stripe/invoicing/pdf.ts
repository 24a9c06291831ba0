// Documents as PDF: a title, and rows of a text and an amount, on as many pages as they need. Just what invoices, credit
// notes and quotes are printed as; in letters of Latin-1.

export type PdfRow = readonly [text: string, amount?: string];

const ROWS_A_PAGE = 44;
const TEXT_CHARS_MAX = 80;
/** US letter, in points. */
const WIDTH = 612;
const HEIGHT = 792;
const MARGIN = 54;
const LINE = 15;
/** Of a letter of Courier, of its size. */
const LETTER_WIDTH = 0.6;
const SIZE = 10;

export function makePdf(title: string, rows: readonly PdfRow[]): Uint8Array {
  const pages: string[] = [];
  for (let at = 0; at === 0 || at < rows.length; at += ROWS_A_PAGE) {
    pages.push(pageOf(title, rows.slice(at, at + ROWS_A_PAGE)));
  }
  const kids = pages.map((_, at) => `${4 + at * 2} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>',
    ...pages.flatMap((content, at) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${WIDTH} ${HEIGHT}] /Contents ${5 + at * 2} 0 R ` +
        '/Resources << /Font << /F 3 0 R >> >> >>',
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = body.length;
    body += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map(offset => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const tail = `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Uint8Array.from(body + tail, letter => letter.charCodeAt(0));
}

function pageOf(title: string, rows: readonly PdfRow[]): string {
  const top = HEIGHT - MARGIN;
  const lines = rows.flatMap(([text, amount = ''], at) => {
    const y = top - (at + 2) * LINE;
    const right = WIDTH - MARGIN - amount.length * SIZE * LETTER_WIDTH;
    return [asAnswer(text, MARGIN, y, SIZE), ...(amount === '' ? [] : [asAnswer(amount, right, y, SIZE)])];
  });
  return [asAnswer(title, MARGIN, top, SIZE + 4), ...lines].join('\n');
}

function asAnswer(text: string, x: number, y: number, size: number): string {
  return `BT /F ${size} Tf ${x.toFixed(1)} ${y} Td (${escaped(text)}) Tj ET`;
}

/** What a PDF's string may hold: one line, in letters of Latin-1. */
function escaped(text: string): string {
  return text
    .slice(0, TEXT_CHARS_MAX)
    .replaceAll(/[^\x20-\x7e\xa0-\xff]/g, '?')
    .replaceAll(/[\\()]/g, letter => `\\${letter}`);
}
