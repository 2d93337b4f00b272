// The ranks of a parallel job side by side: how much each has of a figure, of the whole and of one function. A
// click opens the profile of one rank; two groups that are brushed are compared as two profiles are.

import { metricOf, type App, type View } from './app';
import { numbersOf, type Row } from './data';
import { choice, el } from './dom';
import { amount, count, uncertainty } from './format';
import { Messages } from './matrix';
import { shortened } from './names';
import { address, amend, type Route } from './route';

const FUNCTIONS = 200, LONGEST = 60, LABELLED = 48; // in the choice; characters of a name; cells with their number
const CPU = 'CPU time';
// Of MPI: keys of rows, what they are called, their unit.
const OF_MPI: [string, string, string][] = [['calls', 'calls', ''], ['elapsed_ns', 'time in calls', 'ns'], ['waiting_ns', 'time in waits and collective calls', 'ns'],
  ['sent', 'messages sent', ''], ['sent_bytes', 'bytes sent', 'bytes'], ['received', 'messages received', ''], ['received_bytes', 'bytes received', 'bytes']];
const MPI = 'MPI';
// From so much of the mean on, less or more of it.
const STEPS: [number, number][] = [[0.5, 4], [0.25, 3], [0.1, 2], [0, 1]];

type Rank = { rank: number; host: string; run: number; whole: Row };
// `missing`: there is no value, as the rank's own profile is not there, or does not know the total.
type Figure = { value: number; error: number | null; missing?: 'profile' | 'total' };
// What a cell stands for: a rank, or the ranks of a node, whose figure is their mean.
type Place = { label: string; title: string; ranks: number[]; figure: Figure };
// Which figure is shown: of the profile's first metric, of another, or of MPI.
type Chosen = { of: '' | typeof MPI | string; key: string; text: string; unit: string };
type Groups = { a: Set<number>; b: Set<number> }; // of ranks

// "0-3,7"
function textOf(ranks: Iterable<number>): string {
  const sorted = [...ranks].sort((a, b) => a - b), parts: string[] = [];
  for (let i = 0; i < sorted.length; i++) {
    const from = sorted[i];
    while (sorted[i + 1] === sorted[i] + 1) i++;
    parts.push(from === sorted[i] ? String(from) : `${from}-${sorted[i]}`);
  }
  return parts.join(',');
}

const named = (text: string) => (/\D/.test(text) ? 'ranks ' : 'rank ') + text;

// Whether the profile has several ranks, or shows some of a job that has.
export function isJob(app: App): boolean {
  const { runs, run, totals } = app.profiles[0]; // of another metric than the first, all runs are one
  return app.data.shown.ranks !== '' || Number(totals.ranks) > 1 || (runs > 1 && run?.rank !== null && run?.rank !== undefined);
}

// In the head: which ranks all figures are of, and the way back.
export function ranksShown(app: App, view: string, parameters: Route['parameters']): HTMLElement | null {
  const { ranks, second_ranks } = app.data.shown;
  if (!ranks) return null;
  return el('span', { class: 'shown-part' }, second_ranks ? `a: ${named(ranks)}, b: ${named(second_ranks)} of the job ` : `${named(ranks)} of the job `,
    el('button', { type: 'button', title: 'figures of all ranks', click: () => { location.hash = address(view, parameters, { ranks: '' }); } }, 'whole job'));
}

// Cells of all ranks, which are chosen by mouse or by keyboard.
class Strip {
  readonly element: HTMLElement;
  private cells: HTMLElement[];
  private at = 0;
  private static made = 0;
  private id = 'strip' + ++Strip.made;

  constructor(title: string, private places: Place[], text: (figure: Figure) => string, private groups: Groups, private changed: () => void, private open: (ranks: number[]) => void) {
    const mean = meanOf(places.map(({ figure }) => figure)), labels = places.length <= LABELLED;
    this.cells = places.map(({ label, title, figure }, i) => el('div', { id: `${this.id}-${i}`, role: 'option', class: 'rank ' + classOf(figure, mean),
      title: `${title}: ${text(figure)}${mean && !figure.missing ? `, ${(figure.value / mean).toFixed(2)} times the mean` : ''}` }, labels ? label : ''));
    this.element = el('div', { class: 'ranks' + (labels ? ' labelled' : '') + (labels && /\D/.test(places[0]?.label ?? '') ? ' of-nodes' : ''), role: 'listbox', 'aria-multiselectable': 'true', tabindex: 0, 'aria-label': title,
      keydown: (event: KeyboardEvent) => this.key(event), mousedown: (event: MouseEvent) => this.press(event) }, ...this.cells);
    this.draw();
  }

  draw(): void {
    const { a, b } = this.groups;
    this.cells.forEach((cell, i) => {
      const { ranks } = this.places[i], group = ranks.every((rank) => a.has(rank)) ? 'a' : ranks.every((rank) => b.has(rank)) ? 'b' : '';
      cell.classList.toggle('in-a', group === 'a');
      cell.classList.toggle('in-b', group === 'b');
      cell.classList.toggle('at', i === this.at);
      cell.setAttribute('aria-selected', String(group !== ''));
      cell.setAttribute('aria-label', cell.title + (group ? `, in group ${group}` : ''));
    });
    this.element.setAttribute('aria-activedescendant', `${this.id}-${this.at}`);
  }

  private indexOf(event: MouseEvent): number {
    const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest('.rank');
    return cell ? this.cells.indexOf(cell as HTMLElement) : -1;
  }

  private brush(group: 'a' | 'b', from: number, to: number): void {
    const chosen = this.places.slice(Math.min(from, to), Math.max(from, to) + 1).flatMap(({ ranks }) => ranks), other = group === 'a' ? 'b' : 'a';
    this.groups[group] = new Set(chosen);
    for (const rank of chosen) this.groups[other].delete(rank);
    this.changed();
  }

  private press(event: MouseEvent): void {
    const from = this.indexOf(event);
    if (from < 0 || event.button !== 0) return;
    event.preventDefault();
    this.element.focus();
    this.at = from;
    this.draw();
    let dragged = false;
    const moved = (one: MouseEvent) => {
      const to = this.indexOf(one);
      if (to < 0 || (to === from && !dragged)) return;
      dragged = true;
      this.brush(event.shiftKey ? 'b' : 'a', from, to);
    };
    const ended = () => {
      removeEventListener('mousemove', moved);
      removeEventListener('mouseup', ended);
      if (!dragged && event.shiftKey) this.brush('b', from, from);
      else if (!dragged) this.open(this.places[from].ranks);
    };
    addEventListener('mousemove', moved);
    addEventListener('mouseup', ended);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const top = this.cells[0]?.offsetTop, across = Math.max(1, this.cells.filter((cell) => cell.offsetTop === top).length);
    const steps: { [key: string]: number } = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across, Home: -this.cells.length, End: this.cells.length };
    const { ranks } = this.places[this.at], group = event.key === 'a' || event.key === 'b' ? event.key : null;
    if (steps[event.key]) {
      const from = this.at;
      this.at = Math.max(0, Math.min(this.cells.length - 1, this.at + steps[event.key]));
      if (event.shiftKey) {
        const [least, most] = [Math.min(from, this.at), Math.max(from, this.at)];
        for (const rank of this.places.slice(least, most + 1).flatMap((place) => place.ranks)) { this.groups.a.add(rank); this.groups.b.delete(rank); }
        this.changed();
      } else this.draw();
      this.cells[this.at].scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') this.open(ranks);
    else if (group) {
      const there = ranks.every((rank) => this.groups[group].has(rank));
      for (const rank of ranks) {
        this.groups[group][there ? 'delete' : 'add'](rank);
        this.groups[group === 'a' ? 'b' : 'a'].delete(rank);
      }
      this.changed();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function meanOf(figures: Figure[]): number {
  const known = figures.filter(({ missing }) => !missing);
  return known.reduce((sum, { value }) => sum + value, 0) / (known.length || 1);
}

// Less or more than the mean, by more than its own uncertainty.
function classOf({ value, error, missing }: Figure, mean: number): string {
  const off = value - mean;
  if (!mean || missing || Math.abs(off) <= (error ?? 0) || off === 0) return 'same';
  return (off > 0 ? 'more' : 'less') + STEPS.find(([from]) => Math.abs(off) / mean >= from)![1];
}

function legendOf(): HTMLElement {
  const classes = ['less4', 'less3', 'less2', 'less1', 'same', 'more1', 'more2', 'more3', 'more4'];
  return el('span', { class: 'legend', role: 'img', 'aria-label': 'colours from half the mean and less to one and a half times the mean and more' },
    'half the mean ', ...classes.map((name) => el('span', { class: 'swatch ' + name })), ' 1.5 times');
}

class RanksView implements View {
  readonly element = el('section', { class: 'ranks-view' });
  readonly title = 'ranks';
  private groups: Groups;
  private strips: Strip[] = [];
  private chosen = el('div', { class: 'chosen-ranks', role: 'status' });
  private ranks: Rank[] = [];
  private figures: Figure[] = [];
  private messages: Messages | null = null;
  private alike = el('div', { class: 'alike' });
  private talks = false; // ranks call MPI
  private figure: Chosen = { of: '', key: 'total', text: '', unit: 'ns' };

  constructor(private app: App, private route: Route) {
    this.groups = { a: new Set(numbersOf(route.parameters.a)), b: new Set(numbersOf(route.parameters.b)) };
    this.load().catch((error: Error) => this.element.replaceChildren(el('p', { class: 'error' }, error.message)));
  }

  closed(): void { this.messages?.closed(); }

  // Ranks by node.
  private nodes(): Map<string, number[]> {
    const nodes = new Map<string, number[]>();
    for (const { rank, host } of this.ranks) nodes.set(host, [...nodes.get(host) ?? [], rank]);
    return nodes;
  }

  private get byNodes(): boolean { return this.route.parameters.of === 'nodes' && this.nodes().size > 1; }

  // First those of the metric that the profile begins with, by which it was made.
  private choices(first: string): [string, Chosen][] {
    const { metrics } = this.app.profiles[0], unitOf = (name: string) => String(metrics.find((metric) => metric.name === name)?.unit ?? 'ns'), unit = unitOf(first);
    const time = unit === 'ns' ? ' time' : ` ${first}`, others = this.app.data.alone ? [] : metrics.map(({ name }) => String(name)).filter((name) => name !== first);
    return [['total', { of: '', key: 'total', text: 'total' + time, unit }], ['self', { of: '', key: 'self', text: 'self' + time, unit }], ['calls', { of: '', key: 'calls', text: 'calls', unit: '' }],
      ...others.flatMap((name) => ['total', 'self'].map((key): [string, Chosen] => [`${key} ${name}`, { of: name, key, text: `${name}, ${key}`, unit: unitOf(name) }])),
      ...(this.talks ? OF_MPI.map(([key, text, unit]): [string, Chosen] => [`${MPI} ${key}`, { of: MPI, key, text: `MPI: ${text}`, unit }]) : [])];
  }

  private change(values: { [name: string]: string | null }): void {
    amend(this.route, values);
    this.load().catch((error: Error) => this.element.replaceChildren(el('p', { class: 'error' }, error.message)));
  }

  // The function's figures, or those of the whole; null: they are not kept.
  private async ask(shown: Chosen, id: string | undefined): Promise<Figure[] | null> {
    const { data } = this.app, rows = shown.of ? (await data.ranks({ figure: shown.of, id })).rows : id === undefined ? this.ranks.map(({ whole }) => whole) : (await data.series({ of: 'runs', id, metric: '' })).rows;
    const byRun = new Map(rows.map((row): [Row[string], Row] => [row.run, row]));
    return rows.length ? this.ranks.map(({ run }) => this.figureOf(shown, byRun.get(run) ?? null)) : null;
  }

  private async load(): Promise<void> {
    const { data } = this.app, { name } = this.route.parameters;
    if (data.shown.ranks) {
      this.element.replaceChildren(el('p', {}, `${data.shown.second_ranks ? 'Two groups of ranks are' : 'A part of the job is'} shown. `, el('a', { href: address('ranks', this.route.parameters, { ranks: '' }) }, 'Show all ranks of the job')));
      return;
    }
    const [series, functions, functionNamed, sites] = await Promise.all([data.series({ of: 'ranks', metric: '' }), data.table('functions', { sort: 'total_ns', limit: FUNCTIONS, metric: '' }),
      name ? data.table('functions', { 'is.name': name, limit: 1, metric: '' }) : null, data.table('message_sites', { limit: 1, metric: '' })]);
    this.talks = sites.count > 0;
    this.ranks = series.rows.map((row) => ({ rank: Number(row.rank), host: String(row.host ?? ''), run: Number(row.run), whole: row }));
    const first = series.metric ?? metricOf(this.app.profiles[0]).name, choices = this.choices(first), metric = metricOf(this.app.profiles[0]).name;
    const wanted = this.route.parameters.figure ?? (metric === first ? 'total' : `total ${metric}`), [key, shown] = choices.find(([key]) => key === wanted) ?? choices[0];
    const id = functionNamed?.rows[0]?.id ?? undefined, [whole, of] = await Promise.all([this.ask(shown, undefined), id === undefined ? null : this.ask(shown, String(id))]);
    const names = functions.rows.filter((row) => row.id !== null && row.kind !== 'unattributed').map((row) => String(row.name));
    if (name && !names.includes(name)) names.unshift(name);
    this.figure = shown;
    this.figures = of ?? whole ?? [];
    const strip = (title: string, figures: Figure[]) => {
      const made = new Strip(title, this.placesOf(figures), (figure) => this.text(figure), this.groups, () => this.drawChosen(), (ranks) => this.open(ranks));
      this.strips.push(made);
      return el('div', {}, el('h2', {}, title), el('p', { class: 'status' }, this.sentence(figures)), made.element);
    };
    this.strips = [];
    const wholeFigure = shown.of ? shown.text : shown.key === 'calls' ? 'calls' : shown.key === 'self' ? 'all that functions, kernel and libraries have' : shown.unit === 'ns' ? CPU : first;
    const missing = (what: Figure['missing']) => named(textOf(this.ranks.filter((_, i) => this.figures[i]?.missing === what).map(({ rank }) => rank)));
    const lacks = (what: Figure['missing']) => this.figures.some((figure) => figure.missing === what);
    this.element.replaceChildren(
      el('div', { class: 'bar' }, choice('function', [['', 'the whole'], ...names.map((one): [string, string] => [one, shortened(one, LONGEST)])], name ?? '', (name) => this.change({ name })),
        choice('by', choices.map(([key, { text }]) => [key, text]), key, (figure) => this.change({ figure })),
        this.nodes().size > 1 ? choice('of', [['', 'ranks'], ['nodes', 'nodes']], this.byNodes ? 'nodes' : '', (of) => { this.change({ of, rows: null, columns: null }); this.messages?.reload(); }) : '', legendOf()),
      el('p', { class: 'status' }, this.app.data.alone ? 'Drag to choose a group, with Shift the second one. ' : 'A click opens a rank. Drag to choose a group, with Shift the second one. ', 'Keys: arrows, Enter opens, a and b put a rank into a group.'),
      strip(`The whole: ${wholeFigure}`, whole ?? []), of ? strip(`${name}: ${shown.text}`, of) : '', this.chosen, this.byNodes ? this.nodeTable(of ? `${shortened(name!, LONGEST)}, ${shown.text}` : wholeFigure) : this.table(of ? `${shortened(name!, LONGEST)}, ${shown.text}` : wholeFigure),
      this.alike, (this.messages ??= new Messages(this.app, this.route, this.nodes())).element);
    if (name && !of) this.chosen.before(el('p', { class: 'warning' }, id !== undefined ? `What ${name} cost in each rank is not in ${data.alone ? 'this page' : 'the profile'}.` : `The profile has no function ${name}.`));
    if (lacks('profile')) this.chosen.before(el('p', { class: 'warning' }, `This figure is in the ranks\u2019 own profiles. That of ${missing('profile')} is not beside the job\u2019s.`));
    if (lacks('total')) this.chosen.before(el('p', { class: 'warning' }, `The total is unknown in ${missing('total')}: code that is not counted may have called the function.`));
    this.drawChosen();
    if (!this.alike.childElementCount) this.loadAlike().catch((error: Error) => this.alike.replaceChildren(el('p', { class: 'error' }, error.message)));
  }

  private placesOf(figures: Figure[]): Place[] {
    if (!this.byNodes) return figures.map((figure, i) => ({ label: String(this.ranks[i].rank), title: `rank ${this.ranks[i].rank} on ${this.ranks[i].host}`, ranks: [this.ranks[i].rank], figure }));
    return [...this.nodes()].map(([host, ranks]) => {
      const own = figures.filter((_, i) => this.ranks[i].host === host), known = own.filter(({ missing }) => !missing), errors = known.map(({ error }) => error);
      const error = errors.includes(null) ? null : Math.hypot(...errors as number[]) / known.length;
      return { label: host, title: `${host}, ${ranks.length} ranks`, ranks, figure: { value: meanOf(own), error, missing: known.length ? undefined : own[0]?.missing } };
    });
  }

  // Ranks that spend their time alike, in groups.
  private async loadAlike(): Promise<void> {
    const { data } = this.app, found = await data.alike();
    if (!found || !found.groups.length) return;
    const rankOf = new Map(this.ranks.map(({ run, rank }) => [run, rank])), ids = found.groups.flatMap((group) => group.function ?? []);
    const { rows } = ids.length ? await data.table('functions', { 'is.id': ids.join(','), metric: '' }) : { rows: [] };
    const nameOf = new Map(rows.map((row) => [row.id, String(row.name)])), share = (value: number) => (100 * value).toFixed(1) + ' %';
    const groups = found.groups.map((group) => ({ ...group, ranks: group.runs.flatMap((run) => rankOf.get(run) ?? []) }));
    const what = (group: typeof groups[number]) => (group.function === null ? '' : `${share(group.share!)} (others ${share(group.share_elsewhere!)}) of ${nameOf.get(group.function) ?? '?'}`);
    const choose = (name: 'a' | 'b', ranks: number[]) => el('button', { type: 'button', title: `choose these ranks as group ${name}`, click: () => {
      const other = name === 'a' ? 'b' : 'a';
      this.groups[name] = new Set(ranks);
      for (const rank of ranks) this.groups[other].delete(rank);
      for (const strip of this.strips) strip.draw();
      this.drawChosen();
    } }, name);
    const head = (text: string, number = false) => el('th', { scope: 'col', class: number ? 'number' : '' }, text);
    this.alike.replaceChildren(el('h2', {}, 'Ranks that spend their time alike'),
      el('p', { class: 'status' }, groups.length === 1 && !found.differ_within ? 'All ranks do: the shares of functions in self time differ no more than sampling explains (99 %).'
        : `${groups.length} groups. ${found.differ_within ? 'Ranks differ within them, too; more groups are not made.' : 'Within a group, shares of self time differ no more than sampling explains (99 %).'}`),
      groups.length === 1 ? '' : el('div', { class: 'rows', role: 'region', tabindex: 0, 'aria-label': 'groups of ranks' }, el('table', {}, el('caption', { class: 'hidden' }, 'groups of ranks'), el('thead', {}, el('tr', {}, head('group'), head('ranks', true), head('self, mean', true), head('what differs most in share of self time'), head('which ranks'), head('choose as'))),
        el('tbody', {}, ...groups.map((group, i) => el('tr', {}, el('th', { scope: 'row' }, i + 1), el('td', { class: 'number' }, group.ranks.length), el('td', { class: 'number' }, amount(group.mean_self_ns, this.figure.of ? 'ns' : this.figure.unit || 'ns')),
          el('td', { title: what(group) }, what(group)), el('td', { title: textOf(group.ranks) }, shortened(textOf(group.ranks), LONGEST)), el('td', {}, choose('a', group.ranks), ' ', choose('b', group.ranks))))))));
  }

  private figureOf(shown: Chosen, row: Row | null): Figure {
    if (!row) return { value: 0, error: null };
    const key = shown.of === MPI || shown.key === 'calls' ? shown.key : shown.key + '_ns', error = row[shown.key + '_uncertainty_ns'] ?? null;
    return { value: Number(row[key] ?? 0), error: error === null ? null : Number(error), missing: !shown.of || row[key] !== null ? undefined : row.self_ns === null ? 'profile' : 'total' };
  }

  private text({ value, error, missing }: Figure): string {
    const { unit } = this.figure;
    return missing ? '-' : unit === '' ? count(Math.round(value)) : `${amount(value, unit)} ${uncertainty(value, error ?? 0, unit)}`.trim();
  }

  private sentence(figures: Figure[]): string {
    const places = this.placesOf(figures).filter(({ figure }) => !figure.missing), mean = meanOf(places.map(({ figure }) => figure));
    if (!(mean > 0)) return 'No rank has any.';
    const [most, least] = [1, -1].map((sign) => places.reduce((best, place) => (sign * place.figure.value > sign * best.figure.value ? place : best)));
    const name = (place: Place) => (this.byNodes ? place.label : `Rank ${place.label}`);
    return `${name(most)} has the most, ${this.text(most.figure)}${this.byNodes ? ' a rank' : ''}: ${(most.figure.value / mean).toFixed(2)} times the mean of ${this.text({ value: mean, error: null })}. ${name(least)} has the least, ${this.text(least.figure)}.`;
  }

  private open(first: number[], second: number[] = []): void {
    if (!first.length) return;
    if (this.app.data.alone) {
      this.chosen.replaceChildren(el('p', { class: 'warning' }, 'Opening a rank needs ascribe view.'));
      return;
    }
    location.hash = address(second.length ? 'compare' : 'overview', {}, { ranks: [first, second].filter((group) => group.length).map(textOf).join(';') });
  }

  // What was brushed, and what can be done with it.
  private drawChosen(): void {
    const { a, b } = this.groups, others = this.ranks.map(({ rank }) => rank).filter((rank) => !a.has(rank));
    for (const strip of this.strips) strip.draw();
    amend(this.route, { a: a.size ? textOf(a) : null, b: b.size ? textOf(b) : null });
    const mean = (group: Set<number>) => meanOf(this.figures.filter((_, i) => group.has(this.ranks[i].rank)));
    const said = (group: Set<number>, name: string) => (group.size ? el('span', { class: 'group-' + name }, `${name}: ${named(textOf(group))}, ${this.text({ value: mean(group), error: null })} each`) : '');
    const button = (text: string, run: () => void) => el('button', { type: 'button', click: run }, text);
    if (!a.size && !b.size) return this.chosen.replaceChildren();
    this.chosen.replaceChildren(said(a, 'a'), ' ', said(b, 'b'), ' ',
      a.size ? button('open a', () => this.open([...a])) : '', ' ',
      a.size && b.size ? button('compare a with b', () => this.open([...a], [...b])) : a.size && others.length ? button('compare a with the others', () => this.open([...a], others)) : '', ' ',
      button('choose none', () => { this.groups.a.clear(); this.groups.b.clear(); this.drawChosen(); }));
  }

  private table(title: string): HTMLElement {
    const mean = meanOf(this.figures), head = (text: string, number = true) => el('th', { scope: 'col', class: number ? 'number' : '' }, text);
    return el('div', { class: 'rows', role: 'region', tabindex: 0, 'aria-label': title + ' of each rank' }, el('table', {}, el('caption', { class: 'hidden' }, title + ' of each rank'),
      el('thead', {}, el('tr', {}, head('rank', false), head(title), head('of the mean'), title === CPU ? '' : head(CPU), head('samples'), head('node', false))),
      el('tbody', {}, ...this.ranks.map(({ rank, host, whole }, i) => el('tr', {},
        el('th', { scope: 'row' }, this.app.data.alone ? `rank ${rank}` : el('a', { href: address('overview', {}, { ranks: String(rank) }) }, `rank ${rank}`)),
        el('td', { class: 'number' }, this.text(this.figures[i])), el('td', { class: 'number' }, mean && !this.figures[i].missing ? (this.figures[i].value / mean).toFixed(2) : '-'),
        title === CPU ? '' : el('td', { class: 'number' }, amount(whole.total_ns, 'ns')), el('td', { class: 'number' }, count(whole.ticks)), el('td', {}, host))))));
  }

  private nodeTable(title: string): HTMLElement {
    const head = (text: string, number = true) => el('th', { scope: 'col', class: number ? 'number' : '' }, text), places = this.placesOf(this.figures), mean = meanOf(places.map(({ figure }) => figure));
    const ends = (ranks: number[]) => {
      const own = this.ranks.flatMap(({ rank }, i) => (ranks.includes(rank) && !this.figures[i].missing ? [{ rank, figure: this.figures[i] }] : [])).sort((a, b) => a.figure.value - b.figure.value);
      return own.length ? [own[0], own[own.length - 1]].map(({ rank, figure }) => `${this.text({ ...figure, error: null })} (rank ${rank})`) : ['-', '-'];
    };
    return el('div', { class: 'rows', role: 'region', tabindex: 0, 'aria-label': title + ' of each node' }, el('table', {}, el('caption', { class: 'hidden' }, title + ' of each node'),
      el('thead', {}, el('tr', {}, head('node', false), head('ranks'), head(title + ', mean'), head('of the mean'), head('least'), head('most'))),
      el('tbody', {}, ...places.map(({ label, ranks, figure }) => el('tr', {}, el('th', { scope: 'row' }, label), el('td', { class: 'number' }, ranks.length),
        el('td', { class: 'number' }, this.text(figure)), el('td', { class: 'number' }, mean && !figure.missing ? (figure.value / mean).toFixed(2) : '-'), ...ends(ranks).map((end) => el('td', { class: 'number' }, end)))))));
  }
}

export function ranks(app: App, route: Route): View { return new RanksView(app, route); }
