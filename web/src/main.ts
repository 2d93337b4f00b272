// The page: what is recorded, the views, and which of them the address asks for.

import type { App, View } from './app';
import { metricOf, timeOf } from './app';
import { calls } from './calls';
import { compare } from './compare';
import { ALL, openData, ranksIn, ranksOf, SELECTING } from './data';
import type { Data, Part, Profile, Shown } from './data';
import { CHIP_NAMES, chipRow, keptLists } from './chips';
import { choice, el, isDark } from './dom';
import { flame } from './flame';
import { baseName, some, visible, whole } from './format';
import { follow, liveStatus } from './live';
import { overview } from './overview';
import { openPalette, showKeys } from './palette';
import { isJob, ranks, ranksShown } from './ranks';
import { address, keep, kept, readRoute } from './route';
import { shareButton } from './saving';
import { scrollAgain } from './scrolled';
import { source } from './source';
import { summary } from './summary';
import { partText, partsOf, partsText, time } from './time';

const VIEWS: [string, string, (app: App, route: ReturnType<typeof readRoute>) => View][] = [
  ['overview', 'Overview', overview], ['summary', 'Summary', summary], ['source', 'Source', source], ['calls', 'Calls', calls], ['flame', 'Flame graph', flame], ['compare', 'Compare', compare],
  ['time', 'Time', time], ['ranks', 'Ranks', ranks],
];

// What an address without a view shows: of several sizes what grows, else the overview.
function home(app: App): string {
  return app.data.sizes.length > 1 ? 'summary' : 'overview';
}

// What each view was left with: its tab leads back to that.
const left = new Map<string, { [name: string]: string }>();

function lastAddress(view: string): string {
  return address(view, left.get(view), view === 'ranks' ? { ranks: '' } : {}); // there all of them are
}

const THEME = 'theme';

function keepTheme(theme: string): void {
  document.documentElement.dataset.theme = theme;
  try { localStorage.setItem(THEME, theme); } catch { /* it lasts until the page is left */ }
}

function takeTheme(): void {
  try {
    const theme = localStorage.getItem(THEME);
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch { /* the system's */ }
}

let shown: { name: string; view: View } | null = null;
const main = el('main', { id: 'main', tabindex: -1 });
const tabs = el('nav', { 'aria-label': 'views' });

function viewsOf(app: App): [string, string][] {
  return VIEWS.filter(([name]) => (name !== 'time' || app.data.timed) && (name !== 'ranks' || isJob(app))).map(([name, title]) => [name, title]);
}

// `made`: the view, where it is there already.
function show(app: App, made?: View): void {
  const route = readRoute();
  const entry = VIEWS.find(([name]) => name === (route.view || home(app))) ?? VIEWS[0];
  if (route.view) left.set(entry[0], route.parameters);
  if (shown && shown.name === entry[0] && shown.view.update?.(route)) return;
  shown?.view.closed?.();
  const view = made ?? entry[2](app, route);
  shown = { name: entry[0], view };
  tabs.replaceChildren(...viewsOf(app).map(([name, text]) =>
    el('a', { href: lastAddress(name), 'aria-current': name === entry[0] ? 'page' : undefined }, text)));
  main.replaceChildren(view.element);
  document.title = visible(view.title) + ' \u2013 Ascribe';
  view.shown?.();
  scrollAgain(view.element);
}

function otherMetric(name: string): string {
  const route = readRoute();
  keep('metric', name);
  return address(route.view, route.parameters);
}

// Which parts of the run all figures are of, and the way back to one of them, and to all of it.
function partsShown(app: App): HTMLElement | null {
  const { parts } = app.data.shown;
  if (!parts.length) return null;
  const button = (text: string, title: string, left: Part[]) => el('button', { type: 'button', title, click: () => {
    const route = readRoute();
    keep('part', partsText(left));
    location.hash = address(route.view, route.parameters);
  } }, text);
  return el('span', { class: 'shown-part' }, parts.length < 2 ? `${partText(parts[0])} s of the run ` : `a: ${partText(parts[0])} s, b: ${partText(parts[1])} s of the run `,
    parts.length > 1 ? button('only a', 'figures of the first part, without a comparison', parts.slice(0, 1)) : '', ' ',
    button('whole run', 'figures of the whole run', []));
}

function metricChoice(app: App): HTMLElement | null {
  const metrics = app.profiles[0].metrics.map((metric) => String(metric.name));
  if (app.data.alone || metrics.length < 2) return null;
  return choice('', metrics.map((name) => [name, name]), metricOf(app.profiles[0]).name,
    (name) => { location.hash = otherMetric(name); }, 'metric');
}

function about(app: App): HTMLElement {
  const { run, counts, about: profile, runs } = app.profiles[0];
  const measured = app.unit === 'ns' ? ` ${timeOf(app.profiles[0])}` : '';
  const parts = [app.whole ? whole(app.whole, app.unit) + measured : null,
    some(counts.functions, 'function'), counts.calls ? some(counts.calls, 'call') + ' counted' : null, runs > 1 ? `${runs} runs` : null];
  const said = parts.filter((part) => part).join(', ');
  const name = app.data.shown.parts.length ? baseName(profile.path).replace(/@[^@]*$/, '') : baseName(profile.path); // parts stand beside it
  return el('span', { class: 'about', title: `${run.command}: ${said}` }, el('strong', { title: String(profile.path) }, name), ' ',
    el('code', { title: 'in ' + run.directory }, String(run.command)), ' ', said);
}

function themeButton(app: App): HTMLElement {
  return el('button', { type: 'button', class: 'theme', 'aria-label': 'light or dark', title: 'light or dark', click: () => {
    keepTheme(isDark() ? 'light' : 'dark');
    shown?.view.closed?.();
    shown = null;
    show(app);
  } }, '\u25d0');
}

// Keys that work everywhere: Ctrl K to go anywhere, ? for help, / to type, 1 to 7 for the views, arrows down into the first table.
function globalKey(app: App, event: KeyboardEvent): void {
  if (document.querySelector('dialog[open]')) return;
  if (event.key === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey) {
    openPalette(app, viewsOf(app));
    event.preventDefault();
    return;
  }
  const typing = (event.target as Element).closest('input, select, textarea');
  if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
  const filter = document.getElementById('filter');
  if (event.key === '/' && filter) filter.focus();
  else if (/^Arrow(Down|Up)$/.test(event.key) && event.target === document.body && main.querySelector('tbody tr[tabindex="0"]'))
    main.querySelector<HTMLElement>('tbody tr[tabindex="0"]')!.focus();
  else if (event.key === '?') showKeys();
  else if (/^[1-8]$/.test(event.key)) location.hash = lastAddress(VIEWS[Number(event.key) - 1][0]);
  else return;
  event.preventDefault();
}

// Why what the address asks for is not shown.
let refused = '';

// What the address asks for; where that cannot be shown, the same without its chips, or all of the profile.
async function found(data: Data, asked: Shown): Promise<Profile[]> {
  const { metric, parts } = asked, tries = [asked, { ...ALL, metric, parts }, { ...ALL, parts }, ALL];
  for (const shown of tries) {
    data.shown = shown;
    try {
      return await data.profiles();
    } catch (error) {
      refused ||= (error as Error).message;
      if (shown === ALL) throw error;
    }
  }
  return [];
}

async function load(data: Data): Promise<App> {
  const { parameters } = readRoute(), { metric, part } = parameters;
  for (const name of CHIP_NAMES) keep(name, parameters[name] ?? '');
  refused = '';
  const profiles = await found(data, data.alone ? ALL : parameters.ranks ? { ...ALL, metric: metric ?? '', ...ranksOf(parameters.ranks) } : { metric: metric ?? '', parts: partsOf(part ?? ''), ...ranksOf(''), ...keptLists() });
  if (!data.alone) { // there the metric and parts are the view Time's own
    keep('metric', profiles[0].metrics.length > 1 ? metricOf(profiles[0]).name : '');
    keep('part', partsText(data.shown.parts));
    keep('ranks', ranksIn(data.shown));
    for (const name of SELECTING) keep(name, data.shown[name]);
  }
  return { data, profiles, unit: String(profiles[0].about.unit ?? 'ns'), whole: Number(profiles[0].about.whole_ns ?? 0) };
}

function lay(app: App, made?: View): void {
  const { leftOut } = app.data, route = readRoute();
  for (const parameters of [route.parameters, ...left.values()])
    if (app.profiles.length < 2 && parameters.other) // a part that is shown no longer
      for (const name of ['other', 'by', 'colour', 'sort']) delete parameters[name];
  history.replaceState(null, '', address(route.view || home(app), route.parameters)); // with the metric
  document.body.replaceChildren(
    el('a', { class: 'skip', href: '#main', click: (event: Event) => { event.preventDefault(); main.focus(); } }, 'to the figures'),
    el('header', {}, el('h1', {}, 'Ascribe'), tabs, about(app), liveStatus(app.data) ?? '', partsShown(app) ?? '', ranksShown(app, route.view, route.parameters) ?? '', metricChoice(app) ?? '',
      el('button', { type: 'button', class: 'go', title: 'go to a function, file, line or view (Ctrl K); ? shows all keys', click: () => openPalette(app, viewsOf(app)) }, 'Go to\u2026'), shareButton(app), themeButton(app)), chipRow(), refused ? el('p', { class: 'warning', role: 'alert' }, refused) : '', main,
    leftOut.length ? el('footer', {}, 'Not in this page: ' + leftOut.join('; ') + '. ascribe view shows all.') : '');
  show(app, made);
}

async function start(): Promise<void> {
  takeTheme();
  const data = openData();
  let app = await load(data);
  addEventListener('hashchange', async () => {
    const { parameters } = readRoute(), { metric, part } = parameters;
    const same = CHIP_NAMES.every((name) => (parameters[name] ?? '') === (kept[name] ?? ''));
    if ((app.data.alone && same) || same && (!metric || metric === metricOf(app.profiles[0]).name) && (part ?? '') === partsText(app.data.shown.parts) && (parameters.ranks ?? '') === ranksIn(app.data.shown)) return show(app);
    app = await load(data).catch((error) => { failed(error); throw error; });
    shown?.view.closed?.();
    shown = null;
    lay(app);
  });
  addEventListener('keydown', (event) => globalKey(app, event));
  lay(app);
  follow(data, () => shown && { name: shown.name, ready: shown.view.ready }, async () => {
    const next = await load(data), route = readRoute(), name = route.view || home(next), top = scrollY;
    const view = (VIEWS.find(([known]) => known === name) ?? VIEWS[0])[2](next, route);
    await view.ready; // what is shown stays until then
    app = next;
    shown?.view.closed?.();
    shown = null;
    lay(app, view);
    scrollTo(scrollX, top);
  });
}

function failed(error: Error): void {
  document.body.replaceChildren(el('p', { class: 'error' }, error.message));
}

start().catch(failed);
