// The verdict of a comparison, in the words of `ascribe diff`; and a difference with its interval on an axis.

import type { Row, Verdict } from './data';
import { el } from './dom';
import { count } from './format';
import { shortName } from './names';

export function verdictBox({ words: [head, ...lines], whole, calls, calls_differ, certain }: Verdict, ...more: (Node | null)[]): HTMLElement {
  const named = calls.map(({ name, a, b }) => `${shortName(name)} ${count(a)} \u2192 ${count(b)}`).join(', ');
  return el('div', { class: `verdict ${whole === 'more' || whole === 'less' ? whole : ''}` },
    el('p', { class: 'finding' }, /^b /.test(head) ? head : head.charAt(0).toUpperCase() + head.slice(1)),
    ...lines.map((line) => el('p', {}, line)),
    calls_differ && !certain ? el('p', {}, `certain: ${count(calls_differ)} function${calls_differ === 1 ? ' is' : 's are'} called more or less often (counted): ${named}${calls_differ > calls.length ? '\u2026' : ''}`) : null,
    ...more);
}

// How sure a row's difference is.
export function sureness(row: Row, neutral: number, verdict: Verdict | undefined): string {
  if (row.value === null || row.value === neutral) return '';
  if (row.stands_out === null) return '?';
  if (!row.stands_out) return 'may be chance';
  return row.low === row.high ? 'certain' : verdict?.measured ? 'stands out' : 'more than ticks';
}

// The greatest distance from no difference that rows have, intervals too.
export function reach(rows: Row[], neutral: number): number {
  const ends = rows.flatMap((row) => [row.value, row.low, row.high]).filter((end): end is number => typeof end === 'number' && Number.isFinite(end));
  return Math.max(...ends.map((end) => Math.abs(end - neutral)), 0) || 1;
}

export function drawn(row: Row, neutral: number, reach: number): HTMLElement {
  const at = (value: unknown) => 50 + 50 * Math.max(-1, Math.min(1, (Number(value) - neutral) / reach));
  const axis = el('span', { class: 'axis', 'aria-hidden': 'true' });
  if (typeof row.value !== 'number') return axis;
  const kind = row.stands_out === 1 ? (row.value > neutral ? 'more' : 'less') : 'chance';
  if (typeof row.low === 'number' && typeof row.high === 'number' && row.high > row.low) {
    const line = el('span', { class: 'reach ' + kind });
    line.style.left = `${at(row.low)}%`;
    line.style.width = `${at(row.high) - at(row.low)}%`;
    axis.append(line);
  }
  const dot = el('span', { class: 'dot ' + kind });
  dot.style.left = `${at(row.value)}%`;
  axis.append(dot);
  return axis;
}
