// Figures along an axis, with uPlot: over time, or with the size of the input. The same figures
// stand below as a table.

import uPlot from 'uplot';
import type { App } from './app';
import type { Row, Series } from './data';
import { choice, el } from './dom';
import { amount, count, uncertainty } from './format';

const FIGURES: [string, string][] = [['total_ns', 'total time'], ['self_ns', 'self time'], ['calls', 'calls']];

const known = (series: Series, key: string) => series.rows.some((row) => Number(row[key] ?? 0) > 0);
const errorOf = (key: string) => key.replace('_ns', '_uncertainty_ns');

function when(axis: Series['axis'], x: number): string {
  return axis === 'n' ? 'n = ' + count(x) : new Date(x / 1e6).toISOString().slice(0, 19).replace('T', ' ');
}

function options(app: App, series: Series, key: string, width: number): uPlot.Options {
  const style = getComputedStyle(document.documentElement), colour = (name: string) => style.getPropertyValue(name).trim();
  const log = series.axis === 'n', ink = colour('--ink'), sizes = [...new Set(series.rows.map((row) => Number(row.x)))], grid = { stroke: colour('--line'), width: 1 };
  const text = (value: number | null) => (value === null ? '' : key === 'calls' ? count(value) : amount(value, app.unit));
  const bars = (plot: uPlot) => { // 95 %
    const { ctx } = plot;
    ctx.strokeStyle = colour('--accent');
    ctx.beginPath();
    for (const row of series.rows) {
      const y = Number(row[key]), error = Number(row[errorOf(key)] ?? 0);
      if (key === 'calls' || row[key] === null || !error) continue;
      const x = plot.valToPos(log ? Number(row.x) : Number(row.x) / 1e9, 'x', true), low = log ? Math.max(y - error, y / 100) : y - error;
      ctx.moveTo(x, plot.valToPos(low, 'y', true));
      ctx.lineTo(x, plot.valToPos(y + error, 'y', true));
    }
    ctx.stroke();
  };
  return {
    width, height: 220, legend: { show: false }, cursor: { drag: { x: false, y: false } },
    scales: { x: { time: !log, distr: log ? 3 : 1 }, y: { distr: log ? 3 : 1 } },
    axes: [{ stroke: ink, grid, splits: log ? () => sizes : undefined, filter: log ? (_, splits) => splits : undefined, values: log ? (_, values) => values.map((value) => (value === null ? '' : count(value))) : undefined },
      { stroke: ink, grid, size: 80, values: (_, values) => values.map(text) }],
    series: [{}, { stroke: colour('--accent'), width: 2, points: { show: true, size: 7, fill: colour('--accent') } }],
    hooks: { draw: [bars] },
  };
}

function table(app: App, series: Series, key: string): HTMLElement {
  const text = (row: Row) => (key === 'calls' ? count(row[key]) : `${amount(row[key], app.unit)} ${uncertainty(row[key], row[errorOf(key)], app.unit)}`);
  return el('details', {}, el('summary', {}, 'as a table'), el('table', {}, el('caption', { class: 'hidden' }, 'the figures of the plot'),
    el('tbody', {}, ...series.rows.map((row) => el('tr', {}, el('th', { scope: 'row' }, when(series.axis, Number(row.x))), el('td', { class: 'number' }, text(row)))))));
}

// Null where there are no two points.
export function plotOf(app: App, series: Series, title: string): HTMLElement | null {
  const figures = FIGURES.filter(([key]) => known(series, key));
  if (series.rows.length < 2 || !figures.length) return null;
  const place = el('div', { class: 'plot', role: 'img', 'aria-label': title }), below = el('div', {});
  let plot: uPlot | null = null;
  const draw = (key: string) => {
    const log = series.axis === 'n';
    const values = series.rows.map((row) => (row[key] === null || (log && !(Number(row[key]) > 0)) ? null : Number(row[key])));
    plot?.destroy();
    plot = new uPlot(options(app, series, key, Math.max(place.clientWidth, 300)),
      [series.rows.map((row) => (log ? Number(row.x) : Number(row.x) / 1e9)), values], place);
    below.replaceChildren(table(app, series, key));
  };
  requestAnimationFrame(() => draw(figures[0][0])); // it is in the document then
  return el('div', {}, el('h3', {}, title, ' ', choice('', figures, figures[0][0], draw, 'figure that is plotted')), place, below);
}
