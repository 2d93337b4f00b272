// A text by its lines, which count from 1. Lines end with \n; a \r before it belongs to the end.

export class Lines {
  readonly count: number;
  private readonly starts: Uint32Array;

  constructor(readonly text: string) {
    let starts = new Uint32Array(1 + Math.max(1024, text.length >> 4)), count = 0;
    for (let at = 0; at < text.length || !count;) {
      if (count + 2 > starts.length) {
        const more = new Uint32Array(2 * starts.length);
        more.set(starts);
        starts = more;
      }
      starts[count++] = at;
      const end = text.indexOf('\n', at);
      at = end < 0 ? text.length : end + 1;
    }
    starts[count] = text.length;
    this.starts = starts;
    this.count = count;
  }

  // Offsets in the text: of a line's first character, and behind its last one.
  start(line: number): number { return this.starts[line - 1]; }
  end(line: number): number {
    const { text } = this, start = this.starts[line - 1];
    let end = this.starts[line];
    if (end > start && text.charCodeAt(end - 1) === 10) end--;
    if (end > start && text.charCodeAt(end - 1) === 13) end--;
    return end;
  }

  line(line: number): string { return line >= 1 && line <= this.count ? this.text.slice(this.start(line), this.end(line)) : ''; }

  // The line that has the character at this offset.
  lineAt(offset: number): number {
    let low = 1, high = this.count;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle - 1] <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

const ASCII = /^[\x00-\x7f]*$/;

// Columns in profiles count bytes of UTF-8, from 1; here they are indices, from 0.
export function indexOfColumn(line: string, column: number): number {
  const wanted = column - 1;
  if (wanted >= line.length * 3 || ASCII.test(line.slice(0, Math.max(wanted, 0)))) return Math.max(0, Math.min(wanted, line.length));
  let bytes = 0, at = 0;
  for (const one of line) {
    if (bytes >= wanted) break;
    const code = one.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    at += one.length;
  }
  return at;
}

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\ud83c-\ud83e][\udc00-\udfff]/g;

// How many cells of a fixed-width font it takes, which begins in cell `from`.
export function cellsOf(text: string, from: number, tab: number): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  const wide = text.match(WIDE);
  let cells = text.length + (wide ? wide.filter((one) => one.length === 1).length : 0); // of a pair, two already
  for (let at = text.indexOf('\t'), added = 0; at >= 0; at = text.indexOf('\t', at + 1)) {
    const fills = tab - (from + at + added) % tab - 1;
    added += fills;
    cells += fills;
  }
  return cells;
}
