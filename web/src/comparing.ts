// The other profile, and the expression that it is compared by: a short list, or typed.

import { choice, el } from './dom';
import { amount, baseName, plain, whole, type Value } from './format';
import type { App } from './app';
import { groupSizes } from './data';

export type Comparing = { other: string; by: string };

export const EXPRESSIONS: [string, string][] = [
  ['b.self - a.self', 'difference of self times'],
  ['b.total - a.total', 'difference of total times'],
  ['b.calls - a.calls', 'difference of calls'],
  ['b.self / a.self', 'ratio of self times'],
  ['b.calls / a.calls', 'ratio of calls'],
  ['b.calls - 2 * a.calls', 'calls, scaled by input size 2'],
  ['b.self - 2 * a.self', 'self time, scaled by input size 2'],
  ['b.share - a.share', 'difference of shares of the whole'],
  ['b.self - a.self * b.whole / a.whole', 'self time, scaled by total'],
];

// A value of the expression: sums and differences of times with their unit.
const TIMES = /^\s*-?\s*(\d+(\.\d+)?\s*\*\s*)?[ab]\.(self|total|child)(\s*[-+]\s*(\d+(\.\d+)?\s*\*\s*)?[ab]\.(self|total|child))*\s*$/i;

export function comparedText(value: Value, by: string, unit: string): string {
  const time = TIMES.test(by) || by === 'b.self - a.self * b.whole / a.whole';
  if (typeof value !== 'number' || !time) return plain(value);
  return unit === 'ns' ? amount(Math.abs(value) < 5e-10 ? 0 : value * 1e9, unit) : whole(value, unit);
}

// For arcs there are totals only, for call sites and counted expressions calls only. A page that was
// made for an expression begins with that.
function defaultExpression(app: App, kind: string): string {
  const there = app.data.comparisons(kind);
  const figure = kind === 'sites' || kind === 'expressions' ? 'calls' : kind === 'arcs' ? 'total' : 'self', groups = groupSizes(app.data.shown);
  const [a, b] = groups.map((ranks, i) => (groups[0] === groups[1] || ranks === 1 ? '' : `${Number((1 / ranks).toPrecision(6))} * `) + 'ab'[i] + '.' + figure);
  const usual = `${b} - ${a}`; // of groups of ranks for each rank
  return there?.find((by) => app.data.asked.includes(by)) ?? (there && there.length && !there.includes(usual) ? there[0] : usual);
}

// What the address asks for, if the data has it.
export function expressionOf(app: App, kind: string, by: string | undefined): string {
  const there = app.data.comparisons(kind);
  return by && (!there || there.includes(by)) ? by : defaultExpression(app, kind);
}

// Those that the data has.
export function expressions(app: App, kind: string): [string, string][] {
  const there = app.data.comparisons(kind);
  if (!there) return EXPRESSIONS;
  const known = EXPRESSIONS.filter(([by]) => there.includes(by));
  return [...there.filter((by) => !known.some(([one]) => one === by)).map((by): [string, string] => [by, by]), ...known];
}

// Whether there is something to compare with.
export function comparable(app: App, kind: string): boolean {
  return app.profiles.length > 1 && app.data.comparisons(kind)?.length !== 0;
}

export function otherProfiles(app: App): [string, string][] {
  return app.profiles.slice(1).map((profile, i) => [String(i + 2), baseName(profile.about.path)]);
}

export function comparingControls(app: App, kind: string, state: Comparing, none: boolean,
                                  changed: (state: Comparing) => void): HTMLElement {
  const profiles = otherProfiles(app);
  const typed = el('input', { type: 'text', class: 'expression', value: state.by, spellcheck: 'false',
    'aria-label': 'expression over a.* and b.*',
    title: 'SQL over a (this profile) and b (the other): calls, self, total, child, ticks, share, whole, name, file, line' });
  typed.addEventListener('change', () => changed({ ...state, by: typed.value }));
  const offered = expressions(app, kind), known = offered.some(([by]) => by === state.by);
  return el('span', { class: 'comparing' },
    choice('compare with', [...(none ? [['', 'nothing'] as [string, string]] : []), ...profiles], state.other,
      (other) => changed({ ...state, other })),
    state.other || !none ? choice('by', [...offered.map(([by, text]) => [by, text] as [string, string]),
      ...(known ? [] : [[state.by, 'typed'] as [string, string]])], state.by, (by) => changed({ ...state, by })) : null,
    (state.other || !none) && !app.data.comparisons(kind) ? typed : null);
}
