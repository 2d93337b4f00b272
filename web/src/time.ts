// What was measured when: bands by function, cost centre or thread over the run. Brushing a part of it
// makes every figure of every view one of that part; brushing a second one compares the two.

import uPlot from 'uplot';
import type { App, View } from './app';
import { metricOf } from './app';
import type { Part, Times } from './data';
import { choice, el } from './dom';
import { amount } from './format';
import { address, go, keep, readRoute, type Route } from './route';

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
const NOBODY = 'profiling or not sampled', OTHERS = 'others', LEAST_OF_CPU = 0.01;

function withNobody(times: Times): Times {
  const sums = times.cpu_ns.map((_, part) => times.bands.reduce((sum, band) => sum + band.amounts[part], 0));
  const rest = times.cpu_ns.map((cpu, part) => Math.max(0, cpu - sums[part])), of = (list: number[]) => list.reduce((a, b) => a + b, 0);
  return of(rest) <= LEAST_OF_CPU * of(times.cpu_ns) ? times : { ...times, bands: [...times.bands, { name: NOBODY, amounts: rest }] };
}

function colour(times: Times, i: number): string {
  const { name, function: id } = times.bands[i];
  if (id === undefined && name === NOBODY) return 'hsl(0 0% 82%)';
  return id === undefined && name === OTHERS ? 'hsl(0 0% 62%)' : `hsl(${(i * GOLDEN_ANGLE + 210) % 360} 55% ${i % 2 ? 60 : 48}%)`;
}

// Of a time: how many processors it kept busy; else the amount itself.
function valuesOf(times: Times): number[][] {
  const last = times.bands.length ? times.bands[0].amounts.length - 1 : 0;
  const lengthOf = (part: number) => (part === last ? times.end_ns - times.from_ns - part * times.length_ns : times.length_ns);
  return times.bands.map((band) => band.amounts.map((value, part) => (times.unit === 'ns' ? value / lengthOf(part) : value)));
}

function textOf(times: Times, value: number): string {
  return times.unit === 'ns' ? `${value.toFixed(2)} CPUs` : amount(value, times.unit);
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

function options(times: Times, width: number, shown: Part[], choose: Choose): uPlot.Options {
  let second = false; // Shift was held where the drag began
  const style = getComputedStyle(document.documentElement), css = (name: string) => style.getPropertyValue(name).trim();
  const ink = css('--ink'), grid = { stroke: css('--line'), width: 1 };
  return {
    width, height: HEIGHT, legend: { show: false }, cursor: { drag: { x: true, y: false, setScale: false } },
    scales: { x: { time: false }, y: { range: (_, __, most) => [0, most > 0 ? most * 1.05 : 1] } },
    axes: [{ stroke: ink, grid, label: 'seconds since the start' },
      { stroke: ink, grid, size: 80, values: (_, values) => values.map((value) => (value === null ? '' : times.unit === 'ns' ? String(value) : amount(value, times.unit))) }],
    series: [{}, ...[...times.bands.keys()].reverse().map((i) => {
      const fill = colour(times, i);
      return { fill, stroke: fill, width: 1, points: { show: false }, paths: uPlot.paths.stepped!({ align: 1 }) };
    })],
    hooks: {
      init: [(plot) => plot.over.addEventListener('mousedown', (event) => { second = event.shiftKey; })],
      draw: [(plot) => { // what is not shown elsewhere is paler
        if (!shown.length) return;
        const { ctx, bbox } = plot, end = bbox.left + bbox.width;
        const at = (ns: number) => Math.min(end, Math.max(bbox.left, plot.valToPos(ns / SECOND, 'x', true)));
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
        if (plot.select.width > 2)
          choose(plot.posToVal(plot.select.left, 'x'), plot.posToVal(plot.select.left + plot.select.width, 'x'), second);
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
    return el('li', {}, swatch, ' ', band.function ? el('a', { href: address('calls', { id: band.function }) }, band.name) : band.name, ' ', said);
  }));
}

function table(times: Times): HTMLElement {
  const values = valuesOf(times);
  const rows = (times.bands[0]?.amounts ?? []).map((_, part) => el('tr', {},
    el('th', { scope: 'row' }, `${((times.from_ns + part * times.length_ns) / SECOND).toFixed(3)} s`),
    ...values.map((band) => el('td', { class: 'number' }, band[part] ? textOf(times, band[part]) : '0'))));
  return el('details', {}, el('summary', {}, 'as a table'), el('div', { class: 'wide' }, el('table', {},
    el('caption', { class: 'hidden' }, 'the figures of the bands'),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'from'), ...times.bands.map((band) => el('th', { scope: 'col' }, band.name)))),
    el('tbody', {}, ...rows))));
}

const REFUSED = 'Two profiles are compared already: to compare two parts of a run, open its profile alone.';

// Seconds that are typed, for those who do not drag: one part, or a second one to compare with it.
function controls(app: App, times: Times, choose: Choose): HTMLElement {
  const end = Number((times.end_ns / SECOND).toFixed(3)), [first, second] = app.data.parts;
  const field = (name: string, value: number) => el('input', { type: 'number', 'aria-label': name, min: 0, max: end, step: 'any', required: true, value: String(value) }) as HTMLInputElement;
  const form = (names: [string, string], part: Part | undefined, text: string, button: string, after: string, isSecond: boolean) => {
    const [from, to] = [field(names[0], part ? part.from_ns / SECOND : 0), field(names[1], part ? part.to_ns / SECOND : end)];
    return el('form', { class: 'brush', submit: (event: Event) => {
      event.preventDefault();
      choose(Number(from.value), Number(to.value), isSecond);
    } }, text, from, ' to ', to, ' s ', el('button', { type: 'submit' }, button), after);
  };
  return el('div', {}, form(['from second', 'to second'], first, 'from ', 'show this part everywhere', ' or drag over the bands', false),
    form(['second part: from', 'second part: to'], second, 'and from ', 'compare this part (b) with the first (a)', ' or drag with Shift held', true),
    el('p', { class: 'error', role: 'alert' }));
}

// Parts begin and end where bands do: figures are of whole slices of the run.
function chooser(app: App, times: Times, refuse: (reason: string) => void): Choose {
  const end = times.end_ns / SECOND;
  return (from, to, second) => {
    const part = partBetween(Math.max(0, from), Math.min(to, end + 1e-3)), [first] = app.data.parts;
    if (second && app.profiles.length > 1 && app.data.parts.length < 2) return refuse(REFUSED);
    if (part.to_ns <= part.from_ns) return refuse('The part ends before it begins.');
    keep('part', partsText(second ? [first ?? partBetween(0, end + 1e-3), part] : [part]));
    go('time', readRoute().parameters);
  };
}

export function time(app: App, route: Route): View {
  const element = el('section', { class: 'time' }), body = el('div', {}, 'reading...');
  const by = KINDS.some(([name]) => name === route.parameters.by) ? route.parameters.by : 'functions';
  const heading = el('h2', {}, `${metricOf(app.profiles[0]).name} over time`, ' ');
  element.append(heading, body);
  let plot: uPlot | null = null;
  const draw = (times: Times) => {
    const kinds = KINDS.filter(([name]) => name === by || !(name === 'centres' && !times.centres || name === 'kinds' && !times.kinds));
    const place = el('div', { class: 'plot', role: 'img', 'aria-label': 'bands over time; the same stands below as a table' });
    heading.append(choice('by ', kinds, by, (name) => go('time', { ...route.parameters, by: name }), 'whose bands'));
    const choose = chooser(app, times, (reason) => { body.querySelector('[role=alert]')!.textContent = reason; });
    body.replaceChildren(controls(app, times, choose), place, legend(times), table(times));
    const sums = stacked(valuesOf(times)), x = sums[0].map((_, part) => (times.from_ns + part * times.length_ns) / SECOND);
    const data = [[...x, times.end_ns / SECOND], ...[...sums].reverse().map((band) => [...band, band[band.length - 1]])];
    requestAnimationFrame(() => {
      plot = new uPlot(options(times, Math.max(place.clientWidth, 300), app.data.parts, choose), data as uPlot.AlignedData, place);
    });
  };
  app.data.times({ by }).then((times) => (times.bands.length ? draw(withNobody(times)) : body.replaceChildren('nothing was measured')),
    (error) => body.replaceChildren(el('p', { class: 'error' }, error.message)));
  return { element, title: 'Time', closed: () => plot?.destroy() };
}
