// One function between its callers and its callees, with the two sides of each arc's time; and its
// neighbourhood as a graph.

import type { App, View } from './app';
import { listed, type Query, type Row } from './data';
import { doubt, functionAddress, functionLink, objectBadge, placeLink, textCell, textOf } from './app';
import { chipLink, stacksOf } from './chips';
import { fillCode } from './code';
import { callsCell, callsText, dialOf, holdAgain } from './dial';
import { el } from './dom';
import { amount, baseName, count, measured, place, some } from './format';
import { drawAmong, drawNeighbourhood } from './graph';
import { chainOf } from './names';
import { plotOf } from './plot';
import { isJob } from './ranks';
import { address, amend, go, readRoute, type Route } from './route';
import { errorColumn, figureColumn, Table, withCosts, type Column } from './table';
import { CallTree } from './tree';

const MOST_CYCLES = 1000, MOST_OF_A_NAME = 100;

function arcColumns(app: App, end: 'caller' | 'callee'): Column[] {
  const time = (key: string, title: string, help: string): Column => figureColumn(key, title, help, 'in_ns');
  return withCosts(app, [
    { key: end + '_name', title: end === 'caller' ? 'caller' : 'callee', text: (row) => String(row[end + '_name']),
      cell: (row) => el('span', {}, functionLink(String(row[end + '_name']), row[end]), doubt(row)) },
    { key: 'calls', title: 'calls', number: true, text: callsText, cell: callsCell },
    time('out_self_ns', 'out self', 'time in the callee while this was the caller\u2019s last call'),
    time('out_child_ns', 'out child', 'time below the callee while this was the caller\u2019s last call'),
    time('in_self_ns', 'in self', 'time in the callee while this call led to it'),
    time('in_child_ns', 'in child', 'time below the callee while this call led to it'),
    errorColumn('in', 'in 95 %'),
  ]).filter(({ key }) => key !== 'calls' || app.profiles[0].counts.calls);
}

function arcTable(app: App, id: string, end: 'caller' | 'callee'): HTMLElement {
  const table = new Table({
    caption: end === 'caller' ? 'callers' : 'callees', columns: arcColumns(app, end), unit: app.unit, sort: !app.whole ? 'calls' : end === 'caller' ? 'in_ns' : 'out_ns', up: false,
    load: (query) => app.data.table('arcs', { ...query, [end === 'caller' ? 'is.callee' : 'is.caller']: id }),
    open: (row) => { if (row[end] !== null) location.hash = functionAddress(row[end + '_name'], row[end]); },
  });
  table.reload();
  return el('div', { class: 'half' }, el('h3', {}, end === 'caller' ? 'Called by' : 'Calls'), table.element);
}

function siteTable(app: App, id: string): HTMLElement {
  const table = new Table({
    caption: 'call sites', sort: 'calls', up: false,
    columns: withCosts(app, [{ key: 'file', title: 'call site', text: (row) => place(row), cell: (row) => placeLink(row, place(row) || '?') },
      { key: 'text', title: 'text', unsorted: true, spare: 1100, text: textOf, cell: (row) => textCell(row, true) },
      { key: 'caller_name', title: 'in', text: (row) => String(row.caller_name), cell: (row) => el('span', {}, functionLink(String(row.caller_name), row.caller), doubt(row)) },
      { key: 'calls', title: 'calls', number: true, text: callsText, cell: callsCell },
      figureColumn('total_ns', 'total', 'time of what was called there; calls of one function on one line share it; -: no tick fell there'), errorColumn('total')]), unit: app.unit,
    load: (query) => app.data.table('sites', { ...query, 'is.callee': id }),
  });
  table.reload();
  return el('div', { class: 'half' }, el('h3', {}, 'Call sites that called it'), table.element);
}

// The cycle of these functions, one a line, whichever of them comes first.
async function cycleOf(app: App, names: string): Promise<Row | undefined> {
  const list = listed(names), turned = list.map((_, i) => [...list.slice(i), ...list.slice(0, i)].join('\n'));
  const { rows } = await app.data.table('cycles', { filter: list[0], limit: MOST_CYCLES });
  return rows.find((row) => turned.includes(String(row.names)));
}

// Each of its functions with its call of the next.
async function fillCycle(app: App, names: string, element: HTMLElement): Promise<void> {
  const { data, unit } = app, one = await cycleOf(app, names);
  if (!one) { element.replaceChildren(el('p', { class: 'error' }, `The profile has no cycle ${chainOf(names)}.`)); return; }
  const id = String(one.id);
  const time = (key: string, title: string, help: string): Column => ({ key, title, help, number: true, text: (row) => amount(row[key], unit) });
  const table = new Table({
    caption: 'functions of the cycle, in the order of the calls', sort: 'position', up: true,
    columns: [{ key: 'function_name', title: 'function', unsorted: true, text: (row) => String(row.function_name), cell: (row) => functionLink(String(row.function_name), row.function) },
      time('self_ns', 'self', 'of the function, inside and outside of the cycle'), time('total_ns', 'total', 'of the function, inside and outside of the cycle'),
      { key: 'next_name', title: 'calls the next', unsorted: true, text: (row) => String(row.next_name), cell: (row) => functionLink(String(row.next_name), row.next) },
      { key: 'calls', title: 'calls', number: true, help: 'all calls from the one to the other', text: (row) => count(row.calls) },
      time('out_ns', 'out', 'what the caller spent through these calls'), time('in_ns', 'in', 'what the callee received through them')],
    load: (query) => data.table('cycle_functions', { ...query, 'is.cycle': id }),
    open: (row) => { if (row.function !== null) location.hash = functionAddress(row.function_name, row.function); },
  });
  table.reload();
  const members = await data.table('cycle_functions', { 'is.cycle': id, sort: 'position', limit: 5000 });
  const graph = el('div', { class: 'graph' });
  element.replaceChildren(
    el('div', { class: 'head' }, el('h2', {}, `Cycle of ${some(one.functions, 'function')}`),
      el('p', {}, one.calls !== null ? `${count(one.calls)} calls closed it: they called a function that was active already. `
        : `Seen on the stacks of ${count(one.ticks)} ticks; its calls were not counted. `,
      el('a', { href: address('summary', { kind: 'cycles' }) }, 'all cycles'))),
    el('div', { class: 'half' }, table.element), el('div', {}, el('h3', {}, 'Calls among them'), graph));
  const ids = members.rows.map((row) => row.function).filter((member) => member !== null).map(Number);
  await drawAmong(app, [...new Set(ids)], graph);
}

async function cyclesOf(app: App, id: string): Promise<HTMLElement | null> {
  const { rows } = await app.data.table('in_cycles', { 'is.function': id, sort: 'cycle', up: 1, limit: 20 });
  const ids = [...new Set(rows.map((row) => row.cycle))];
  if (!ids.length) return null;
  const { rows: cycles } = await app.data.table('cycles', { 'is.id': ids.join(','), sort: 'id', up: 1 });
  return el('p', { title: 'A cycle happened where a call reached a function that was already active. gprof also reports cycles that the call graph allows but that did not happen; those are not shown.' },
    'In cycles that happened (gprof reports those that could): ', ...cycles.flatMap((cycle, i) => [i ? ', ' : '',
    el('a', { href: address('calls', { cycle: cycle.names }), title: chainOf(cycle.names) }, cycle.calls === null ? `seen in ${count(cycle.ticks)} ticks` : `closed ${count(cycle.calls)} times`)]));
}

// Along the runs of a merged profile, or with the size of the input.
async function plotFor(app: App, id: string): Promise<HTMLElement | null> {
  const growth = app.data.sizes.length > 1;
  if (!growth && app.profiles[0].runs < 2) return null;
  return plotOf(app, await app.data.series({ of: growth ? 'growth' : 'runs', id }), growth ? 'With the size of the input' : 'Over the runs');
}

const TREE_WIDTH = 2000; // rows of at least a part of 1 in twice as many

// Who called it, from where, out to the start; or what it called.
async function fillTree(app: App, id: string, up: boolean, place: HTMLElement): Promise<void> {
  const flame = await stacksOf(app, { around: id, up: up ? 1 : 0, width: TREE_WIDTH });
  if (!flame.root_ns) return place.replaceChildren(el('p', { class: 'faint' }, 'No time is known by stack here.'));
  const tree = new CallTree(app, up ? 'who called it' : 'what it called', up, (of) => flame.names[of] ?? '?');
  tree.show(flame);
  place.replaceChildren(tree.element);
}

// The tree beside the function's own source and machine code.
function closeUp(app: App, route: Route, one: Row): HTMLElement {
  const id = String(one.id), name = String(one.name), up = route.parameters.tree !== 'calls', [tree, text, code] = [0, 1, 2].map(() => el('div', { class: 'loading' }));
  const filled = fillTree(app, id, up, tree).catch((error: Error) => tree.replaceChildren(el('p', { class: 'error' }, error.message)));
  fillCode(app, one, text, code, filled);
  const turn = el('a', { class: 'small', href: address('calls', { ...route.parameters, name, id, tree: up ? 'calls' : null }) }, up ? 'what it called' : 'who called it');
  return el('div', { class: 'close-up' },
    el('section', {}, el('h3', {}, up ? 'Who called it, and from where ' : 'What it called ', turn), tree),
    el('section', {}, el('h3', {}, 'Source and machine code ', el('span', { class: 'small faint' }, 'point at a line: its instructions light up')), text, code));
}

// Where a function is, for addresses of one that shares its name.
const whereOf = (row: Row) => String(row.file ?? row.object ?? '') + (row.line ? ':' + row.line : '');

// The function of the address, and whether others have its name: of its number if that still has its name; else the one of
// its name where the address says, or the costliest of them.
async function functionOf(app: App, { id, name, at }: Route['parameters']): Promise<[Row | undefined, boolean]> {
  const of = async (query: Query) => (await app.data.table('functions', { ...query, sort: 'self_ns', limit: MOST_OF_A_NAME })).rows.filter((row) => row.id !== null);
  if (!name && !id) return [(await of({}))[0], true];
  const numbered = id ? (await of({ 'is.id': id })).find((row) => !name || row.name === name) : undefined;
  if (!numbered && !name) return [undefined, false];
  const same = await of({ 'is.name': name ?? String(numbered!.name) });
  return [numbered ?? same.find((row) => whereOf(row) === at) ?? same.find((row) => at?.startsWith(`${row.file}:`)) ?? same[0], same.length > 1];
}

function shownStill(route: Route): boolean {
  const { view, parameters } = readRoute();
  return view === 'calls' && ['id', 'name', 'at', 'cycle'].every((name) => parameters[name] === route.parameters[name]);
}

// All views of what it takes part in, or of the rest; stacks without its frames.
function transforms(app: App, one: Row): (HTMLElement | string)[] {
  const name = String(one.name), object = one.object === null ? '' : String(one.object);
  return [chipLink(app, 'below', name, 'focus on it', 'all views: only while it was active (f)'), ' ', chipLink(app, 'without', name, 'ignore it', 'all views: only while it was not active (x)'), ' ',
    chipLink(app, 'merge', name, 'merge into callers', 'in stacks: its time is its caller\u2019s (m)'), ' ',
    isJob(app) && !app.data.shown.ranks ? el('a', { class: 'chip-link', href: address('ranks', { name }), title: 'how much of it each rank of the job has' }, 'over the ranks') : '', ' ',
    object ? chipLink(app, 'collapse', object, `collapse ${baseName(object)}`, 'in stacks: one frame for what it calls of itself (o)') : ''];
}

async function fill(app: App, route: Route, element: HTMLElement): Promise<void> {
  const { unit } = app;
  if (route.parameters.cycle) { await fillCycle(app, route.parameters.cycle, element); return; }
  const [one, shared] = await functionOf(app, route.parameters);
  if (!one) { element.replaceChildren(el('p', { class: 'error' }, route.parameters.name ? `The profile has no function ${route.parameters.name}.` : 'The profile has no such function.')); return; }
  const id = String(one.id);
  if (shownStill(route)) amend(route, { id: null, name: String(one.name), at: shared ? whereOf(one) : null });
  const graph = el('div', { class: 'graph' });
  const size = Number(route.parameters.nodes ?? 30);
  const again = () => fill(app, route, element).catch((error) => element.replaceChildren(el('p', { class: 'error' }, error.message)));
  const cycles = el('div'), [plot, dial] = await Promise.all([plotFor(app, id), dialOf(app, id, again)]);
  cyclesOf(app, id).then((found) => { if (found) cycles.replaceChildren(found); }, (error: Error) => cycles.replaceChildren(el('p', { class: 'error' }, error.message)));
  element.replaceChildren(
    el('div', { class: 'head' }, el('h2', { class: 'clamped', title: String(one.name) }, String(one.name)),
      el('p', {}, one.calls === null ? 'calls not counted' : some(one.calls, 'call'), one.recursive_calls ? ` (${count(one.recursive_calls)} by itself)` : '',
        one.self_ns || one.total_ns !== null ? `, self ${measured(one, 'self', unit)}`
          + (one.total_ns !== null ? `, total ${measured(one, 'total', unit)}` : ', total not known') : '', '. ',
        placeLink(one, place(one)), ' ', objectBadge(one), ' ',
        el('a', { href: address('flame', { focus: String(one.name) }) }, 'flame graph of it'), ' ', ...transforms(app, one)), cycles),
    app.whole ? closeUp(app, route, one) : '',
    el('div', { class: 'butterfly' }, arcTable(app, id, 'caller'), arcTable(app, id, 'callee')),
    dial ?? '', one.calls !== null ? siteTable(app, id) : '', plot ?? '',
    el('div', {}, el('h3', {}, 'Neighbourhood ', el('label', { class: 'small' }, 'at most ',
        el('input', { type: 'number', min: 2, max: 200, value: size, change: (event: Event) =>
          go('calls', { ...route.parameters, nodes: (event.target as HTMLInputElement).value }) }), ' functions')), graph));
  holdAgain(element);
  await drawNeighbourhood(app, Number(id), Math.max(2, Math.min(200, size || 30)), graph);
}

export function calls(app: App, route: Route): View {
  const element = el('section', { class: 'calls-view' });
  fill(app, route, element).catch((error) => element.replaceChildren(el('p', { class: 'error' }, error.message)));
  return { element, title: 'calls' };
}
