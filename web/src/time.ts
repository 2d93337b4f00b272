// What was measured when: bands by function, cost centre or thread over the run. Brushing a part of it
// makes every figure of every view one of that part.

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

// "2-5": seconds. Anything else is the whole run.
export function partOf(text: string): Part {
  const [from, to] = text.split('-').map(Number), part = { from_ns: Math.round(from * SECOND), to_ns: Math.round(to * SECOND) };
  return part.from_ns >= 0 && part.to_ns > part.from_ns ? part : { from_ns: 0, to_ns: 0 };
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

function options(times: Times, width: number, shown: Part, choose: (from: number, to: number) => void): uPlot.Options {
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
      draw: [(plot) => { // what is not shown elsewhere is paler
        if (!shown.to_ns) return;
        const { ctx, bbox } = plot, at = (ns: number) => plot.valToPos(ns / SECOND, 'x', true);
        ctx.fillStyle = css('--page');
        ctx.globalAlpha = 0.65;
        const from = Math.max(at(shown.from_ns), bbox.left), to = Math.min(at(shown.to_ns), bbox.left + bbox.width);
        ctx.fillRect(bbox.left, bbox.top, Math.max(0, from - bbox.left), bbox.height);
        ctx.fillRect(to, bbox.top, Math.max(0, bbox.left + bbox.width - to), bbox.height);
        ctx.globalAlpha = 1;
      }],
      setSelect: [(plot) => {
        if (plot.select.width > 2)
          choose(plot.posToVal(plot.select.left, 'x'), plot.posToVal(plot.select.left + plot.select.width, 'x'));
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

// Parts begin and end where bands do: figures are of whole slices of the run.
function controls(times: Times, shown: Part): HTMLElement {
  const end = times.end_ns / SECOND;
  const field = (name: string, value: number) => el('input', { type: 'number', 'aria-label': name, min: 0, max: end, step: 'any', value: String(value) }) as HTMLInputElement;
  const from = field('from second', shown.to_ns ? shown.from_ns / SECOND : 0), to = field('to second', shown.to_ns ? shown.to_ns / SECOND : Number(end.toFixed(3)));
  return el('form', { class: 'brush', submit: (event: Event) => {
    event.preventDefault();
    showPart(Number(from.value), Number(to.value), end);
  } }, 'from ', from, ' to ', to, ' s ', el('button', { type: 'submit' }, 'show this part everywhere'), ' or drag over the bands');
}

function showPart(from: number, to: number, end: number): void {
  const part = { from_ns: Math.max(0, Math.round(from * SECOND)), to_ns: Math.round(Math.min(to, end + 1e-3) * SECOND) };
  if (part.to_ns <= part.from_ns) return;
  keep('part', partText(part));
  go('time', readRoute().parameters);
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
    body.replaceChildren(controls(times, app.data.part), place, legend(times), table(times));
    const sums = stacked(valuesOf(times)), x = sums[0].map((_, part) => (times.from_ns + part * times.length_ns) / SECOND);
    const end = times.end_ns / SECOND;
    const data = [[...x, end], ...[...sums].reverse().map((band) => [...band, band[band.length - 1]])];
    requestAnimationFrame(() => {
      plot = new uPlot(options(times, Math.max(place.clientWidth, 300), app.data.part, (from, to) => showPart(from, to, end)), data as uPlot.AlignedData, place);
    });
  };
  app.data.times({ by }).then((times) => (times.bands.length ? draw(withNobody(times)) : body.replaceChildren('nothing was measured')),
    (error) => body.replaceChildren(el('p', { class: 'error' }, error.message)));
  return { element, title: 'Time', closed: () => plot?.destroy() };
}
