// A track for each thread over the run: how busy it was, stacked by the costliest functions, and where
// it was not on a processor. Dragging over any of them chooses a part of the run.

import type { App } from './app';
import type { Query, Times } from './data';
import { el } from './dom';
import { amount, count } from './format';
import { chipAddress, selectable, threadKey } from './chips';
import { address } from './route';

const MOST_TRACKS = 12, BANDS = 6, HEIGHT = 30, LEAST_DRAG = 3; // pixels

export type Paint = (name: string, id: number | undefined) => string;

const sumsOf = (times: Times) => (times.bands[0]?.amounts ?? []).map((_, part) => times.bands.reduce((sum, band) => sum + band.amounts[part], 0));

// The canvas has the width of its place; a full height is `most` processors. What the thread waited stands on what it ran.
function draw(canvas: HTMLCanvasElement, times: Times, waited: Times | null, whole: Times, most: number, paint: Paint, waits: string): void {
  const ratio = devicePixelRatio, width = canvas.clientWidth, context = canvas.getContext('2d')!;
  canvas.width = width * ratio;
  canvas.height = HEIGHT * ratio;
  context.scale(ratio, ratio);
  const from = whole.from_ns, end = whole.end_ns, at = (ns: number) => (ns - from) / (end - from) * width;
  const sums = sumsOf(times);
  const busy = sums.map((sum, part) => (sum ? part : -1)).filter((part) => part >= 0);
  const edges = (part: number) => Math.min(end, times.from_ns + part * times.length_ns), edge = (part: number) => at(edges(part));
  const [first, last] = [busy[0], busy[busy.length - 1]];
  context.fillStyle = waits;
  if (busy.length) context.fillRect(edge(first), HEIGHT - 2, edge(last + 1) - edge(first), 2);
  context.globalAlpha = 0.35;
  if (waited) sumsOf(waited).forEach((wait, part) => {
    const begin = waited.from_ns + part * waited.length_ns, length = Math.min(end, begin + waited.length_ns) - begin, at_part = Math.floor((begin + length / 2 - times.from_ns) / times.length_ns);
    const high = Math.min(1, wait / length) / most * HEIGHT, ran = Math.min(1, (sums[at_part] ?? 0) / (edges(at_part + 1) - edges(at_part) || 1)) / most * HEIGHT;
    if (wait) context.fillRect(at(begin), HEIGHT - ran - high, Math.max(at(begin + length) - at(begin) + 0.3, 0.5), high);
  });
  context.globalAlpha = 1;
  sums.forEach((_, part) => {
    const left = edge(part), wide = edge(part + 1) - left;
    let y = HEIGHT;
    for (const band of times.bands) {
      const high = band.amounts[part] / (edges(part + 1) - edges(part)) / most * HEIGHT;
      if (!high) continue;
      context.fillStyle = paint(band.name, band.function);
      context.fillRect(left, y - high, Math.max(wide + 0.3, 0.5), high);
      y -= high;
    }
  });
}

// `choose`: seconds from and to; with Shift, a part to compare with.
export async function tracks(app: App, whole: Times, shown: { from_ns: number; to_ns: number }[], paint: Paint,
                             choose: (from: number, to: number, second: boolean) => void): Promise<HTMLElement | null> {
  const { data, profiles: [{ threads, totals }] } = app;
  const waits = threads.some((thread) => thread.waiting_ns !== null);
  const sorted = threads.filter((thread) => Number(thread.cpu_ns) > 0 || Number(thread.waiting_ns ?? 0) > 0)
    .sort((a, b) => Number(b.cpu_ns) - Number(a.cpu_ns)).slice(0, MOST_TRACKS);
  if (!sorted.length || data.alone) return null;
  const ask = (query: Query) => Promise.all(sorted.map((thread) => data.times({ by: 'functions', thread: String(thread.id), parts: 400, ...query }).catch(() => null)));
  const [all, waited] = await Promise.all([ask({ most: BANDS }), waits ? ask({ most: 1, of: 'waiting' }) : []]);
  const marks: HTMLElement[] = [], canvases: [HTMLCanvasElement, Times, Times | null][] = [];
  const most = Math.max(waits ? 1 : 0.05, ...all.map((times) => (times ? Math.max(...sumsOf(times).map((sum, part) => sum / Math.max(1, Math.min(times.length_ns, times.end_ns - times.from_ns - part * times.length_ns)))) : 0)));
  const seconds = (x: number, canvas: HTMLElement) => (whole.from_ns + Math.min(1, Math.max(0, x / canvas.clientWidth)) * (whole.end_ns - whole.from_ns)) / 1e9;
  const place = (mark: HTMLElement, from: number, to: number) => {
    const share = (s: number) => 100 * (s * 1e9 - whole.from_ns) / (whole.end_ns - whole.from_ns);
    mark.style.left = `${Math.max(0, share(from))}%`;
    mark.style.width = `${Math.min(100, share(to)) - Math.max(0, share(from))}%`;
  };
  const rows = sorted.map((thread, i) => {
    const start = thread.start_function_name ? `${thread.start_function_name}()` : '', name = [thread.name, start].filter((text) => text).join(' \u203a ') || 'thread', canvas = el('canvas', { 'aria-hidden': 'true' });
    const times = all[i] ?? (waited[i] ? { ...waited[i]!, bands: [] } : null); // it may have waited only
    if (times) canvases.push([canvas, times, waited[i] ?? null]);
    const mark = el('span', { class: 'chosen', hidden: true });
    const places = shown.map((part) => {
      const box = el('span', { class: 'chosen' });
      place(box, part.from_ns / 1e9, part.to_ns / 1e9);
      return box;
    });
    marks.push(mark);
    const track = el('div', { class: 'track' }, canvas, ...places, mark);
    track.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      const start = event.offsetX;
      track.setPointerCapture(event.pointerId);
      const move = (to: PointerEvent) => {
        const x = to.clientX - track.getBoundingClientRect().left;
        for (const one of marks) {
          one.hidden = Math.abs(x - start) < LEAST_DRAG;
          place(one, seconds(Math.min(x, start), track), seconds(Math.max(x, start), track));
        }
      };
      const ended = (to: PointerEvent) => {
        const x = to.clientX - track.getBoundingClientRect().left;
        track.removeEventListener('pointermove', move);
        if (Math.abs(x - start) >= LEAST_DRAG) choose(seconds(Math.min(x, start), track), seconds(Math.max(x, start), track), event.shiftKey);
      };
      track.addEventListener('pointermove', move);
      track.addEventListener('pointerup', ended, { once: true });
      event.preventDefault();
    });
    return el('li', {}, el('span', { class: 'who' }, el('a', { href: selectable(app) ? chipAddress('threads', threadKey(threads, thread)) : address('flame', { thread: threadKey(threads, thread) }), title: `thread ${thread.tid}: all views of it` }, name), ' ',
      el('span', { class: 'faint' }, `CPU ${amount(thread.cpu_ns, 'ns')}${waits ? `, waiting ${amount(Number(thread.waiting_ns ?? 0), 'ns')}` : ''}`)), track);
  });
  const style = getComputedStyle(document.documentElement), more = Number(totals.threads) - sorted.length;
  const observer = new ResizeObserver(() => canvases.forEach(([canvas, times, waiting]) => draw(canvas, times, waiting, whole, most, paint, style.getPropertyValue('--faint'))));
  const axis = el('li', { class: 'axis-row faint' }, el('span', {}), el('span', { class: 'ends' }, ...[0, 1, 2, 3, 4].map((i) => el('span', {}, `${seconds(i / 4, { clientWidth: 1 } as HTMLElement).toPrecision(3)} s`))));
  const list = el('ul', { class: 'tracks' }, axis, ...rows);
  observer.observe(list);
  return el('section', {}, el('h3', {}, 'Threads ', el('span', { class: 'small faint' },
    `Full height: ${most.toFixed(2)} processors busy. ${waits ? 'Grey area: waiting. ' : ''}Grey line: the thread exists, but does not run. Drag to look at a part of the run.`)), list,
  more > 0 ? el('p', { class: 'status' }, `${count(more)} more threads had less CPU time`) : '');
}
