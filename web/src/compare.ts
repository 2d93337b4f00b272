// Two profiles, entry by entry, with what only one of them has.

import type { App, View } from './app';
import type { Row, Rows } from './data';
import { callText, functionAddress, functionLink, metricOf, placeLink, textCell, textOf } from './app';
import { comparable, comparedText, comparingControls, expressionOf } from './comparing';
import { choice, el } from './dom';
import { amount, baseName, count, inUnit, place, plain } from './format';
import { shortName } from './names';
import { address, amend, go, readRoute, type Route } from './route';
import { figureColumn, Table, type Column } from './table';
import { texts } from './texts';
import { drawn, reach, sureness, verdictBox } from './verdict';

const KINDS: [string, string][] = [['functions', 'functions'], ['arcs', 'calls between functions'], ['sites', 'call sites'], ['lines', 'lines'], ['expressions', 'expressions, counted'], ['kinds', 'kinds of memory'], ['places', 'places that allocate']];
const OF_MEMORY = new Set(['allocations', 'allocated', 'live', 'peak', 'temporary', 'closures', 'closures-allocated', 'closures-live', 'closures-peak']); // metrics that have kinds; and places, but for closures
const isOfHeap = (kind: string) => kind === 'kinds' || kind === 'places';

// `found`: what is shown, from which rows are drawn on one axis.
function columnsOf(app: App, kind: string, by: string, found: () => { rows?: Rows; reach: number }): Column[] {
  const { unit } = app, executed = kind === 'expressions' || (kind === 'lines' && app.profiles.some((profile) => profile.about.executions));
  const time = (key: string, title: string): Column => ({ ...figureColumn(key, title, undefined, kind === 'expressions' || isOfHeap(kind) ? 'a_self_ns,b_self_ns' : 'a_total_ns,b_total_ns,a_self_ns,b_self_ns'),
    text: (row, step) => (typeof row[key] === 'number' ? inUnit(row[key], Number(row[key[0] + '_uncertainty_ns']) || null, step) : '-') });
  const calls = (key: string, title: string): Column => ({ key, title, number: true, text: (row) => count(row[key]) });
  const at = (row: Row, name = String(row.name)) => place(row) + ' ' + name + (/^(branch|case|default|no case)/.test(String(row.way ?? '')) ? ' ' + row.way : '');
  const name: Column = kind === 'arcs' || kind === 'sites'
    ? { key: 'caller_name', title: 'call', text: (row) => `${row.caller_name} \u2192 ${row.name}`, cell: (row) => el('span', {}, callText(row)) }
    : kind === 'kinds' ? { key: 'name', title: 'kind', text: (row) => String(row.name) }
    : kind === 'functions' ? { key: 'name', title: 'function', text: (row) => String(row.name), cell: (row) => el('span', { class: 'name' }, functionLink(String(row.name), row.a), ' ', row.file ? bothTexts(row, place(row), 'small faint') : '') }
    : { key: 'name', title: kind === 'lines' ? 'line' : kind === 'places' ? 'place' : 'expression', text: (row) => `${textOf(row)}  ${at(row)}`.trim(),
      cell: (row) => el('span', { class: 'name' }, row.text ? textCell(row) : '', ' ', row.file ? bothTexts(row, at(row, shortName(String(row.name))), 'small faint') : el('span', { class: 'small faint' }, at(row, shortName(String(row.name))))) };
  const where: Column = { key: 'file', title: 'source', spare: 1350, text: (row) => place(row), cell: (row) => sourceLinks(row) };
  const only: Column = { key: 'b', title: 'only in', unsorted: true, text: (row) => (row.a === null ? 'b' : row.b === null ? 'a' : '') };
  const value: Column[] = [
    { key: 'distance', title: 'value', number: true, help: by + '; sorted by how far it is from no difference', text: (row) => comparedText(row.value, by, unit), faint: (row) => row.stands_out !== 1 },
    { key: 'drawn', title: '\u2190 less, more \u2192', unsorted: true, spare: 1350, text: () => '', cell: (row) => drawn(row, found().rows?.neutral ?? 0, found().reach) },
    { key: 'low', title: '95 %', number: true, text: (row) => (row.low === null ? '?' : row.low === row.high ? 'exact' : `${comparedText(row.low, by, unit)} \u2026 ${comparedText(row.high, by, unit)}`), faint: (row) => row.stands_out !== 1 },
    { key: 'verdict_order', title: 'sure', help: 'what stands out first; certain: counted; more than ticks: ticks alone do not explain it, one run each', text: (row) => sureness(row, found().rows?.neutral ?? 0, found().rows?.verdict), faint: (row) => row.stands_out !== 1 }];
  return [name, ...value,
    ...(executed ? [calls('a_calls', 'a executed'), calls('b_calls', 'b executed')] : kind !== 'lines' ? [calls('a_calls', isOfHeap(kind) ? 'a blocks' : 'a calls'), calls('b_calls', isOfHeap(kind) ? 'b blocks' : 'b calls')] : []),
    ...(kind !== 'sites' ? [time('a_self_ns', 'a self'), time('b_self_ns', 'b self')] : []),
    ...(kind !== 'sites' && kind !== 'expressions' && !isOfHeap(kind) ? [time('a_total_ns', 'a total'), time('b_total_ns', 'b total')] : []),
    ...(kind === 'arcs' || kind === 'functions' ? [] : kind === 'kinds' ? [{ key: 'way', title: 'basis', text: (row: Row) => String(row.way) }] : [where]), only];
}

function bothTexts(row: Row, text: string, name = 'small'): HTMLElement {
  return el('a', { class: name, href: address('compare', { ...readRoute().parameters, file: row.file, line: row.line, side: row.a === null ? 'b' : null }), title: 'both texts side by side' }, text);
}

// The text of a, where it has the row, and both texts.
function sourceLinks(row: Row): HTMLElement {
  if (!row.file) return placeLink(row, place(row));
  return row.a === null ? bothTexts(row, place(row)) : el('span', {}, placeLink(row, place(row)), ' ', bothTexts(row, 'a | b'));
}

export function compare(app: App, route: Route): View {
  const { parameters } = route;
  if (parameters.file && app.profiles.length > 1)
    return { title: 'compare', element: el('section', {}, el('p', { class: 'status' }, el('a', { href: address('compare', { ...parameters, file: null, line: null, side: null }) }, 'all differences')), texts(app, route)) };
  const kinds = KINDS.filter(([kind]) => comparable(app, kind) && (!isOfHeap(kind) || OF_MEMORY.has(metricOf(app.profiles[0]).name))
    && (kind !== 'places' || !metricOf(app.profiles[0]).name.startsWith('closures')));
  if (!kinds.length)
    return { title: 'compare', element: el('section', { class: 'summary' }, el('p', {}, app.data.alone
      ? 'This page has nothing to compare. To compare: ascribe html A.ascribe B.ascribe' : 'One profile is open. To compare two profiles: ascribe view A.ascribe B.ascribe, or ascribe diff A.ascribe B.ascribe.' + (app.data.timed ? ' To compare two parts of this run, choose both in the view Time.' : ''))) };
  const kind = kinds.some(([key]) => key === parameters.of) ? parameters.of : kinds[0][0];
  const other = parameters.other ?? '2', by = expressionOf(app, kind, parameters.by);
  const neutral = el('span', { class: 'faint' });
  const filter = el('input', { type: 'search', id: 'filter', value: parameters.filter ?? '', placeholder: 'filter names (/)', 'aria-label': 'filter by a part of a name or file' });
  const verdict = el('div', {}), found: { rows?: Rows; reach: number } = { reach: 1 };
  const table = new Table({
    caption: kind + ' of both profiles', unit: app.unit, columns: columnsOf(app, kind, by, () => found),
    sort: parameters.sort ?? 'verdict_order', up: parameters.up === '1',
    load: (query) => app.data.table('compared', { ...query, of: kind, other, by, filter: filter.value }),
    sorted: (sort, up) => amend(route, { sort, up: up ? 1 : null }),
    loaded: (rows) => {
      Object.assign(found, { rows, reach: reach(rows.rows, rows.neutral) });
      verdict.replaceChildren(rows.verdict ? verdictBox(rows.verdict) : '');
      neutral.textContent = `${plain(rows.neutral)} means no difference; faint: the difference may be chance`;
    },
    open: (row) => {
      if (row.file !== null && row.a === null) go('compare', { ...route.parameters, file: row.file, line: row.line, side: 'b' });
      else if (row.file !== null) go('source', { file: row.file, line: row.line, column: row.source_column, other, by, colour: 'value' });
    },
    calls: (row) => { if (kind === 'functions' && row.a !== null) location.hash = functionAddress(row.name, row.a); },
  });
  let wait = 0;
  filter.addEventListener('input', () => {
    clearTimeout(wait);
    wait = window.setTimeout(() => { amend(route, { filter: filter.value }); table.reload(); }, 80);
  });
  const second = app.profiles[Number(other) - 1] ?? app.profiles[1];
  const element = el('section', { class: 'summary' },
    el('div', { class: 'bar' }, choice('show', kinds, kind, (of) => go('compare', { of, other, filter: filter.value, by: parameters.by })), filter,
      comparingControls(app, kind, { other, by }, false, (state) => go('compare', { of: kind, filter: filter.value, ...state }))),
    el('p', { class: 'status' }, 'a: ', baseName(app.profiles[0].about.path), ` (${amount(app.whole, app.unit)})  b: `, baseName(second.about.path),
      ` (${amount(second.about.whole_ns, app.unit)})  `, neutral),
    verdict, isOfHeap(kind) ? '' : el('p', { class: 'status' }, el('a', { href: address('flame', { other }) }, 'where in the stacks: a flame graph of the differences')), table.element);
  table.reload();
  return { element, title: 'compare' };
}
