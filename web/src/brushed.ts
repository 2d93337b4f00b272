// Parts of the run in a page that stands alone: what the bands had in them, each of whole steps of
// the bands.

import { functionLink, type Metric } from './app';
import type { Band, Part, Times } from './data';
import { el } from './dom';
import { amount, measured, percent } from './format';
import { address, type Route } from './route';

export const NOBODY = 'profiling or not sampled', OTHERS = 'others';
const DRAWN = 10, SECOND = 1e9, Z = 1.96;

// The page has more bands than a drawing: those behind the first ones as one.
export function folded(times: Times): Times {
  const rest = times.bands.slice(DRAWN);
  if (!rest.length) return times;
  const others = { name: OTHERS, amounts: times.cpu_ns.map((_, step) => rest.reduce((sum, band) => sum + band.amounts[step], 0)) };
  return { ...times, bands: [...times.bands.slice(0, DRAWN), others] };
}

// Steps from first to before last: all that the part touches, at least one.
function stepsOf(times: Times, part: Part): [number, number] {
  const at = (ns: number) => (ns - times.from_ns) / times.length_ns, count = times.cpu_ns.length;
  const first = Math.min(count - 1, Math.max(0, Math.floor(at(part.from_ns) + 1e-6)));
  return [first, Math.max(first + 1, Math.min(count, Math.ceil(at(part.to_ns) - 1e-6)))];
}

export function snapped(times: Times, part: Part): Part {
  const [first, last] = stepsOf(times, part), at = (step: number) => Math.min(times.end_ns, times.from_ns + step * times.length_ns);
  return { from_ns: at(first), to_ns: at(last) };
}

// What came in the part; of a level, what it was when the part ended.
function amountIn(times: Times, { amounts }: Band, part: Part): number {
  const [first, last] = stepsOf(times, part);
  return times.level ? amounts[last - 1] : amounts.slice(first, last).reduce((a, b) => a + b, 0);
}

type Figure = { self_ns: number; self_low_ns: number | null; self_high_ns: number | null };

// Of `n` ticks, a share: Wilson's interval, as in the reports.
function wilson(share: number, n: number): [number, number] {
  const middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n);
  const half = Z / (1 + Z * Z / n) * Math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

// By band, what it had in the part. Sampled figures have their interval, as far as it is known.
function figuresOf(times: Times, part: Part, metric: Metric): Figure[] {
  const values = times.bands.map((band) => amountIn(times, band, part)), known = times.bands.map(({ name }) => name !== NOBODY);
  const sum = (list: number[]) => list.reduce((all, value, i) => all + (known[i] ? value : 0), 0);
  const whole = sum(values), perTick = sum(times.bands.map((band) => band.amounts.reduce((a, b) => a + b, 0))) / metric.ticks;
  return values.map((value, i) => {
    if (metric.evidence === 'counted') return { self_ns: value, self_low_ns: value, self_high_ns: value };
    if (metric.evidence !== 'ticks' || !known[i] || !whole || !isFinite(perTick)) return { self_ns: value, self_low_ns: null, self_high_ns: null };
    const [low, high] = wilson(value / whole, whole / perTick);
    return { self_ns: value, self_low_ns: low * whole, self_high_ns: high * whole };
  });
}

// What came more in b than in a; null: it may be chance.
function certainly(a: Figure, b: Figure): boolean | null {
  if (a.self_low_ns === null || b.self_low_ns === null) return null;
  const above = b.self_ns > a.self_ns, error = Math.hypot(...(above ? [a.self_high_ns! - a.self_ns, b.self_ns - b.self_low_ns] : [a.self_ns - a.self_low_ns, b.self_high_ns! - b.self_ns]));
  return Math.abs(b.self_ns - a.self_ns) > error || null;
}

const text = (part: Part) => `${part.from_ns / SECOND} to ${part.to_ns / SECOND} s`;

// `parts` as snapped. What the bands had in the part, or in two of them, with the most, or the largest difference, first.
export function brushed(times: Times, parts: Part[], metric: Metric, route: Route): HTMLElement {
  const two = parts.length > 1;
  const columns = parts.map((part) => figuresOf(times, part, metric)), sums = columns.map((column) => column.reduce((sum, { self_ns }) => sum + self_ns, 0));
  const difference = (i: number) => (two ? columns[1][i].self_ns - columns[0][i].self_ns : columns[0][i].self_ns);
  const shown = [...times.bands.keys()].filter((i) => columns.some((column) => column[i].self_ns)).sort((i, j) => Math.abs(difference(j)) - Math.abs(difference(i)));
  const number = (content: string, faint = false) => el('td', { class: faint ? 'number faint' : 'number', title: faint ? 'this may be chance' : undefined }, content);
  const name = (band: Band) => (band.function ? functionLink(band.name, band.function) : band.name);
  const rows = shown.map((i) => el('tr', {}, el('th', { scope: 'row' }, name(times.bands[i])),
    ...columns.flatMap((column, k) => [number(measured(column[i], 'self', times.unit)), number(percent(column[i].self_ns, sums[k]))]),
    two && number((difference(i) > 0 ? '+' : '') + amount(difference(i), times.unit), certainly(columns[0][i], columns[1][i]) === null)));
  const head = parts.flatMap((part, k) => [(two ? 'ab'[k] + ': ' : '') + text(part) + (times.level ? ', at its end' : ''), '%']);
  const { part: _, ...left } = route.parameters;
  return el('div', { class: 'wide brushed' }, el('h3', {}, two ? 'Two parts of the run ' : 'A part of the run ', el('a', { class: 'small', href: address('time', left) }, 'whole run')),
    el('table', {}, el('caption', { class: 'hidden' }, 'what the bands had in the part'),
      el('thead', {}, el('tr', {}, ...['', ...head, ...(two ? ['b - a'] : [])].map((title) => el('th', { scope: 'col' }, title || 'of')))),
      el('tbody', {}, ...rows)));
}
