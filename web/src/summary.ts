// The profile in one table: functions, call sites, expressions, lines, files, objects.

import type { App, View } from './app';
import { accounts } from './accounts';
import { callText, doubt, functionAddress, functionLink, objectBadge, placeLink, sourceAddress, tag, textCell, textOf } from './app';
import { comparable, comparedText, comparingControls, expressionOf } from './comparing';
import { listed, type Row } from './data';
import { callsCell, callsText } from './dial';
import { choice, el } from './dom';
import { baseName, count, exponent, measured, percent, place } from './format';
import { chainOf, shortName } from './names';
import { amend, address, go, type Route } from './route';
import { SourceBeside } from './source';
import { errorColumn, figureColumn, Table, withCosts, type Column } from './table';

const KINDS: [string, string][] = [
  ['functions', 'functions'], ['sites', 'call sites'], ['arcs', 'calls between functions'], ['lines', 'lines'],
  ['expressions', 'expressions, counted'], ['never', 'conditions: never, though reached'], ['places', 'expressions, sampled'], ['cycles', 'cycles that occurred'], ['files', 'files'], ['objects', 'objects'],
];
const WITH_SOURCE = new Set(['functions', 'sites', 'lines', 'expressions', 'never', 'places', 'files']);
const COMPARED = new Set(['functions', 'arcs', 'sites', 'lines', 'expressions']);

function callsLink(name: string, of: [unknown, unknown]): Node {
  return el('a', { class: 'calls', href: functionAddress(...of), title: 'its callers and callees (c)',
    'aria-label': 'calls of ' + name }, '\u21c4');
}

// What its figures hide: hooks in its time, code that is in its callers.
function tags(row: Row): (Node | null)[] {
  const share = (ns: unknown) => Math.min(100, 100 * Number(ns) / Number(row.self_ns)).toFixed(0);
  return [row.inlined === 'none' || row.inlined === undefined ? null : tag(row.inlined === 'all' ? 'inlined' : 'partly inlined', 'the compiler put its code into its callers'),
    row.self_ns && Number(row.hooks_high_ns ?? 0) > Number(row.self_ns) / 10 ? tag(`hooks: ${share(row.hooks_low_ns)} to ${share(row.hooks_high_ns)} % of self`,
      'this much of its self time was spent counting calls, not running the program') : null, doubt(row)];
}

// The function that the row is of, or that it calls: its name and number.
function functionOf(row: Row): [unknown, unknown] {
  return row.callee !== undefined ? [row.callee_name, row.callee] : row.function !== undefined ? [row.function_name, row.function] : [row.name, row.id];
}

// `shown`: with short names.
function named(row: Row, name: string, shown: string): Node {
  const href = sourceAddress(row), of = functionOf(row);
  return el('span', { class: 'name' },
    href ? el('a', { href, tabindex: -1, title: name }, shown) : el('span', { title: name }, shown), ' ', of[1] ? callsLink(name, of) : '', ...tags(row));
}

// The text of a line or expression; narrow windows, which do without the columns for it, have its place and function below.
function textColumn(title: string, marked = false, unsorted = false): Column {
  return { key: 'text', title, unsorted, text: (row) => textOf(row) || place(row),
    cell: (row) => el('span', { class: 'name' }, textCell(row, marked), el('span', { class: 'narrow small faint' }, `${row.text ? place(row) : ''} ${shortName(String(row.function_name))}`)) };
}
const inFunction: Column = { key: 'function_name', title: 'function', spare: 1350, text: (row) => String(row.function_name), cell: (row) => el('span', {}, functionLink(String(row.function_name), row.function)) };

function gauge(share: number): HTMLElement {
  const filled = el('span', {});
  filled.style.width = `${100 * Math.min(1, share || 0)}%`;
  return el('span', { class: 'gauge', 'aria-hidden': 'true' }, filled);
}

function columnsOf(app: App, kind: string): Column[] {
  const { unit, whole } = app;
  const time = figureColumn, error = errorColumn;
  const calls = (of = ''): Column => ({ key: 'calls', title: 'calls', number: true,
    help: of + 'exact, or estimated (~); - is code without hooks', text: callsText, cell: callsCell });
  const share = (key: string): Column => ({ key, title: '%', number: true, unsorted: true, text: (row) => percent(row[key], whole),
    cell: (row) => el('span', { class: 'share' }, percent(row[key], whole),
      gauge(Number(row[key] ?? 0) / whole)) });
  const where: Column = { key: 'file', title: 'source', spare: 1100, text: (row) => place(row),
    cell: (row) => placeLink(row, place(row)) };
  const inSource: Column[] = [inFunction, { ...where, spare: 1350 }];
  const self = [time('self_ns', 'self', 'in the function itself'), error('self')];
  const byRatio = time('ratio_total_ns', 'total by ratio', 'with what it called, if each call of a procedure took as long as any other; within recursion not known; --contexts measures totals');
  switch (kind) {
  case 'functions':
    return [{ key: 'name', title: 'function', text: (row) => String(row.name), cell: (row) => named(row, String(row.name), shortName(String(row.name))) },
      calls('with those by itself; '), ...self, share('self_ns'), time('total_ns', 'total', 'while it was active; recursion counts once'),
      error('total'), byRatio, { ...time('call_ns', 'self per call', 'of one call, those by itself too'), scale: undefined, spare: 1350, text: (row) => measured(row, 'call', unit) },
      { ...where, text: (row) => place(row) || baseName(row.object), cell: (row) => (row.file ? placeLink(row, place(row)) : objectBadge(row)) ?? el('span') }];
  case 'sites':
    return [{ key: 'caller_name', title: 'call', text: (row) => `${row.caller_name} \u2192 ${row.callee_name}`,
      cell: (row) => named(row, `${row.caller_name} \u2192 ${row.callee_name}`, callText(row)) }, calls(), byRatio,
      { key: 'text', title: 'text', unsorted: true, spare: 1350, text: textOf, cell: (row) => textCell(row, true) }, where];
  case 'arcs':
    return [{ key: 'caller_name', title: 'call', text: (row) => `${row.caller_name} \u2192 ${row.callee_name}`,
      cell: (row) => named(row, `${row.caller_name} \u2192 ${row.callee_name}`, callText(row)) }, calls(),
      time('out_ns', 'out', 'what the caller spent through these calls'), time('in_ns', 'in', 'what the callee received through them'),
      error('in')];
  case 'lines':
    return [textColumn('line', false, true), ...self, share('self_ns'), time('total_ns', 'total'), error('total'), ...inSource];
  case 'expressions':
    return [textColumn('expression'), { key: 'count', title: 'executed', number: true, text: (row) => count(row.count) },
      { key: 'kind', title: 'kind', text: (row) => row.kind + (row.kind === 'branch' ? ' ' + row.way : row.kind === 'loop' ? (row.way ? ' trips' : ' entries') : row.kind === 'case' ? ': ' + (row.label ?? 'not known') : '') }, ...self, byRatio, ...inSource];
  case 'never':
    return [textColumn('condition'),
      { key: 'outcome', title: 'never', help: 'what it never was', text: (row) => String(row.outcome) },
      { key: 'reached', title: 'reached', number: true, help: 'how often it was evaluated', text: (row) => count(row.reached) },
      ...inSource];
  case 'places':
    return [textColumn('expression', true), time('self_ns', 'self'), share('self_ns'), { key: 'self_ticks', title: 'ticks', number: true, help: 'samples that met it', text: (row) => count(row.self_ticks) },
      { key: 'instructions', title: 'instructions', number: true, text: (row) => count(row.instructions) }, ...inSource];
  case 'cycles':
    return [{ key: 'names', title: 'cycle', text: (row) => chainOf(row.names), cell: (row) => el('a', { href: address('calls', { cycle: row.names }), title: listed(row.names as string).join(' > ') }, chainOf(row.names)) },
      { key: 'functions', title: 'functions', number: true, text: (row) => count(row.functions) },
      { key: 'calls', title: 'calls that closed it', number: true, help: '-: was seen on stacks only', text: (row) => count(row.calls) },
      { key: 'ticks', title: 'ticks', number: true, help: 'of a cycle that was seen on stacks only', text: (row) => count(row.ticks) }];
  case 'files':
    return [{ key: 'file', title: 'file', text: (row) => String(row.file), cell: (row) => placeLink(row, String(row.file)) },
      time('self_ns', 'self'), share('self_ns'), ...coverage('line', 'lines', 'executed_lines', 'lines with code that were executed'), ...coverage('branch', 'branches', 'taken_branches', 'outcomes of conditions and cases of switches that came'), { key: 'newer', title: '', unsorted: true, text: (row) => (row.newer ? 'newer than the program' : '') }];
  default:
    return [{ key: 'path', title: 'object', text: (row) => String(row.path) }, time('self_ns', 'self'), share('self_ns'),
      { key: 'functions', title: 'functions', number: true, text: (row) => count(row.functions) },
      { key: 'message', title: 'what is missing', unsorted: true, text: (row) => String(row.uncounted ?? row.message ?? '') }];
  }
}

// As lcov's pages have it: how many of how many, and their share.
function coverage(of: string, all: string, part: string, help: string): Column[] {
  const percentOf = (row: Row) => percent(row[part], Number(row[all] ?? 0));
  return [{ key: part, title: all, help, number: true, text: (row) => (row[all] ? `${count(row[part])} of ${count(row[all])}` : '-') },
    { key: of + '_share', title: '%', help, number: true, text: (row) => (row[all] ? percentOf(row) : '-'),
      cell: (row) => el('span', { class: 'share' }, row[all] ? percentOf(row) : '-', row[all] ? gauge(Number(row[of + '_share'])) : '') }];
}

function valueColumn(by: string, unit: string): Column {
  return { key: 'value', title: by, number: true, help: 'faint: the difference is within its uncertainty',
    faint: (row) => row.stands_out !== 1, text: (row) => comparedText(row.value, by, unit) + (row.value !== null && row.stands_out === 0 ? ' ~' : '') };
}

const GROWING: [string, string][] = [['calls', 'calls ~ n^'], ['self', 'self ~ n^'], ['total', 'total ~ n^']];

function growthColumns(app: App, kind: string): Column[] {
  const executed = kind === 'lines' || kind === 'expressions';
  const has = (figure: string) => figure === 'calls' ? kind !== 'lines' || app.profiles[0].about.executions : kind !== 'sites' && (figure === 'self' || kind !== 'expressions');
  return GROWING.filter(([figure]) => has(figure)).map(([figure, title]) => ({
    key: figure + '_exponent', title: executed && figure === 'calls' ? 'executed ~ n^' : title, number: true, help: 'how it grows with the size n of the input; *: faster than the whole program, beyond the uncertainties',
    faint: (row) => row[figure + '_faster'] !== 1, text: (row) => exponent(row[figure + '_exponent'], row[figure + '_exponent_uncertainty']) + (row[figure + '_faster'] === 1 ? ' *' : ''),
  }));
}

const FIRST: { [kind: string]: string } = { sites: 'calls', arcs: 'in_ns', expressions: 'count', never: 'reached', cycles: 'calls' };

export function summary(app: App, route: Route): View {
  const parameters = route.parameters;
  const kind = KINDS.some(([key]) => key === parameters.kind) ? parameters.kind : 'functions';
  const compares = COMPARED.has(kind) && comparable(app, kind);
  const other = compares ? parameters.other ?? '' : '', by = expressionOf(app, kind, parameters.by);
  const own = kind === 'functions' && parameters.own === '1';
  const columns = withCosts(app, columnsOf(app, kind)).filter(({ key }) => app.profiles[0].counts.calls || kind !== 'functions' || !/^call/.test(key));
  if (other) columns.splice(1, 0, valueColumn(by, app.unit));
  const growth = !other && COMPARED.has(kind) && app.data.sizes.length > 1;
  if (growth) columns.splice(1, 0, ...growthColumns(app, kind));
  if ((growth || other) && kind === 'functions') for (const column of columns) if (column.key === 'call_ns' || column.spare) column.spare = 1500;

  const filter = el('input', { type: 'search', id: 'filter', value: parameters.filter ?? '', placeholder: 'filter names (/)',
    'aria-label': 'filter by a part of a name or file' });
  const beside = parameters.beside === '1' && WITH_SOURCE.has(kind) ? new SourceBeside(app, ({ file, line, column, colour }) =>
    amend(route, { file, line, column, colour })) : null;
  const placeOf = (row: Row) => ({ file: row.file as string, line: row.line as number, column: (row.column ?? row.source_column) as number, colour: parameters.colour });
  const table = new Table({
    caption: KINDS.find(([key]) => key === kind)![1] + ' of the profile',
    columns, unit: app.unit,
    sort: parameters.sort ?? (other ? 'value' : growth ? 'growth_order' : own && app.whole ? 'total_ns' : FIRST[kind] ?? (app.whole || kind !== 'functions' ? 'self_ns' : 'calls')),
    up: parameters.up === '1',
    load: (query) => app.data.table(kind, { ...query, 'is.own': own ? 1 : undefined, filter: filter.value, ...(other ? { other, by } : growth ? { growth: 1 } : {}) }),
    sorted: (sort, up) => amend(route, { sort, up: up ? 1 : null }),
    loaded: ({ rows }) => {
      const first = parameters.file ? parameters as Row : rows.find((row) => row.file);
      if (beside && first && !beside.shows) beside.show(placeOf(first));
    },
    open: (row) => {
      const href = sourceAddress({ ...row, column: row.source_column });
      if (kind === 'cycles') go('calls', { cycle: row.names });
      else if (href && beside) beside.show(placeOf(row));
      else if (href) location.hash = href;
      else if (functionOf(row)[1]) location.hash = functionAddress(...functionOf(row));
    },
    calls: (row) => {
      if (kind === 'cycles') go('calls', { cycle: row.names });
      else if (functionOf(row)[1]) location.hash = functionAddress(...functionOf(row));
    },
  });
  let wait = 0;
  filter.addEventListener('input', () => {
    clearTimeout(wait);
    wait = window.setTimeout(() => { amend(route, { filter: filter.value }); table.reload(); }, 80);
  });
  filter.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' || event.key === 'ArrowDown') { table.focus(); event.preventDefault(); }
  });
  const element = el('section', { class: 'summary' + (beside ? ' halved' : '') }, kind === 'functions' ? accounts(app) : null,
    el('div', { class: 'bar' },
      choice('show', KINDS, kind, (key) => go('summary', { kind: key, filter: filter.value, other, by: parameters.by, beside: parameters.beside })), filter,
      kind === 'functions' ? el('label', { title: 'without libraries, headers of the system and the kernel' }, el('input', { type: 'checkbox', checked: own, change: () =>
        go('summary', { ...parameters, filter: filter.value, own: own ? null : 1 }) }), ' own code') : null,
      compares ? comparingControls(app, kind, { other, by }, true, (state) =>
        go('summary', { kind, filter: filter.value, other: state.other, by: state.by, beside: parameters.beside })) : null,
      WITH_SOURCE.has(kind) ? el('label', { title: 'the text that a row is of, beside the table' }, el('input', { type: 'checkbox', checked: beside !== null, change: () =>
        go('summary', { ...parameters, filter: filter.value, beside: beside ? null : 1, file: null, line: null, column: null }) }), ' source beside') : null),
    growth ? el('p', { class: 'status' }, `Sizes of the input: ${[...app.data.sizes].sort((a, b) => a - b).map((n) => count(n)).join(', ')}; shown is the largest. What grows faster than the whole comes first, with *.`) : null,
    beside ? el('div', { class: 'split' }, table.element, beside.element) : table.element);
  if (beside) table.element.addEventListener('click', (event) => {
    const [path, query] = (event.target as Element).closest('a')?.getAttribute('href')?.split('?') ?? [];
    if (path !== '#/source' || event.ctrlKey || event.metaKey) return;
    const asked = new URLSearchParams(query), of = (name: string) => asked.get(name);
    beside.show({ file: of('file'), line: of('line'), column: of('column'), colour: parameters.colour });
    event.preventDefault();
  });
  table.reload();
  return { element, title: kind + ' of ' + baseName(app.profiles[0].about.path), closed: () => beside?.closed() };
}
