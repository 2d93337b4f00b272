// The functions around one, as a graph: those that most time passes to come first, then those with most calls.

import dagre from '@dagrejs/dagre';
import { functionAddress, type App } from './app';
import type { Row } from './data';
import { el, svg } from './dom';
import { amount, count, some } from './format';
import { heatClass } from './heat';
import { shortened } from './names';

const weight = (arc: Row) => Number(arc.in_ns ?? 0) + Number(arc.calls ?? 0) * 1e-9;

type Found = { ids: Set<number>; arcs: Map<string, Row> };

// Through calls that took time, or through all that were counted. Those with time come first.
async function collectBy(app: App, id: number, most: number, timed: boolean, { ids, arcs }: Found): Promise<void> {
  const seen = new Set([id]), by = timed ? 'in_ns' : 'calls';
  let frontier = [id];
  for (let step = 0; step < 4 && frontier.length && ids.size < most; step++) {
    const list = frontier.join(',');
    const [up, down] = await Promise.all([
      step < 2 ? app.data.table('arcs', { 'is.callee': list, sort: by, limit: 400 }) : { rows: [] as Row[] },
      app.data.table('arcs', { 'is.caller': list, sort: by, limit: 400 })]);
    frontier = [];
    for (const arc of [...up.rows, ...down.rows].filter((arc) => Number(arc[by] ?? 0) > 0).sort((a, b) => weight(b) - weight(a))) {
      if (arc.caller === null) continue;
      for (const end of [Number(arc.caller), Number(arc.callee)]) {
        if (!ids.has(end) && ids.size < most) ids.add(end);
        if (ids.has(end) && !seen.has(end)) { seen.add(end); frontier.push(end); }
      }
      if (ids.has(Number(arc.caller)) && ids.has(Number(arc.callee))) arcs.set(arc.caller + '>' + arc.callee, arc);
    }
  }
}

async function collect(app: App, id: number, most: number): Promise<{ ids: Set<number>; arcs: Row[] }> {
  const found: Found = { ids: new Set([id]), arcs: new Map() };
  for (const timed of [true, false]) if (found.ids.size < most) await collectBy(app, id, most, timed, found);
  return { ids: found.ids, arcs: [...found.arcs.values()] };
}

const cut = (name: string) => shortened(name, 28);

// Calls by itself are in no arc.
function toItself(row: Row): Row {
  return { caller: row.id, callee: row.id, caller_name: row.name, callee_name: row.name, calls: row.recursive_calls, least_calls: null, most_calls: null, in_ns: null };
}

function times(row: Row, unit: string): string {
  return `${amount(row.self_ns, unit)} / ${amount(row.total_ns, unit)}`;
}

export async function drawNeighbourhood(app: App, id: number, most: number, place: HTMLElement): Promise<void> {
  const { ids, arcs } = await collect(app, id, most);
  await drawGraph(app, ids, arcs, id, place);
  if (ids.size >= most) place.lastElementChild?.append(': more are not drawn');
}

// The calls among some functions.
export async function drawAmong(app: App, ids: number[], place: HTMLElement): Promise<void> {
  const list = ids.slice(0, 200).join(',');
  const { rows } = await app.data.table('arcs', { 'is.caller': list, 'is.callee': list, sort: 'in_ns', limit: 1000 });
  await drawGraph(app, new Set(ids.slice(0, 200)), rows, 0, place);
}

async function drawGraph(app: App, ids: Set<number>, arcs: Row[], id: number, place: HTMLElement): Promise<void> {
  const { rows } = await app.data.table('functions', { 'is.id': [...ids].join(','), limit: 400 });
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'TB', nodesep: 14, ranksep: 34, marginx: 6, marginy: 6 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const row of rows)
    graph.setNode(String(row.id), { row, height: 36,
      width: 16 + Math.max(7.4 * cut(String(row.name)).length, 6.4 * times(row, app.unit).length) });
  const label = (arc: Row) => (arc.calls === null ? '' : ((arc.least_calls ?? null) === null || arc.least_calls === arc.most_calls ? '' : '~') + count(arc.calls));
  for (const arc of [...arcs, ...rows.filter((row) => row.recursive_calls).map(toItself)])
    if (graph.hasNode(String(arc.caller)) && graph.hasNode(String(arc.callee)))
      graph.setEdge(String(arc.caller), String(arc.callee), { arc, labelpos: 'c', width: 4 + 6.2 * label(arc).length, height: label(arc) ? 14 : 0 });
  dagre.layout(graph);
  const { width = 100, height = 100 } = graph.graph() as { width?: number; height?: number };
  const largest = Math.max(...rows.map((row) => Number(row.self_ns ?? 0)));
  const widest = Math.max(1, ...arcs.map((arc) => Number(arc.in_ns ?? 0)));
  const lines = graph.edges().map((edge) => {
    const { points, arc, x, y } = graph.edge(edge) as { points: { x: number; y: number }[]; arc: Row; x: number; y: number };
    const path = svg('path', { class: 'arc', 'marker-end': 'url(#tip)', 'stroke-width': 1 + (3 * Number(arc.in_ns ?? 0)) / widest,
      d: 'M' + points.map((point) => `${point.x.toFixed(1)},${point.y.toFixed(1)}`).join('L') },
      svg('title', {}, `${arc.caller_name} \u2192 ${arc.callee_name}: ${count(arc.calls)} calls, ${amount(arc.in_ns, app.unit)}`));
    return svg('g', {}, path, label(arc) ? svg('text', { class: 'small count', x, y: y + 4, 'text-anchor': 'middle' }, label(arc)) : '');
  });
  const boxes = graph.nodes().map((key) => {
    const node = graph.node(key) as any as { row: Row; x: number; y: number; width: number; height: number };
    const { row } = node;
    return svg('a', { href: functionAddress(row.name, row.id), class: Number(row.id) === id ? 'node own' : 'node', 'aria-label': String(row.name) },
      svg('title', {}, String(row.name)),
      svg('rect', { class: heatClass(Number(row.self_ns ?? 0), largest) || 'cold', x: node.x - node.width / 2, y: node.y - node.height / 2, width: node.width, height: node.height, rx: 4 }),
      svg('text', { x: node.x, y: node.y - 3, 'text-anchor': 'middle' }, cut(String(row.name))),
      svg('text', { x: node.x, y: node.y + 12, 'text-anchor': 'middle', class: 'small' }, times(row, app.unit)));
  });
  const canvas = el('div', { class: 'canvas' }, svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': 'graph of calls around the function' },
      svg('defs', {}, svg('marker', { id: 'tip', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: 'userSpaceOnUse', orient: 'auto' },
        svg('path', { d: 'M0,0L8,4L0,8z', class: 'tip' }))), ...lines, ...boxes));
  place.replaceChildren(canvas,
    el('p', { class: 'status' }, `${some(rows.length, 'function')}, self / total time`));
  const own = graph.node(String(id)) as any as { x: number; y: number } | undefined;
  if (own) canvas.scrollTo(own.x - canvas.clientWidth / 2, own.y - canvas.clientHeight / 2);
}
