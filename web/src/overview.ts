// What opens first: where all of the time is, what is most worth to know, the ten functions above their uncertainty,
// processes and threads.

import type { App, View } from './app';
import { accounts, stackedBar } from './accounts';
import { functionLink, metricOf, objectBadge, placeLink, timeOf } from './app';
import type { Profile, Row } from './data';
import { chipAddress, processKey, selectable, threadKey } from './chips';
import { el } from './dom';
import { amount, baseName, columnUnit, count, inUnit, percent, place, some, whole as wholeText } from './format';
import { address, type Route } from './route';
import { comparable, expressionOf } from './comparing';
import { timeTracks } from './time';
import { verdictBox } from './verdict';

const TOP = 10, THREADS = 12;

function half(row: Row): number {
  return Math.max(Number(row.self_high_ns ?? row.self_ns) - Number(row.self_ns), Number(row.self_ns) - Number(row.self_low_ns ?? row.self_ns));
}

function isFunction(row: Row): boolean {
  return row.kind !== 'unattributed';
}

// ---- the head ----

function begun(run: Row): string {
  const ns = Number(run.started_ns);
  return ns ? new Date(ns / 1e6).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' }) : '';
}

function head({ profiles: [profile], unit, whole }: App): HTMLElement {
  const { run, counts, totals, runs } = profile;
  const of = unit === 'ns' ? timeOf(profile) : '';
  const told = [whole && unit !== 'ns' ? `${wholeText(whole, unit)} of ${metricOf(profile).name}` : whole ? `${amount(whole, unit)} ${of}`.trim() : '', begun(run), runs > 1 ? some(runs, 'run') : '',
    totals.processes ? `${count(totals.processes)} process${totals.processes === 1 ? '' : 'es'}` : '', totals.threads ? some(totals.threads, 'thread') : '',
    counts.calls ? `${some(counts.calls, 'call')} counted exactly` : ''];
  return el('div', { class: 'title' }, el('h2', {}, String(run.command || baseName(profile.about.path))), ' ',
    el('span', { class: 'faint' }, told.filter((text) => text).join(' \u00b7 ')));
}

// How the threads spent their lives, where they were looked at while they waited.
function lives({ lives }: Profile): HTMLElement | null {
  const all = Number(lives?.lived_ns ?? 0);
  if (!all) return null;
  const parts = [{ name: 'on a processor', ns: Number(lives.cpu_ns), kind: 'own', help: 'CPU time' },
    { name: 'waiting for a processor', ns: Number(lives.ready_ns), kind: 'library', help: 'ready to run, while others ran' },
    { name: 'waiting', ns: Number(lives.waited_ns), kind: 'waiting', help: 'for locks, other threads, files, the network, time' }];
  return el('div', { class: 'accounts' }, el('p', { class: 'status' }, `All threads together lived ${amount(all, 'ns')}:`),
    ...stackedBar(parts.filter(({ ns }) => ns > 0), all, 'ns'),
    lives.unseen ? el('p', { class: 'status' }, `Linux did not let Ascribe see where threads of ${lives.unseen === 1 ? 'a process' : `${count(lives.unseen)} processes`} waited: the program changed its user, or kernel.yama.ptrace_scope forbids it. A program started with \u201cascribe record --view --clock wall\u201d shows it.`) : null);
}

// ---- three sentences ----

function card(title: string, finding: Node | string, ...details: (Node | string | null)[]): HTMLElement {
  return el('article', { class: 'card' }, el('h3', {}, title), el('p', { class: 'finding' }, finding), el('p', { class: 'faint' }, ...details));
}

async function whereItGoes(app: App, top: Row | undefined): Promise<HTMLElement | null> {
  if (!app.whole || !top) return null;
  const nowhere = [...app.profiles[0].unattributed].sort((a, b) => Number(b.self_ns) - Number(a.self_ns))[0];
  const share = (ns: unknown) => percent(Number(ns), app.whole) + ' %';
  const { rows: [line] } = await app.data.table('lines', { sort: 'self_ns', limit: 1 });
  const detail = line && place(line) && Number(line.self_ns) ? el('span', {}, `${share(line.self_ns)} of all on one line: `, placeLink(line, place(line))) : null;
  if (nowhere && Number(nowhere.self_ns) > Number(top.self_ns))
    return card('Where it goes', `${String(nowhere.name).replace(/[()]/g, '')}: ${share(nowhere.self_ns)}`,
      el('span', {}, 'the costliest function is ', functionLink(String(top.name), top.id, 60), ` with ${share(top.self_ns)}`));
  return card('Where it goes', el('span', {}, functionLink(String(top.name), top.id, 60), ` takes ${share(top.self_ns)}`),
    half(top) ? `\u00b1 ${percent(half(top), app.whole)} %` : null, half(top) && detail ? '; ' : null, detail);
}

async function whoDrivesIt(app: App, top: Row | undefined): Promise<HTMLElement | null> {
  const { rows: [site] } = app.profiles[0].counts.calls && metricOf(app.profiles[0]).kind !== 'heap' ? await app.data.table('sites', { sort: 'calls', limit: 1 }) : { rows: [] };
  if (site && Number(site.calls) > 1)
    return card('Who drives it', el('span', {}, `${count(site.calls)} calls of `, functionLink(String(site.callee_name), site.callee, 60)),
      el('span', {}, 'from one place', place(site) ? ': ' : '', place(site) ? placeLink(site, place(site)) : '', ' in ', functionLink(String(site.caller_name), site.caller, 60)));
  if (!top || !app.whole) return null;
  const { rows: [arc] } = await app.data.table('arcs', { 'is.callee': String(top.id), sort: 'in_ns', limit: 1 });
  if (!arc || !arc.in_ns || arc.caller === null) return null;
  return card('Who drives it', el('span', {}, functionLink(String(arc.caller_name), arc.caller, 60), ' calls ', functionLink(String(top.name), top.id, 60)),
    `${percent(arc.in_ns, app.whole)} % of all is in these calls`);
}

function howSure(app: App): HTMLElement {
  const { counts, dropped, books } = app.profiles[0], sampled = Number(books.ticks);
  const certain = Number(counts.certain), uncertain = Number(counts.uncertain);
  const rest = dropped.length ? 'dropped: ' + dropped.map((kind) => `${count(kind.count)} ${kind.name}`).join(', ') : 'nothing dropped';
  if (!app.whole) return card('How sure', counts.calls ? 'Calls are exact' : 'Nothing was measured', 'there are no times; ' + rest);
  const { evidence } = metricOf(app.profiles[0]);
  if (evidence === 'counted') return card('How sure', 'All figures are exact', rest);
  if (!sampled) return card('How sure', 'Nobody knows', 'the file does not say how certain its figures are; ' + rest);
  return card('How sure', `${some(certain, 'function')} ${certain === 1 ? 'stands' : 'stand'} out of the noise`,
    (uncertain ? `${count(uncertain)} more ${uncertain === 1 ? 'is' : 'are'} below ${uncertain === 1 ? 'its' : 'their'} uncertainty, ${percent(counts.uncertain_ns, app.whole)} % together; ` : '')
    + `${some(sampled, metricOf(app.profiles[0]).kind === 'waiting' ? 'look' : 'tick')}; ${rest}`);
}

// ---- the ten functions ----

// A bar of the amount, and the interval on it.
function whisker(value: number, low: number, high: number, most: number, kind: string): HTMLElement {
  const at = (ns: number) => `${Math.min(100, 100 * ns / most)}%`;
  const filled = el('span', { class: 'filled ' + kind });
  filled.style.width = at(value);
  if (high <= low) return el('span', { class: 'whiskers', 'aria-hidden': 'true' }, filled);
  const line = el('span', { class: 'whisker' });
  line.style.left = at(low);
  line.style.width = `calc(${at(high)} - ${at(low)})`;
  return el('span', { class: 'whiskers', 'aria-hidden': 'true' }, filled, line);
}

// Functions above their uncertainty, and what no function has.
function costs(app: App, rows: Row[]): Row[] {
  let functions = 0;
  return rows.filter((row) => (isFunction(row) ? (Number(row.self_ns) > half(row) || !app.whole) && ++functions <= TOP : Number(row.self_ns) > 0));
}

function functionsTable(app: App, rows: Row[]): HTMLElement {
  const shown = costs(app, rows), counted = shown.some((row) => isFunction(row) && row.calls !== null), totals = shown.some((row) => (row.total_ns ?? null) !== null), functions = shown.filter(isFunction).length, all = Number(app.profiles[0].counts.functions);
  const most = Math.max(...shown.map((row) => Number(row.self_high_ns ?? row.self_ns)), 1);
  const [step, unit] = columnUnit(Math.max(...shown.map((row) => Number(row.total_ns ?? row.self_ns)), 1), app.unit);
  const figure = (ns: unknown, error: number | null) => ns === null || ns === undefined ? '' : inUnit(Number(ns), error, step);
  const line = (row: Row) => {
    const known = isFunction(row), error = known ? half(row) : null;
    const totalError = row.total_high_ns === null || row.total_high_ns === undefined ? null : Number(row.total_high_ns) - Number(row.total_ns);
    return el('tr', { class: known ? '' : 'faint' },
      el('th', { scope: 'row' }, known ? functionLink(String(row.name), row.id, 70) : String(row.name).replace(/[()]/g, '')),
      ...(app.whole ? [el('td', { class: 'drawn' }, whisker(Number(row.self_ns), Number(row.self_low_ns ?? row.self_ns), Number(row.self_high_ns ?? row.self_ns), most, known ? (row.own ? 'own' : 'library') : 'rest')),
        el('td', { class: 'number' }, figure(row.self_ns, error), error ? el('span', { class: 'faint' }, ` \u00b1 ${inUnit(error, error, step)}`) : null),
        el('td', { class: 'number' }, percent(row.self_ns, app.whole)),
        ...(totals ? [el('td', { class: 'number' }, figure(row.total_ns, totalError)), el('td', { class: 'number' }, row.total_ns === null || row.total_ns === undefined ? '' : percent(row.total_ns, app.whole))] : [])] : []),
      counted ? el('td', { class: 'number' }, known && row.calls !== null ? count(row.calls) : '') : null,
      el('td', { class: 'where' }, known ? (row.file ? placeLink(row, place(row)) : objectBadge(row)) : ''));
  };
  const heads: [string, boolean][] = [['function', false], ...(app.whole ? [['', false], [`self, ${unit}`, true], ['%', true], ...(totals ? [[`total, ${unit}`, true], ['%', true]] : [])] as [string, boolean][] : []),
    ...(counted ? [['calls', true] as [string, boolean]] : []), ['source', false]];
  return el('div', { class: 'sheet' }, el('table', { class: 'top' }, el('caption', { class: 'hidden' }, 'functions above their uncertainty'),
    el('thead', {}, el('tr', {}, ...heads.map(([text, number]) => el('th', { scope: 'col', class: number ? 'number' : '' }, text || el('span', { class: 'hidden' }, 'self time, drawn'))))),
    el('tbody', {}, ...shown.map(line))),
  el('p', { class: 'status' }, all > functions ? `${count(all - functions)} more: ` : '', el('a', { href: address('summary') }, 'all functions'),
    app.profiles[0].about.executions ? el('span', {}, '; ', el('a', { href: address('summary', { kind: 'never' }) }, 'conditions that never went one way')) : null));
}

// ---- processes and threads ----

function threadsTable(app: App): HTMLElement | null {
  const [profile] = app.profiles;
  const { threads, processes, totals } = profile;
  if (Number(totals.threads) < 2) return null;
  const waits = threads.some((row) => row.waiting_ns !== null), several = processes.length > 1;
  const cpu = (row: Row) => Number(row.cpu_ns ?? 0), lived = (row: Row) => cpu(row) + (waits ? Number(row.waiting_ns ?? 0) : 0);
  const sorted = [...threads].sort((a, b) => cpu(b) - cpu(a)), shown = sorted.slice(0, THREADS);
  const most = Math.max(...shown.map(lived), 1), [step, unit] = columnUnit(most, 'ns');
  const command = new Map(processes.map((row) => [row.id, baseName(String(row.executable || row.command || '').split(' ')[0])]));
  const bar = (row: Row) => {
    const [run, wait] = [el('span', { class: 'filled own' }), el('span', { class: 'filled waiting' })];
    run.style.width = `${100 * cpu(row) / most}%`;
    wait.style.width = `${100 * Number(waits ? row.waiting_ns ?? 0 : 0) / most}%`;
    return el('span', { class: 'whiskers row', 'aria-hidden': 'true' }, run, wait);
  };
  const named = (row: Row) => [several ? command.get(row.process) : '', row.name, row.start_function_name ? `${row.start_function_name}()` : ''].filter((text, i, all) => text && all.indexOf(text) === i).join(' \u203a ');
  const processCell = (row: Row) => {
    const process = processes.find((one) => one.id === row.process);
    return process && selectable(app) ? el('a', { href: chipAddress('processes', processKey(processes, process)), title: 'all views of this process' }, String(row.pid)) : String(row.pid);
  };
  return el('div', { class: 'sheet' }, el('h3', {}, several ? 'Processes and threads' : 'Threads'), el('table', { class: 'top' },
    el('caption', { class: 'hidden' }, 'threads, by CPU time'),
    el('thead', {}, el('tr', {}, ...['thread', ''].map((text) => el('th', { scope: 'col' }, text || el('span', { class: 'hidden' }, 'drawn'))),
      ...[...(several ? ['process'] : []), 'tid', `CPU, ${unit}`, ...(waits ? [`waiting, ${unit}`] : [])].map((text) => el('th', { scope: 'col', class: 'number' }, text)))),
    el('tbody', {}, ...shown.map((row) => el('tr', {}, el('th', { scope: 'row' }, el('a', { href: selectable(app) ? chipAddress('threads', threadKey(threads, row)) : address('flame', { thread: threadKey(threads, row) }) }, named(row) || 'thread')),
      el('td', { class: 'drawn' }, bar(row)), several ? el('td', { class: 'number' }, processCell(row)) : null, el('td', { class: 'number' }, String(row.tid)),
      el('td', { class: 'number' }, inUnit(cpu(row), null, step)), waits ? el('td', { class: 'number' }, inUnit(Number(row.waiting_ns ?? 0), null, step)) : null)))),
  Number(totals.threads) > shown.length ? el('p', { class: 'status' }, `${count(Number(totals.threads) - shown.length)} more`) : null);
}

// Of two profiles, what has changed.
async function compared(app: App): Promise<HTMLElement | null> {
  if (app.data.sizes.length > 1 || !comparable(app, 'functions')) return null;
  const { verdict } = await app.data.table('compared', { of: 'functions', other: 2, by: expressionOf(app, 'functions', undefined), limit: 1 });
  const name = (i: number) => baseName(app.profiles[i].about.path);
  return verdict ? verdictBox(verdict, el('p', { class: 'faint' }, `a: ${name(0)}, b: ${name(1)}; `, el('a', { href: address('compare') }, 'all differences'))) : null;
}

export function overview(app: App, _route: Route): View {
  const cards = el('div', { class: 'cards' }), table = el('div', { class: 'loading' });
  const changed = el('div', {}), run = el('div', { class: 'sheet', hidden: true });
  const element = el('section', { class: 'overview' }, head(app), comparable(app, 'functions') ? changed : null, accounts(app), lives(app.profiles[0]), cards, run, table, threadsTable(app));
  const fill = async () => {
    const { rows } = await app.data.table('functions', { sort: app.whole ? 'self_ns' : 'calls', limit: 3 * TOP });
    const first = rows.find(isFunction), found = await Promise.all([whereItGoes(app, first), whoDrivesIt(app, first)]);
    cards.replaceChildren(...[...found, howSure(app)].filter((one): one is HTMLElement => one !== null));
    table.replaceChildren(functionsTable(app, rows));
    table.className = '';
  };
  timeTracks(app, 'overview').then((list) => { if (list) { run.hidden = false; run.replaceChildren(list); } }, (error: Error) => run.replaceChildren(error.message));
  compared(app).then((box) => changed.replaceChildren(box ?? ''), (error: Error) => changed.replaceChildren(el('p', { class: 'error' }, error.message)));
  const ready = fill().catch((error: Error) => table.replaceChildren(el('p', { class: 'error' }, error.message)));
  return { element, ready, title: baseName(app.profiles[0].about.path) };
}
