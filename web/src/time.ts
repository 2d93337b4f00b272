// What was measured when: bands by function, cost centre or thread over the run. Brushing a part of it
// makes every figure of every view one of that part; brushing a second one compares the two.

import uPlot from 'uplot';
import type { App, View } from './app';
import { functionLink, metricOf } from './app';
import { brushed, folded, NOBODY, OTHERS, snapped } from './brushed';
import { isDark } from './dom';
import type { Part, Times } from './data';
import { choice, el } from './dom';
import { amount } from './format';
import { go, keep, readRoute, type Route } from './route';
import { tracks, type Paint } from './tracks';

const SECOND = 1e9, HEIGHT = 320, GOLDEN_ANGLE = 137.5;
const KINDS: [string, string][] = [['functions', 'functions'], ['centres', 'cost centres'], ['threads', 'threads'],
  ['kinds', 'kinds of memory']];

export function partText(part: Part): string {
  return `${part.from_ns / SECOND}-${part.to_ns / SECOND}`;
}

export function partsText(parts: Part[]): string { return parts.map(partText).join(','); }

// "2-5", or "2-5,8-9": seconds. Anything else is the whole run.
export function partsOf(text: string): Part[] {
  const parts = text.split(',').map((part) => partBetween(...(part.split('-').map(Number) as [number, number])));
  return parts.length <= 2 && parts.every((part) => part.from_ns >= 0 && part.to_ns > part.from_ns) ? parts : [];
}

function partBetween(from: number, to: number): Part {
  return { from_ns: Math.round(from * SECOND), to_ns: Math.round(to * SECOND) };
}

// The kernel knows the CPU time; what no tick of the program stands for is a band of its own.
const LEAST_OF_CPU = 0.01;

function withNobody(times: Times): Times {
  const sums = times.cpu_ns.map((_, part) => times.bands.reduce((sum, band) => sum + band.amounts[part], 0));
  const rest = times.cpu_ns.map((cpu, part) => Math.max(0, cpu - sums[part])), of = (list: number[]) => list.reduce((a, b) => a + b, 0);
  return of(rest) <= LEAST_OF_CPU * of(times.cpu_ns) ? times : { ...times, bands: [...times.bands, { name: NOBODY, amounts: rest }] };
}

function colour(times: Times, i: number): string {
  const { name, function: id } = times.bands[i];
  if (id === undefined && name === NOBODY) return isDark() ? 'hsl(0 0% 34%)' : 'hsl(0 0% 82%)';
  return id === undefined && name === OTHERS ? 'hsl(0 0% 62%)' : `hsl(${(i * GOLDEN_ANGLE + 210) % 360} 55% ${i % 2 ? 60 : 48}%)`;
}

// Functions have the colours of the bands, others have colours of their own.
function painter(times: Times): Paint {
  const more = new Map<string, number>();
  return (name, id) => {
    let at = times.bands.findIndex((band) => band.function === id && band.name === name);
    if (at < 0) at = more.get(name) ?? times.bands.length + more.size;
    if (at >= times.bands.length) more.set(name, at);
    return at < times.bands.length ? colour(times, at) : id === undefined ? 'hsl(0 0% 62%)' : `hsl(${(at * GOLDEN_ANGLE + 210) % 360} 35% 65%)`;
  };
}

// Threads over the run, for other views: what is chosen there is shown there. Null: nothing is known by time.
export async function timeTracks(app: App, view: string): Promise<HTMLElement | null> {
  if (!app.data.timed || app.data.alone || metricOf(app.profiles[0]).kind !== 'cpu') return null;
  const times = await app.data.times({ by: 'functions' }), place = el('p', { class: 'error', role: 'alert' });
  const list = await tracks(app, times, app.data.shown.parts, painter(times), chooser(app, times, (reason) => { place.textContent = reason; }, view));
  return list && el('div', {}, list, place);
}

// What bands are drawn over: wall time, or how much CPU time had passed, or how much had been
// allocated. The parts of the run are the same ones, wider or narrower.
type Axis = {
  key: string; name: string; label: string;
  ends: number[]; // of the parts; first the start
  per: number; // a height is an amount per this much of the axis; 0: the amount itself
  unit: string; // of a height, behind the number or the amount
  text(x: number): string;
};
const MEGABYTE = 1e6;

function runningSums(lengths: number[], unit: number): number[] {
  const ends = [0];
  for (const length of lengths) ends.push(ends[ends.length - 1] + length / unit);
  return ends;
}

const inSeconds = (x: number) => `${x.toFixed(3)} s`;

function axesOf(times: Times, heap: boolean): Axis[] {
  const count = times.bands[0]?.amounts.length ?? 0, { cpu, allocated } = times.axes, time = times.unit === 'ns';
  const wall = Array.from({ length: count + 1 }, (_, part) => (part < count ? times.from_ns + part * times.length_ns : times.end_ns) / SECOND);
  const axes: Axis[] = [{ key: 'wall', name: 'wall time', label: 'seconds since the start', ends: wall, per: time ? SECOND : 0, unit: time ? ' CPUs' : '', text: inSeconds }];
  if (cpu.some((value) => value))
    axes.push({ key: 'cpu', name: 'CPU time', label: 'seconds of CPU time since the start', ends: runningSums(cpu, SECOND), per: time ? SECOND : times.level ? 0 : 1,
      unit: time ? ' of the CPU time' : times.level ? '' : ' per CPU second', text: inSeconds });
  if (heap && allocated.some((value) => value))
    axes.push({ key: 'allocated', name: 'bytes allocated', label: 'allocated since the start', ends: runningSums(allocated, MEGABYTE), per: times.level ? 0 : 1,
      unit: times.level ? '' : ' per MB allocated', text: (x) => amount(Math.round(x * MEGABYTE), 'bytes') });
  return axes;
}

// The same moment on another axis: parts are taken to pass evenly.
function moved(value: number, from: number[], to: number[]): number {
  let part = 0;
  while (part < from.length - 2 && value >= from[part + 1]) part++;
  const length = from[part + 1] - from[part];
  return to[part] + (length > 0 ? Math.min(1, Math.max(0, (value - from[part]) / length)) * (to[part + 1] - to[part]) : 0);
}

// Over wall time, of a time: how many processors it kept busy. Over another axis, the amount that came with each unit of it.
function valuesOf(times: Times, axis: Axis): number[][] {
  const of = (value: number, part: number) => {
    const length = axis.ends[part + 1] - axis.ends[part];
    return !axis.per ? value : length > 0 ? value / axis.per / length : 0;
  };
  return times.bands.map((band) => band.amounts.map(of));
}

function textOf(times: Times, axis: Axis, value: number): string {
  return (times.unit === 'ns' ? value.toFixed(2) : amount(Number(value.toPrecision(4)), times.unit)) + axis.unit;
}

// What the heights of bands are.
function heightOf(times: Times, axis: Axis): string {
  if (times.unit === 'ns') return axis.key === 'cpu' ? 'share of the CPU time' : 'CPUs kept busy';
  return times.unit + axis.unit;
}

// Each drawn up to its sum with those below it, the highest first.
function stacked(values: number[][]): number[][] {
  const sums: number[][] = [];
  values.forEach((band, i) => sums.push(band.map((value, part) => value + (i ? sums[i - 1][part] : 0))));
  return sums;
}

type Choose = (from: number, to: number, second: boolean) => void;

// A bar above one of two parts, with its letter; each in its own row, as they may overlap.
function mark({ ctx, bbox }: uPlot, letter: string, [from, to]: number[], row: number, ink: string): void {
  const size = 13 * devicePixelRatio, y = bbox.top + row * 1.5 * size;
  ctx.font = `bold ${size}px sans-serif`;
  ctx.textBaseline = 'top';
  ctx.textAlign = 'center';
  ctx.fillStyle = ink;
  ctx.fillRect(from, y, Math.max(1, to - from), 2 * devicePixelRatio);
  ctx.fillText(letter, (from + to) / 2, y + 4 * devicePixelRatio);
}

function options(times: Times, axis: Axis, wall: Axis, width: number, shown: Part[], choose: Choose): uPlot.Options {
  let second = false; // Shift was held where the drag began
  const style = getComputedStyle(document.documentElement), css = (name: string) => style.getPropertyValue(name).trim();
  const ink = css('--ink'), grid = { stroke: css('--line'), width: 1 };
  return {
    width, height: HEIGHT, legend: { show: false }, cursor: { drag: { x: true, y: false, setScale: false } },
    scales: { x: { time: false }, y: { range: (_, __, most) => [0, most > 0 ? most * 1.05 : 1] } },
    axes: [{ stroke: ink, grid, label: axis.label, values: axis.key === 'allocated' ? (_, values) => values.map(axis.text) : undefined },
      { stroke: ink, grid, size: 80, label: heightOf(times, axis), values: (_, values) => values.map((value) => (value === null ? '' : times.unit === 'ns' ? String(value) : amount(value, times.unit))) }],
    series: [{}, ...[...times.bands.keys()].reverse().map((i) => {
      const fill = colour(times, i);
      return { fill, stroke: fill, width: 1, points: { show: false }, paths: uPlot.paths.stepped!({ align: 1 }) };
    })],
    hooks: {
      init: [(plot) => plot.over.addEventListener('mousedown', (event) => { second = event.shiftKey; })],
      draw: [(plot) => { // what is not shown elsewhere is paler
        if (!shown.length) return;
        const { ctx, bbox } = plot, end = bbox.left + bbox.width;
        const at = (ns: number) => Math.min(end, Math.max(bbox.left, plot.valToPos(moved(ns / SECOND, wall.ends, axis.ends), 'x', true)));
        const places = shown.map((part) => [at(part.from_ns), at(part.to_ns)]);
        ctx.save();
        ctx.fillStyle = css('--page');
        ctx.globalAlpha = 0.65;
        let from = bbox.left;
        for (const [left, right] of [...places].sort((a, b) => a[0] - b[0]).concat([[end, end]])) {
          ctx.fillRect(from, bbox.top, Math.max(0, left - from), bbox.height);
          from = Math.max(from, right);
        }
        ctx.globalAlpha = 1;
        if (places.length > 1) places.forEach((place, i) => mark(plot, 'ab'[i], place, i, ink));
        ctx.restore();
      }],
      setSelect: [(plot) => {
        const at = (place: number) => moved(plot.posToVal(place, 'x'), axis.ends, wall.ends);
        if (plot.select.width > 2) choose(at(plot.select.left), at(plot.select.left + plot.select.width), second);
      }],
    },
  };
}

function legend(times: Times): HTMLElement {
  const all = times.bands.reduce((sum, band) => sum + band.amounts.reduce((a, b) => a + b, 0), 0);
  return el('ul', { class: 'bands' }, ...times.bands.map((band, i) => {
    const swatch = el('span', { class: 'swatch', 'aria-hidden': 'true' });
    swatch.style.background = colour(times, i);
    const own = band.amounts.reduce((a, b) => a + b, 0), most = Math.max(...band.amounts);
    const said = times.level ? `at most ${amount(most, times.unit)}` : `${(100 * own / all).toFixed(1)} %`;
    return el('li', {}, swatch, ' ', band.function ? functionLink(band.name, band.function) : band.name, ' ', said);
  }));
}

function table(times: Times, axis: Axis, wall: Axis): HTMLElement {
  const values = valuesOf(times, axis), other = axis.key !== wall.key;
  const rows = (times.bands[0]?.amounts ?? []).map((_, part) => el('tr', {},
    el('th', { scope: 'row' }, wall.text(wall.ends[part])), other && el('td', { class: 'number' }, axis.text(axis.ends[part])),
    ...values.map((band) => el('td', { class: 'number' }, band[part] ? textOf(times, axis, band[part]) : '0'))));
  return el('details', {}, el('summary', {}, 'as a table'), el('div', { class: 'wide' }, el('table', {},
    el('caption', { class: 'hidden' }, 'the figures of the bands'),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'from'), other && el('th', { scope: 'col' }, axis.name), ...times.bands.map((band) => el('th', { scope: 'col' }, band.name)))),
    el('tbody', {}, ...rows))));
}

const REFUSED = 'Two profiles are compared already: to compare two parts of a run, open its profile alone.';

// What is brushed: in a page that stands alone, of this view only.
function partsBrushed(app: App, route: Route): Part[] {
  return app.data.alone ? partsOf(route.parameters.part ?? '') : app.data.shown.parts;
}

// Seconds that are typed, for those who do not drag: one part, or a second one to compare with it.
function controls(app: App, times: Times, [first, second]: Part[], choose: Choose): HTMLElement {
  const end = Number((times.end_ns / SECOND).toFixed(3));
  const field = (name: string, value: number) => el('input', { type: 'number', 'aria-label': name, min: 0, max: end, step: 'any', required: true, value: String(value) }) as HTMLInputElement;
  const form = (names: [string, string], part: Part | undefined, text: string, button: string, after: string, isSecond: boolean) => {
    const [from, to] = [field(names[0], part ? part.from_ns / SECOND : 0), field(names[1], part ? part.to_ns / SECOND : end)];
    return el('form', { class: 'brush', submit: (event: Event) => {
      event.preventDefault();
      choose(Number(from.value), Number(to.value), isSecond);
    } }, text, from, ' to ', to, ' s ', el('button', { type: 'submit' }, button), after);
  };
  return el('div', {}, form(['from second', 'to second'], first, 'from ', app.data.alone ? 'show this part' : 'show this part everywhere', ' or drag over the bands', false),
    form(['second part: from', 'second part: to'], second, 'and from ', 'compare this part (b) with the first (a)', ' or drag with Shift held', true),
    app.data.alone && el('p', {}, `A part begins and ends at a step of ${amount(times.length_ns, 'ns')}, and has the figures of the bands only. ascribe view shows every table of any part.`),
    el('p', { class: 'error', role: 'alert' }));
}

// Parts begin and end where bands do: figures are of whole slices of the run.
function chooser(app: App, times: Times, refuse: (reason: string) => void, view = 'time'): Choose {
  const end = times.end_ns / SECOND, { alone } = app.data;
  return (from, to, second) => {
    const { parameters } = readRoute(), [first] = partsBrushed(app, readRoute());
    const part = partBetween(Math.max(0, from), Math.min(to, end + 1e-3));
    if (second && !alone && app.profiles.length > 1 && app.data.shown.parts.length < 2) return refuse(REFUSED);
    if (part.to_ns <= part.from_ns) return refuse('The part ends before it begins.');
    const text = partsText((second ? [first ?? partBetween(0, end + 1e-3), part] : [part]).map((one) => (alone ? snapped(times, one) : one)));
    if (!alone) keep('part', text);
    go(view, { ...parameters, part: text });
  };
}

export function time(app: App, route: Route): View {
  const element = el('section', { class: 'time' }), body = el('div', {}, 'reading...');
  let by = KINDS.some(([name]) => name === route.parameters.by) ? route.parameters.by : 'functions';
  const { alone, timedMetrics } = app.data, wanted = timedMetrics.find((name) => name === route.parameters.metric);
  const metric = metricOf(app.profiles[0], wanted), heading = el('h2', {}, metric.name, ' ');
  element.append(heading, body);
  let plot: uPlot | null = null;
  const draw = (all: Times) => {
    const times = withNobody(alone ? folded(all) : all), shown = alone ? partsBrushed(app, route).map((part) => snapped(times, part)) : app.data.shown.parts;
    const axes = axesOf(times, metric.kind === 'heap'), wall = axes[0], axis = axes.find(({ key }) => key === route.parameters.over) ?? wall;
    const kinds = KINDS.filter(([name]) => name === by || !(name === 'centres' && !times.centres || name === 'kinds' && !times.kinds));
    const place = el('div', { class: 'plot', role: 'img', 'aria-label': 'bands over time; the same stands below as a table' });
    if (timedMetrics.length > 1)
      heading.replaceChildren(choice('', timedMetrics.map((name) => [name, name]), metric.name, (name) => go('time', { ...route.parameters, metric: name }), 'metric of the bands'), ' ');
    heading.append(choice('over', axes.map(({ key, name }) => [key, name]), axis.key, (over) => go('time', { ...route.parameters, over }), 'what bands are drawn over'), ' ',
      choice('by ', kinds, by, (name) => go('time', { ...route.parameters, by: name }), 'whose bands'));
    const choose = chooser(app, times, (reason) => { body.querySelector('[role=alert]')!.textContent = reason; });
    const threads = el('div', {});
    if (by === 'functions' && metric.kind === 'cpu' && app.profiles[0].threads.length > 1)
      tracks(app, times, shown, painter(times), choose).then((list) => threads.replaceChildren(list ?? ''), (error: Error) => { threads.textContent = error.message; });
    body.replaceChildren(controls(app, times, shown, choose), threads, place, legend(times), alone && shown.length ? brushed(withNobody(all), shown, metric, route) : '', table(times, axis, wall));
    const sums = stacked(valuesOf(times, axis));
    const data = [axis.ends, ...[...sums].reverse().map((band) => [...band, band[band.length - 1]])];
    requestAnimationFrame(() => {
      plot = new uPlot(options(times, axis, wall, Math.max(place.clientWidth, 300), shown, choose), data as uPlot.AlignedData, place);
    });
  };
  const ask = () => app.data.times({ by, metric: alone ? metric.name : undefined });
  ask().catch((error) => { // kinds of a metric that has none: another metric was chosen
    if (by === 'functions') throw error;
    by = 'functions';
    return ask();
  }).then((times) => (times.bands.length ? draw(times) : body.replaceChildren('nothing was measured')),
    (error) => body.replaceChildren(el('p', { class: 'error' }, error.message)));
  return { element, title: 'Time', closed: () => plot?.destroy() };
}
