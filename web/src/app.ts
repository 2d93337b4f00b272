// What all views share: the data, the profiles, the view that is shown.

import type { Data, Profile, Row } from './data';
import type { Route } from './route';
import { address } from './route';
import { el } from './dom';
import { shortened } from './format';

export type App = { data: Data; profiles: Profile[]; unit: string; whole: number };

export type Metric = { name: string; kind: string; evidence: string; ticks: number };

// What figures are of: the profile's first metric; or the one of this name.
export function metricOf(profile: Profile, wanted?: string): Metric {
  const metric = profile.metrics.find(({ id, name }) => (wanted ? name === wanted : id === 1));
  return { name: String(metric?.name ?? ''), kind: String(metric?.kind ?? ''), evidence: String(metric?.evidence ?? ''), ticks: Number(metric?.ticks ?? 0) };
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

// Behind calls that others may have made.
export function doubt(row: Row): HTMLElement | null {
  return row.in_doubt || row.doubtful_calls ? tag('in doubt: tail calls',
    'another function may have made some of these calls: one that ends by calling another (a tail call) has left the stack by then') : null;
}

// In at most so many characters, if a number is given.
export function functionLink(name: string, id: unknown, most = name.length): HTMLElement {
  const text = shortened(name, most), title = text === name ? undefined : name;
  return id === null || id === undefined ? el('span', { title }, text)
    : el('a', { href: address('calls', { id: String(id) }), title }, text);
}

export function placeLink(row: Row, text: string): HTMLElement {
  const href = sourceAddress(row);
  return href ? el('a', { href, title: String(row.file) }, text) : el('span', {}, text);
}
