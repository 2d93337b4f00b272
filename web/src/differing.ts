// The flame graph of two profiles: what differs, by colour. A frame is saturated where the time of its
// function, itself or in all, stands out in the comparison of functions, which are judged together, and the
// frame's own difference is beyond what its ticks explain.

import type { App } from './app';
import { stacksOf } from './chips';
import type { Flame, Frame, Query } from './data';
import { el } from './dom';
import { baseName } from './format';
import { besides } from './frames';

const MOST_FRAMES = 5000, FINER = 4; // what a question is answered with at most; how much narrower the other's frames may be
const MOST_CLAIMS = 2000, Z95 = 1.96;

export type Wide = 'a' | 'b';
export type Differing = { flame: Flame; wide: Wide; standsOut: Map<string, Set<number>>; tick: number; largest: number; cut: boolean };

// By name, the directions in which its time stands out: 1 more, -1 less. A page may lack one of the comparisons.
async function claims(app: App, other: string): Promise<Map<string, Set<number>>> {
  const found = await Promise.all(['b.total - a.total', 'b.self - a.self'].map((by) =>
    app.data.table('compared', { of: 'functions', other, by, sort: 'verdict_order', limit: MOST_CLAIMS }).then(({ rows }) => rows, () => [])));
  const standsOut = new Map<string, Set<number>>();
  for (const row of found.flat()) {
    if (row.stands_out !== 1 || typeof row.value !== 'number') continue;
    const name = String(row.name);
    standsOut.set(name, (standsOut.get(name) ?? new Set()).add(Math.sign(row.value)));
  }
  return standsOut;
}

const differenceOf = (frame: Frame, wide: Wide) => (frame[2] - (frame[6] ?? 0)) * (wide === 'b' ? 1 : -1);

export async function differing(app: App, query: Query, other: string, wide: Wide): Promise<Differing> {
  const of = (profile: string, side: Wide) => stacksOf(app, { ...query, profile, width: Number(query.width) * (side === wide ? 1 : FINER) });
  const [a, b, standsOut] = await Promise.all([of('1', 'a'), of(other, 'b'), claims(app, other)]);
  const flame = besides(a, b, wide), cut = Math.max(a.frames.length, b.frames.length) >= MOST_FRAMES;
  const ticks = [app.profiles[0], app.profiles[Number(other) - 1]].map(({ about }) => Number(about.whole_ns) / (Number(about.ticks) || Infinity)); // what one stands for
  return { flame, wide, standsOut, tick: Math.max(...ticks), largest: Math.max(...flame.frames.map((frame) => Math.abs(differenceOf(frame, wide))), 0), cut };
}

export type Change = { a: number; b: number; difference: number; standsOut: boolean };

export function changeOf({ wide, standsOut, tick }: Differing, frame: Frame, name: string): Change {
  const difference = differenceOf(frame, wide), own = frame[2], other = frame[6] ?? 0;
  return { a: wide === 'a' ? own : other, b: wide === 'b' ? own : other, difference, standsOut: Math.abs(difference) > Z95 * Math.sqrt(tick * (own + other)) && (standsOut.get(name)?.has(Math.sign(difference)) ?? false) };
}

// Colours by their place here: the same; less, that may be chance, and in three steps; more, likewise.
export const CHANGES = ['same', 'less0', 'less1', 'less2', 'less3', 'more0', 'more1', 'more2', 'more3'];

export function colourOf(differing: Differing, change: Change): number {
  if (!change.difference || !differing.largest) return 0;
  const step = change.standsOut ? Math.max(1, Math.min(3, 4 + Math.floor(Math.log(Math.abs(change.difference) / differing.largest)))) : 0;
  return (change.difference < 0 ? 1 : 5) + step;
}

export function colours(style: CSSStyleDeclaration): string[] {
  const light = (step: number) => style.getPropertyValue('--l' + step), of = (l: number, chroma: number, hue: number) => `oklch(${light(l)} ${chroma} ${hue})`;
  return [of(2, .004, 90), ...[250, 62].flatMap((hue) => [of(2, .022, hue), of(4, .07, hue), of(6, .1, hue), of(8, .14, hue)])];
}

export function legend({ wide, cut }: Differing, app: App, other: string): HTMLElement {
  const name = (at: number) => baseName(app.profiles[at].about.path), swatch = (kind: string) => el('span', { class: 'swatch diff-' + kind, 'aria-hidden': 'true' });
  return el('p', { class: 'status diff-legend' }, `Widths are times in ${wide} (${name(wide === 'a' ? 0 : Number(other) - 1)}). `,
    swatch('more3'), ' more time in b, ', swatch('less3'), ' less: the time of its function stands out, and here it is more than ticks explain. ',
    swatch('more0'), swatch('less0'), ` pale: it may be chance. What only ${wide === 'b' ? 'a' : 'b'} has is seen in the widths of ${wide === 'b' ? 'a' : 'b'}.`,
    cut ? ` Only the first ${MOST_FRAMES} frames are compared: zoom in.` : '');
}
