// The page: what is recorded, the views, and which of them the address asks for.

import type { App, View } from './app';
import { calls } from './calls';
import { compare } from './compare';
import { openData } from './data';
import { el } from './dom';
import { flame } from './flame';
import { amount, baseName, some } from './format';
import { address, readRoute } from './route';
import { isDark, source } from './source';
import { summary } from './summary';

const VIEWS: [string, string, (app: App, route: ReturnType<typeof readRoute>) => View][] = [
  ['summary', 'Summary', summary], ['source', 'Source', source], ['calls', 'Calls', calls], ['flame', 'Flame graph', flame], ['compare', 'Compare', compare],
];

let shown: { name: string; view: View } | null = null;
const main = el('main', { id: 'main', tabindex: -1 });
const tabs = el('nav', { 'aria-label': 'views' });

function show(app: App): void {
  const route = readRoute();
  const entry = VIEWS.find(([name]) => name === route.view) ?? VIEWS[0];
  if (shown && shown.name === entry[0] && shown.view.update?.(route)) return;
  shown?.view.closed?.();
  const view = entry[2](app, route);
  shown = { name: entry[0], view };
  tabs.replaceChildren(...VIEWS.map(([name, text]) =>
    el('a', { href: address(name), 'aria-current': name === entry[0] ? 'page' : undefined }, text)));
  main.replaceChildren(view.element);
  document.title = view.title + ' \u2013 Ascribe';
  view.shown?.();
}

function about(app: App): HTMLElement {
  const { run, counts, about: profile, runs } = app.profiles[0];
  const parts = [app.whole ? `${amount(app.whole, app.unit)}${app.unit === 'ns' ? ' of CPU time' : ' ' + app.unit}` : null,
    some(counts.functions, 'function'), counts.calls ? some(counts.calls, 'call') + ' counted' : null, runs > 1 ? `${runs} runs` : null];
  const said = parts.filter((part) => part).join(', ');
  return el('span', { class: 'about', title: `${run.command}: ${said}` }, el('strong', { title: String(profile.path) }, baseName(profile.path)), ' ',
    el('code', { title: 'in ' + run.directory }, String(run.command)), ' ', said);
}

function themeButton(app: App): HTMLElement {
  return el('button', { type: 'button', class: 'theme', 'aria-label': 'light or dark', title: 'light or dark', click: () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    shown?.view.closed?.();
    shown = null;
    show(app);
  } }, '\u25d0');
}

// Keys that work everywhere: / to type, 1 to 5 for the views, arrows down into the first table.
function globalKey(event: KeyboardEvent): void {
  const typing = (event.target as Element).closest('input, select, textarea');
  if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
  const filter = document.getElementById('filter');
  if (event.key === '/' && filter) filter.focus();
  else if (/^Arrow(Down|Up)$/.test(event.key) && event.target === document.body && main.querySelector('tbody tr[tabindex="0"]'))
    main.querySelector<HTMLElement>('tbody tr[tabindex="0"]')!.focus();
  else if (/^[1-5]$/.test(event.key)) location.hash = address(VIEWS[Number(event.key) - 1][0]);
  else return;
  event.preventDefault();
}

async function start(): Promise<void> {
  const data = openData(), profiles = await data.profiles();
  const app: App = { data, profiles, unit: String(profiles[0].about.unit ?? 'ns'), whole: Number(profiles[0].about.whole_ns ?? 0) };
  document.body.replaceChildren(
    el('a', { class: 'skip', href: '#main', click: (event: Event) => { event.preventDefault(); main.focus(); } }, 'to the figures'),
    el('header', {}, el('h1', {}, 'Ascribe'), tabs, about(app), themeButton(app)), main,
    data.leftOut.length ? el('footer', {}, 'Not in this page: ' + data.leftOut.join('; ') + '. ascribe view shows all.') : '');
  addEventListener('hashchange', () => show(app));
  addEventListener('keydown', globalKey);
  show(app);
}

start().catch((error) => document.body.replaceChildren(el('p', { class: 'error' }, error.message)));
