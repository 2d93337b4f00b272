// One function's source beside its machine code: what each line and each instruction cost. A line
// and its instructions light each other.

import type { App } from './app';
import type { Code, CodeRow, Row, Source } from './data';
import { choice, el } from './dom';
import { amount, baseName, columnUnit, count, inUnit } from './format';
import type { Column } from './gutters';
import { heatClass } from './heat';
import { Lines } from './lines';
import { shortened } from './names';
import { address } from './route';
import { TextView, type Piece } from './text_view';
import { languageOf, plainText } from './tokens';

const MOST_LINES = 500, AROUND = 4, LONGEST = 60, MOST_OF_A_FILE = 20000;

// Source and machine code, and which lines of each belong to a line of the source: pointing at one lights all of them.
class Lights {
  private sides = new Map<string, { view: TextView; lines: (key: number) => number[] }>();
  private pinned = 0; // a line of the source, or of what was inlined (below 0)

  set(side: string, view: TextView, lines: (key: number) => number[]): void {
    this.sides.get(side)?.view.close();
    this.sides.set(side, { view, lines });
    this.pinned = 0;
  }

  // 0: no line.
  point(key: number): void { if (!this.pinned) this.light(key); }

  pin(key: number, from: string): void {
    this.pinned = this.pinned === key ? 0 : key;
    this.light(this.pinned || key);
    if (!this.pinned) return;
    for (const [side, { view, lines }] of this.sides) if (side !== from && lines(key).length) view.show({ line: lines(key)[0], index: 0 }, 'center');
  }

  private light(key: number): void { for (const { view, lines } of this.sides.values()) view.light(key ? lines(key) : []); }
}

function figure(row: Row | CodeRow, step: number): string {
  const self = Number(row.self_ns ?? 0), error = row.self_high_ns === null || row.self_high_ns === undefined ? null : Number(row.self_high_ns) - self;
  return self ? inUnit(self, error, step) : '';
}

// The first line behind the function's last one that is known: its closing brace, or the line before the next function.
function endOf(text: string[], first: number, known: number, next: number): number {
  for (let line = known; line < next && line <= text.length; line++) if (line > first && /^\}/.test(text[line - 1])) return line;
  return Math.min(known, text.length);
}

// Lines from `start` on; of a long function those around what costs.
function piecesOf(start: number, end: number, shown: (line: number) => boolean): Piece[] {
  const pieces: Piece[] = [];
  for (let line = start; line <= end; line++) {
    const last = pieces[pieces.length - 1];
    if (!shown(line)) { if (!last || 'line' in last) pieces.push({ blank: 1, text: '\u22ee' }); }
    else if (last && 'line' in last) last.count++;
    else pieces.push({ line, count: 1 });
  }
  return pieces;
}

const timeColumn = (unit: string, text: (line: number) => string): Column => ({ name: 'self', heading: 'self', unit, help: 'spent on the line itself', chosen: true, text });

function dearest(rows: Iterable<[number, Row | CodeRow]>): number {
  let best = 0, most = 0;
  for (const [line, row] of rows) if (Number(row.self_ns ?? 0) > most) [best, most] = [line, Number(row.self_ns)];
  return best;
}

function showDearest(view: TextView, line: number): void {
  if (!line) return;
  view.select({ line, index: 0 });
  view.show({ line, index: 0 }, 'center');
}

// null: no text is kept.
function sourceView(one: Row, source: Pick<Source, 'text' | 'functions' | 'lines'>, own: Map<number, Row>, lights: Lights, step: number, unit: string): TextView | null {
  if (source.text === null || one.line === null) return null;
  const lines = new Lines(source.text), text = source.text.split('\n'), start = Number(one.line);
  const next = Math.min(...source.functions.rows.map((row) => Number(row.line)).filter((line) => line > start), lines.count + 1);
  const executed = new Map(source.lines.rows.filter((row) => row.executions !== null).map((row) => [Number(row.line), Number(row.executions)]));
  const known = Math.max(start, ...[...own.keys(), ...executed.keys()].filter((line) => line >= start && line < next));
  const end = endOf(text, start, known, next), most = Math.max(...[...own.values()].map((row) => Number(row.self_ns)), 0);
  const dear = [...own].filter(([, row]) => Number(row.self_ns) > 0).map(([line]) => line);
  const pieces = piecesOf(start, end, (line) => end - start < MOST_LINES || line - start < AROUND || dear.some((at) => Math.abs(at - line) <= AROUND));
  const view = new TextView(lines, {
    label: 'source of the function', language: languageOf(String(one.file)), pieces, figured: [...own.keys(), ...executed.keys()].filter((line) => line >= start && line <= end),
    columns: [timeColumn(unit, (line) => own.has(line) ? figure(own.get(line)!, step) : ''),
      { name: 'executed', heading: 'executed', unit: 'times', help: 'times executed', chosen: false, text: (line) => executed.has(line) ? count(executed.get(line)!) : '' }],
    link: (line) => address('source', { file: String(one.file), line }),
    lineClass: (line) => executed.get(line) === 0 && !own.has(line) ? 'never' : heatClass(Number(own.get(line)?.self_ns ?? 0), most),
    hover: (line) => lights.point(line ?? 0), pick: ({ line }) => lights.pin(line, 'source'),
  });
  lights.set('source', view, (key) => (key > 0 ? [key] : []));
  return view;
}

function instructionView(piece: Code['asm'][0]['pieces'][0], file: unknown, lights: Lights, step: number, unit: string): TextView {
  const all = piece.instructions, most = Math.max(...all.map((row) => Number(row.self_ns)), 0), of = (line: number) => all[line - 1];
  const place = (row: CodeRow | undefined) => !row || row.line === null ? '' : row.file === file ? String(row.line) : `${baseName(row.file)}:${row.line}`;
  const others = new Map<string, number>(), keys = all.map((row) => { // of lines of other files below 0
    if (row.line === null || row.file === file) return row.line ?? 0;
    const other = `${row.file}:${row.line}`;
    if (!others.has(other)) others.set(other, -1 - others.size);
    return others.get(other)!;
  });
  const key = (line: number | null) => (line ? keys[line - 1] ?? 0 : 0), made = new Map<number, number[]>();
  keys.forEach((key, i) => { if (key) made.set(key, [...made.get(key) ?? [], i + 1]); });
  const view = new TextView(new Lines(all.map((row) => row.text.replace(/\n/g, ' ')).join('\n')), {
    label: 'machine code of the function', language: plainText, figured: all.map((_, i) => i + 1), numbered: 'at', numberOf: (line) => Number(of(line)?.address ?? 0).toString(16),
    columns: [timeColumn(unit, (line) => figure(of(line), step)),
      { name: 'line', heading: 'line', unit: '', help: 'of the source', chosen: true, text: (line) => place(of(line)) === place(all[line - 2]) ? '' : place(of(line)) }],
    lineClass: (line) => heatClass(Number(of(line)?.self_ns ?? 0), most), lineTitle: (line) => of(line)?.inlined ? `inlined: ${of(line).inlined}` : undefined,
    hover: (line) => lights.point(key(line)), pick: ({ line }) => lights.pin(key(line), 'code'),
  });
  lights.set('code', view, (key) => made.get(key) ?? []);
  return view;
}

// Fills the places when there are answers, the machine code last, as it may take long; what is missing says so.
export async function fillCode(app: App, one: Row, sourcePlace: HTMLElement, codePlace: HTMLElement, before: Promise<unknown>): Promise<void> {
  const { data } = app, lights = new Lights(), [step, unit] = columnUnit(Number(one.self_ns) || 1, app.unit);
  const said = (text: string) => el('p', { class: 'faint' }, text);
  const source = async () => {
    if (one.file === null) return sourcePlace.replaceChildren(said(one.object === null ? 'It is in no file, and has no source.' : 'No source is known: it was built without -g.'));
    const of = (kind: string) => data.table(kind, { 'is.file': String(one.file), limit: MOST_OF_A_FILE });
    const [text, functions, counted, lines] = await Promise.all([data.source(String(one.file), { rows: 0 }), of('functions'), of('source_lines'), data.table('lines', { 'is.function': String(one.id), limit: 5000 })]);
    const own = new Map(lines.rows.filter((row) => row.file === one.file && row.line !== null).map((row) => [Number(row.line), row]));
    const view = sourceView(one, { text: text.text, functions, lines: counted }, own, lights, step, unit);
    sourcePlace.replaceChildren(view ? el('div', { class: 'listing' }, view.element) : said('The profile does not keep the text of ' + one.file));
    if (view) showDearest(view, dearest(own));
  };
  const instructions = async () => {
    const { asm: [{ error, pieces }] } = await data.code(String(one.id)), some = pieces.filter((piece) => piece.instructions.length);
    if (!some.length) return codePlace.replaceChildren(said(error ?? 'No machine code of it is known.'));
    const box = el('div', { class: 'listing' });
    const show = (i: number) => {
      const view = instructionView(some[i], one.file, lights, step, unit);
      box.replaceChildren(view.element);
      showDearest(view, dearest(some[i].instructions.map((row, at) => [at + 1, row])));
    };
    const name = (piece: typeof some[0]) => `${shortened(piece.name, LONGEST)}: ${amount(piece.self_ns, app.unit)}`;
    codePlace.replaceChildren(some.length > 1 ? choice('in ', some.map((piece, i) => [String(i), name(piece)]), '0', (i) => show(Number(i)), 'function whose machine code has it') : '',
      box, error ? said(error) : '');
    show(0);
  };
  const or = (place: HTMLElement) => (failure: Error) => place.replaceChildren(said(failure.message));
  await Promise.all([source().catch(or(sourcePlace)), before]);
  if (sourcePlace.isConnected) await instructions().catch(or(codePlace));
}
