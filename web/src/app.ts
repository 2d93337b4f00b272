// What all views share: the data, the profiles, the view that is shown.

import type { Data, Profile, Row } from './data';
import type { Route } from './route';
import { address } from './route';
import { el } from './dom';
import { baseName, place } from './format';
import { indexOfColumn } from './lines';
import { shortName, shortened } from './names';

export type App = { data: Data; profiles: Profile[]; unit: string; whole: number };

export type Metric = { name: string; kind: string; evidence: string; ticks: number };

// What figures are of: the profile's first metric; or the one of this name.
export function metricOf(profile: Profile, wanted?: string): Metric {
  const metric = profile.metrics.find(({ id, name }) => (wanted ? name === wanted : id === 1));
  return { name: String(metric?.name ?? ''), kind: String(metric?.kind ?? ''), evidence: String(metric?.evidence ?? ''), ticks: Number(metric?.ticks ?? 0) };
}

// What an amount of time in the first metric is: "1.2 s of CPU time".
export function timeOf(profile: Profile): string {
  return { waiting: 'of waiting', messages: 'in calls of MPI' }[metricOf(profile).kind] ?? 'of CPU time';
}

export interface View {
  readonly element: HTMLElement;
  readonly title: string;
  readonly ready?: Promise<void>; // its figures are there
  // The address has changed, but the view is the same. False: make a new one.
  update?(route: Route): boolean;
  shown?(): void; // it is in the document now
  closed?(): void;
}

export function sourceAddress(row: { file?: any; line?: any; column?: any; source_column?: any }): string | null {
  return row.file ? address('source', { file: row.file, line: row.line, column: row.column ?? row.source_column }) : null;
}

export function tag(text: string, title: string): HTMLElement {
  return el('span', { class: 'tag', title }, text);
}

// The library or executable that has the function.
export function objectBadge(row: Row): HTMLElement | null {
  return row.object ? tag(baseName(row.object), String(row.object)) : null;
}

// Behind calls that others may have made.
export function doubt(row: Row): HTMLElement | null {
  return row.in_doubt || row.doubtful_calls ? tag('in doubt: tail calls',
    'another function may have made some of these calls: one that ends by calling another (a tail call) has left the stack by then') : null;
}

// Its number tells it from others of its name as long as the page is open.
export function functionAddress(name: unknown, id: unknown): string {
  return address('calls', { name: String(name), id: String(id) });
}

// In at most so many characters, if a number is given.
export function functionLink(name: string, id: unknown, most?: number): HTMLElement {
  const text = most ? shortened(name, most) : shortName(name), title = text === name ? undefined : name;
  return id === null || id === undefined ? el('span', { title }, text)
    : el('a', { href: functionAddress(name, id), title }, text);
}

// The names of a call, short; the title of its cell has them whole.
export function callText(row: Row): string { return `${shortName(String(row.caller_name))} \u2192 ${shortName(String(row.callee_name ?? row.name))}`; }

// Where only the begin of an expression is known, its text is the whole line: the word there, or what the bracket there holds.
function markedAt(line: string, column: number): [number, number] {
  const from = indexOfColumn(line, column);
  let to = from, depth = 0;
  if (line[from] === '(') do depth += Number(line[to] === '(') - Number(line[to] === ')'); while (++to < line.length && depth > 0);
  else to += /^(\w+|[^\w\s()[\]{};,]+|\S)?/.exec(line.slice(from))![0].length;
  return [from, to];
}

export function textOf(row: Row): string { return String(row.text ?? '').trim(); }

// A row's source text, or where that is; `marked`: it is a line, in which the row's column is shown.
export function textCell(row: Row, marked = false, title = String(row.file ?? '')): HTMLElement {
  const text = String(row.text ?? ''), href = sourceAddress(row);
  const [from, to] = marked && row.source_column ? markedAt(text, Number(row.source_column)) : [0, 0];
  const parts = !text ? [place(row)] : to > from ? [text.slice(0, from).trimStart(), el('b', {}, text.slice(from, to)), text.slice(to)] : [text.trim()];
  return el('code', {}, href ? el('a', { href, title, tabindex: -1 }, ...parts) : el('span', { title }, ...parts));
}

export function placeLink(row: Row, text: string): HTMLElement {
  const href = sourceAddress(row);
  return href ? el('a', { href, title: String(row.file) }, text) : el('span', {}, text);
}
