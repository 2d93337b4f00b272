// One function's source beside its machine code: what each line and each instruction cost. A line
// and its instructions light each other.

import type { App } from './app';
import type { Code, CodeRow, Row, Source } from './data';
import { choice, el } from './dom';
import { amount, baseName, columnUnit, count, inUnit, shortened } from './format';
import { heatClass } from './heat';
import { address } from './route';

const MOST_LINES = 500, AROUND = 4, MOST_INSTRUCTIONS = 4000, LONGEST = 60;

const keyOf = (file: unknown, line: unknown) => `${file}:${line}`;

// Rows of both texts that are of one line: pointing at one lights all of them.
class Lights {
  private rows = new Map<string, HTMLElement[]>();
  private lit: HTMLElement[] = [];
  private pinned = '';

  add(key: string, row: HTMLElement): void {
    const rows = this.rows.get(key) ?? [];
    rows.push(row);
    this.rows.set(key, rows);
    row.addEventListener('mouseenter', () => { if (!this.pinned) this.light(key); });
    row.addEventListener('mouseleave', () => { if (!this.pinned) this.light(''); });
    row.addEventListener('click', (event) => {
      if ((event.target as Element).closest('a') || getSelection()?.toString()) return;
      this.pinned = this.pinned === key ? '' : key;
      this.light(key);
      if (this.pinned) for (const other of this.rows.get(key)!) if (!row.parentElement!.contains(other)) { reveal(other); break; }
    });
  }

  private light(key: string): void {
    for (const row of this.lit) row.classList.remove('lit');
    this.lit = this.rows.get(key) ?? [];
    for (const row of this.lit) row.classList.add('lit');
  }
}

// In its own scrolling box only: the page stays where it is.
function reveal(row: HTMLElement): void {
  const box = row.closest<HTMLElement>('.listing');
  if (box) box.scrollTop = row.offsetTop - box.clientHeight / 3;
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

// null: no text is kept.
function sourceTable(app: App, one: Row, source: Source, own: Map<number, Row>, lights: Lights, step: number, unit: string): HTMLElement | null {
  if (source.text === null || one.line === null) return null;
  const text = source.text.split('\n'), start = Number(one.line);
  const next = Math.min(...source.functions.rows.map((row) => Number(row.line)).filter((line) => line > start), text.length + 1);
  const executed = new Map(source.lines.rows.filter((row) => row.executions !== null).map((row) => [Number(row.line), Number(row.executions)]));
  const known = Math.max(start, ...[...own.keys(), ...executed.keys()].filter((line) => line >= start && line < next));
  const end = endOf(text, start, known, next), most = Math.max(...[...own.values()].map((row) => Number(row.self_ns)), 0);
  const dear = [...own].filter(([, row]) => Number(row.self_ns) > 0).map(([line]) => line);
  const shown = (line: number) => end - start < MOST_LINES || line - start < AROUND || dear.some((at) => Math.abs(at - line) <= AROUND);
  const rows: HTMLElement[] = [], columns = executed.size ? 4 : 3;
  for (let line = start, gap = false; line <= end; line++) {
    if (!shown(line)) {
      if (!gap) rows.push(el('tr', { class: 'faint' }, el('td', { colspan: columns }, '\u22ee')));
      gap = true;
      continue;
    }
    gap = false;
    const figures = own.get(line), times = executed.get(line);
    const row = el('tr', { class: times === 0 && !figures ? 'never' : heatClass(Number(figures?.self_ns ?? 0), most) },
      el('td', { class: 'number' }, figures ? figure(figures, step) : ''), executed.size ? el('td', { class: 'number' }, times === undefined ? '' : count(times)) : null,
      el('td', { class: 'number faint' }, el('a', { href: address('source', { file: String(one.file), line }), tabindex: -1 }, String(line))), el('td', { class: 'text' }, text[line - 1]));
    lights.add(keyOf(one.file, line), row);
    rows.push(row);
  }
  return el('table', { class: 'code' }, el('caption', { class: 'hidden' }, 'source with its cost'),
    el('thead', {}, el('tr', {}, ...[`self, ${unit}`, ...(executed.size ? ['executed'] : []), 'line'].map((name) => el('th', { scope: 'col', class: 'number' }, name)),
      el('th', { scope: 'col' }, baseName(one.file)))), el('tbody', {}, ...rows));
}

function instructionTable(piece: Code['asm'][0]['pieces'][0], file: unknown, lights: Lights, step: number, unit: string): HTMLElement {
  const all = piece.instructions.slice(0, MOST_INSTRUCTIONS), most = Math.max(...all.map((row) => Number(row.self_ns)), 0);
  let before = '';
  const rows = all.map((row) => {
    const place = row.line === null ? '' : row.file === file ? String(row.line) : `${baseName(row.file)}:${row.line}`;
    const line = el('tr', { class: heatClass(Number(row.self_ns), most), title: row.inlined ? `inlined: ${row.inlined}` : undefined },
      el('td', { class: 'number' }, figure(row, step)), el('td', { class: 'number faint' }, Number(row.address).toString(16)),
      el('td', { class: 'text' }, row.text), el('td', { class: 'faint' }, place === before ? '' : place));
    before = place;
    if (row.line !== null) lights.add(keyOf(row.file, row.line), line);
    return line;
  });
  return el('table', { class: 'code' }, el('caption', { class: 'hidden' }, 'machine code with its cost'),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col', class: 'number' }, `self, ${unit}`), el('th', { scope: 'col', class: 'number' }, 'at'), el('th', { scope: 'col' }, 'instruction'), el('th', { scope: 'col' }, 'line'))),
    el('tbody', {}, ...rows));
}

function hottestShown(box: HTMLElement): void {
  for (let step = 8; step > 0; step--) {
    const row = box.querySelector<HTMLElement>('tr.heat' + step);
    if (row) return reveal(row);
  }
}

// Fills the places when there are answers, the machine code last, as it may take long; what is missing says so.
export async function fillCode(app: App, one: Row, sourcePlace: HTMLElement, codePlace: HTMLElement, before: Promise<unknown>): Promise<void> {
  const { data } = app, lights = new Lights(), [step, unit] = columnUnit(Number(one.self_ns) || 1, app.unit);
  const said = (text: string) => el('p', { class: 'faint' }, text);
  const source = async () => {
    if (one.file === null) return sourcePlace.replaceChildren(said('No source is known: it was built without -g.'));
    const [of, lines] = await Promise.all([data.source(String(one.file), {}), data.table('lines', { 'is.function': String(one.id), limit: 5000 })]);
    const own = new Map(lines.rows.filter((row) => row.file === one.file && row.line !== null).map((row) => [Number(row.line), row]));
    const table = sourceTable(app, one, of, own, lights, step, unit);
    sourcePlace.replaceChildren(table ? el('div', { class: 'listing', tabindex: 0, role: 'region', 'aria-label': 'source of the function' }, table) : said('The profile does not keep the text of ' + one.file));
    hottestShown(sourcePlace);
  };
  const instructions = async () => {
    const { asm: [{ error, pieces }] } = await data.code(String(one.id)), some = pieces.filter((piece) => piece.instructions.length);
    if (!some.length) return codePlace.replaceChildren(said(error ?? 'No machine code of it is known.'));
    const box = el('div', { class: 'listing', tabindex: 0, role: 'region', 'aria-label': 'machine code of the function' });
    const show = (i: number) => {
      box.replaceChildren(instructionTable(some[i], one.file, lights, step, unit));
      hottestShown(box);
    };
    const name = (piece: typeof some[0]) => `${shortened(piece.name, LONGEST)}: ${amount(piece.self_ns, app.unit)}`;
    codePlace.replaceChildren(some.length > 1 ? choice('in ', some.map((piece, i) => [String(i), name(piece)]), '0', (i) => show(Number(i)), 'function whose machine code has it') : '',
      box, error ? said(error) : '', some.some((piece) => piece.instructions.length > MOST_INSTRUCTIONS) ? said(`the first ${count(MOST_INSTRUCTIONS)} instructions; ascribe report --asm has all`) : '');
    show(0);
  };
  const or = (place: HTMLElement) => (failure: Error) => place.replaceChildren(said(failure.message));
  await Promise.all([source().catch(or(sourcePlace)), before]);
  if (sourcePlace.isConnected) await instructions().catch(or(codePlace));
}
