// The texts of a file in two profiles, side by side: what was edited, and what each line cost in both.

import type { App } from './app';
import type { Row } from './data';
import { el } from './dom';
import { baseName, columnUnit, count, inUnit, some } from './format';
import { address, type Route } from './route';

const SHOWN = 200, MOST_LINES = 100000; // rows before and behind the line; with figures

// A row: the numbers of its lines from 0; -1: only the other has it.
type Pair = [a: number, b: number];

// The longest rising sequence of b's lines, among lines that both have once.
function anchors(a: string[], b: string[]): Pair[] {
  const once = (lines: string[]) => {
    const at = new Map<string, number>();
    lines.forEach((line, i) => at.set(line, at.has(line) ? -1 : i));
    return at;
  };
  const [inA, inB] = [once(a), once(b)], pairs: Pair[] = [];
  inA.forEach((i, line) => { const j = inB.get(line); if (i >= 0 && j !== undefined && j >= 0 && line.trim()) pairs.push([i, j]); });
  pairs.sort((x, y) => x[0] - y[0]);
  const ends: number[] = [], before = new Array<number>(pairs.length);
  pairs.forEach(([, j], i) => {
    let low = 0, high = ends.length;
    while (low < high) { const middle = (low + high) >> 1; if (pairs[ends[middle]][1] < j) low = middle + 1; else high = middle; }
    before[i] = low ? ends[low - 1] : -1;
    ends[low] = i;
  });
  const found: Pair[] = [];
  for (let i = ends.length ? ends[ends.length - 1] : -1; i >= 0; i = before[i]) found.unshift(pairs[i]);
  return found;
}

// Between anchors, equal lines at both ends belong together; others are of one text only.
export function aligned(a: string[], b: string[]): Pair[] {
  const rows: Pair[] = [];
  let [i, j] = [0, 0];
  for (const [endA, endB] of [...anchors(a, b), [a.length, b.length] as Pair]) {
    while (i < endA && j < endB && a[i] === b[j]) rows.push([i++, j++]);
    let [lastA, lastB] = [endA, endB];
    while (lastA > i && lastB > j && a[lastA - 1] === b[lastB - 1]) { lastA--; lastB--; }
    while (i < lastA) rows.push([i++, -1]);
    while (j < lastB) rows.push([-1, j++]);
    while (i < endA && j < endB) rows.push([i++, j++]);
  }
  return rows;
}

type Side = { name: string; file: string; lines: string[]; figures: Map<number, Row> };

async function sideOf(app: App, profile: string, file: string): Promise<Side | string> {
  const { data } = app, name = baseName(app.profiles[Number(profile) - 1].about.path);
  const ask = (path: string) => data.source(path, { profile, rows: 0 });
  let found = await ask(file);
  if (found.text === null) { // another folder
    const { rows } = await data.table('files', { profile, filter: baseName(file), limit: 100 }), other = rows.find((row) => baseName(row.file) === baseName(file));
    if (other) found = await ask(String(other.file));
  }
  if (found.text === null) return data.alone ? `This page does not have the text of ${file} in ${name}.` : `${name} does not keep the text of ${file}.`;
  const { rows } = await data.table('source_lines', { profile, 'is.file': found.file, limit: MOST_LINES });
  return { name, file: found.file, lines: found.text.split('\n'), figures: new Map(rows.map((row) => [Number(row.line) - 1, row])) };
}

async function fill(app: App, { parameters }: Route, place: HTMLElement): Promise<void> {
  const { file, line, side, other = '2' } = parameters, said = (text: string) => place.replaceChildren(el('p', {}, text));
  const [a, b] = await Promise.all([sideOf(app, '1', file), sideOf(app, other, file)]);
  if (typeof a === 'string' || typeof b === 'string') return said(typeof a === 'string' ? a : b as string);
  const sides = [a, b], rows = aligned(a.lines, b.lines), own = side === 'b' ? 1 : 0, wanted = Number(line ?? 1) - 1;
  const at = Math.max(0, rows.findIndex((row) => row[own] === wanted)), from = Math.max(0, at - SHOWN), shown = rows.slice(from, at + SHOWN);
  const timed = app.whole > 0, figure = timed ? 'self_ns' : 'executions';
  const [step, unit] = columnUnit(Math.max(1, ...sides.flatMap((one) => [...one.figures.values()].map((row) => Number(row[figure] ?? 0)))), app.unit);
  const cells = (one: Side, number: number) => {
    const row = one.figures.get(number), value = row?.[figure];
    return number < 0 ? [el('td'), el('td'), el('td', { class: 'none' })] : [el('td', { class: 'number' }, !value ? '' : timed ? inUnit(Number(value), null, step) : count(value)),
      el('td', { class: 'number faint' }, String(number + 1)), el('td', {}, el('pre', {}, one.lines[number]))];
  };
  const body = shown.map((row) => el('tr', { class: row[0] < 0 ? 'only-b' : row[1] < 0 ? 'only-a' : '', 'aria-current': row === rows[at] ? 'true' : undefined }, ...cells(a, row[0]), ...cells(b, row[1])));
  const head = sides.flatMap(({ name }, i) => [timed ? `${'ab'[i]} self, ${unit}` : `${'ab'[i]} executed`, 'line', `${'ab'[i]}: ${name}`]);
  const more = (text: string, to: number) => el('a', { href: address('compare', { ...parameters, line: (rows[to][0] < 0 ? rows[to][1] : rows[to][0]) + 1, side: rows[to][0] < 0 ? 'b' : null }) }, text);
  place.replaceChildren(el('p', { class: 'status' }, `${a.file}${b.file === a.file ? '' : ' and ' + b.file}: ${some(rows.filter((row) => row[1] < 0).length, 'line')} only in a, ${count(rows.filter((row) => row[0] < 0).length)} only in b. `,
    from > 0 ? more('earlier lines', from) : '', ' ', at + SHOWN < rows.length ? more('later lines', at + SHOWN) : ''),
  el('div', { class: 'rows beside', tabindex: 0, role: 'region', 'aria-label': 'both texts' }, el('table', {}, el('caption', { class: 'hidden' }, 'both texts, line by line'),
    el('thead', {}, el('tr', {}, ...head.map((text) => el('th', { scope: 'col' }, text)))), el('tbody', {}, ...body))));
  place.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' });
}

export function texts(app: App, route: Route): HTMLElement {
  const place = el('div', { class: 'texts' }, 'reading\u2026');
  fill(app, route, place).catch((error: Error) => place.replaceChildren(el('p', { class: 'error' }, error.message)));
  return place;
}
