// The ranks of a parallel job side by side: how much each has of a figure, of the whole and of one function. A
// click opens the profile of one rank; two groups that are brushed are compared as two profiles are.

import type { App, View } from './app';
import { numbersOf, type Row } from './data';
import { choice, el } from './dom';
import { amount, count, uncertainty } from './format';
import { Messages } from './matrix';
import { shortened } from './names';
import { address, amend, type Route } from './route';

const FUNCTIONS = 200, LONGEST = 60, LABELLED = 48; // in the choice; characters of a name; cells with their number
const CPU = 'CPU time';
const FIGURES: [string, string][] = [['total', 'total time'], ['self', 'self time'], ['calls', 'calls']];
// From so much of the mean on, less or more of it.
const STEPS: [number, number][] = [[0.5, 4], [0.25, 3], [0.1, 2], [0, 1]];

type Rank = { rank: number; host: string; run: number; whole: Row };
type Figure = { value: number; error: number | null };
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
  const { runs, run } = app.profiles[0];
  return app.data.shown.ranks !== '' || (runs > 1 && run?.rank !== null && run?.rank !== undefined);
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

  constructor(title: string, private ranks: Rank[], figures: Figure[], text: (figure: Figure) => string, private groups: Groups, private changed: () => void, private open: (rank: number) => void) {
    const mean = figures.reduce((sum, { value }) => sum + value, 0) / (figures.length || 1), labels = ranks.length <= LABELLED;
    this.cells = ranks.map(({ rank, host }, i) => el('div', { id: `${this.id}-${i}`, role: 'option', class: 'rank ' + classOf(figures[i], mean),
      title: `rank ${rank} on ${host}: ${text(figures[i])}${mean ? `, ${(figures[i].value / mean).toFixed(2)} times the mean` : ''}` }, labels ? String(rank) : ''));
    this.element = el('div', { class: 'ranks' + (labels ? ' labelled' : ''), role: 'listbox', 'aria-multiselectable': 'true', tabindex: 0, 'aria-label': title,
      keydown: (event: KeyboardEvent) => this.key(event), mousedown: (event: MouseEvent) => this.press(event) }, ...this.cells);
    this.draw();
  }

  draw(): void {
    const { a, b } = this.groups;
    this.cells.forEach((cell, i) => {
      const { rank } = this.ranks[i], group = a.has(rank) ? 'a' : b.has(rank) ? 'b' : '';
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
    const chosen = this.ranks.slice(Math.min(from, to), Math.max(from, to) + 1).map(({ rank }) => rank), other = group === 'a' ? 'b' : 'a';
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
      else if (!dragged) this.open(this.ranks[from].rank);
    };
    addEventListener('mousemove', moved);
    addEventListener('mouseup', ended);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const top = this.cells[0]?.offsetTop, across = Math.max(1, this.cells.filter((cell) => cell.offsetTop === top).length);
    const steps: { [key: string]: number } = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across, Home: -this.cells.length, End: this.cells.length };
    const { rank } = this.ranks[this.at], group = event.key === 'a' || event.key === 'b' ? event.key : null;
    if (steps[event.key]) {
      const from = this.at;
      this.at = Math.max(0, Math.min(this.cells.length - 1, this.at + steps[event.key]));
      if (event.shiftKey) {
        const [least, most] = [Math.min(from, this.at), Math.max(from, this.at)];
        for (let i = least; i <= most; i++) { this.groups.a.add(this.ranks[i].rank); this.groups.b.delete(this.ranks[i].rank); }
        this.changed();
      } else this.draw();
      this.cells[this.at].scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') this.open(rank);
    else if (group) {
      if (!this.groups[group].delete(rank)) this.groups[group].add(rank);
      this.groups[group === 'a' ? 'b' : 'a'].delete(rank);
      this.changed();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

// Less or more than the mean, by more than its own uncertainty.
function classOf({ value, error }: Figure, mean: number): string {
  const off = value - mean;
  if (!mean || Math.abs(off) <= (error ?? 0) || off === 0) return 'same';
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

  private get figure(): string { return this.route.parameters.figure ?? 'total'; }

  private change(values: { [name: string]: string | null }): void {
    amend(this.route, values);
    this.load().catch((error: Error) => this.element.replaceChildren(el('p', { class: 'error' }, error.message)));
  }

  private async load(): Promise<void> {
    const { data } = this.app, { name } = this.route.parameters;
    if (data.shown.ranks) {
      this.element.replaceChildren(el('p', {}, `${data.shown.second_ranks ? 'Two groups of ranks are' : 'A part of the job is'} shown. `, el('a', { href: address('ranks', this.route.parameters, { ranks: '' }) }, 'Show all ranks of the job')));
      return;
    }
    const [series, functions, named] = await Promise.all([data.series({ of: 'ranks' }), data.table('functions', { sort: 'total_ns', limit: FUNCTIONS }), name ? data.table('functions', { 'is.name': name, limit: 1 }) : null]);
    this.ranks = series.rows.map((row) => ({ rank: Number(row.rank), host: String(row.host ?? ''), run: Number(row.run), whole: row }));
    const id = named?.rows[0]?.id ?? null, kept = id === null ? null : await data.series({ of: 'runs', id: id as number }), of = kept?.rows.length ? kept : null;
    const names = functions.rows.filter((row) => row.id !== null && row.kind !== 'unattributed').map((row) => String(row.name));
    if (name && !names.includes(name)) names.unshift(name);
    const whole = this.ranks.map(({ whole }) => this.figureOf(whole)), byRun = new Map(of?.rows.map((row) => [row.run, row]));
    this.figures = of ? this.ranks.map(({ run }) => this.figureOf(byRun.get(run) ?? null)) : whole;
    const strip = (title: string, figures: Figure[]) => {
      const made = new Strip(title, this.ranks, figures, (figure) => this.text(figure), this.groups, () => this.drawChosen(), (rank) => this.open([rank]));
      this.strips.push(made);
      return el('div', {}, el('h2', {}, title), el('p', { class: 'status' }, this.sentence(figures)), made.element);
    };
    this.strips = [];
    const figure = FIGURES.find(([key]) => key === this.figure)![1], wholeFigure = this.figure === 'calls' ? 'calls' : this.figure === 'self' ? 'all that functions, kernel and libraries have' : CPU;
    this.element.replaceChildren(
      el('div', { class: 'bar' }, choice('function', [['', 'the whole'], ...names.map((one): [string, string] => [one, shortened(one, LONGEST)])], name ?? '', (name) => this.change({ name })),
        choice('by', FIGURES, this.figure, (figure) => this.change({ figure })), legendOf()),
      el('p', { class: 'status' }, this.app.data.alone ? 'Drag to choose a group, with Shift the second one. ' : 'A click opens a rank. Drag to choose a group, with Shift the second one. ', 'Keys: arrows, Enter opens, a and b put a rank into a group.'),
      strip(`The whole: ${wholeFigure}`, whole), of ? strip(`${name}: ${figure}`, this.figures) : '', this.chosen, this.table(of ? `${shortened(name!, LONGEST)}, ${figure}` : wholeFigure),
      (this.messages ??= new Messages(this.app, this.route, this.nodes())).element);
    if (name && !of) this.chosen.before(el('p', { class: 'warning' }, kept ? `What ${name} cost in each rank is not in ${data.alone ? 'this page' : 'the profile'}.` : `The profile has no function ${name}.`));
    this.drawChosen();
  }

  private figureOf(row: Row | null): Figure {
    if (!row) return { value: 0, error: null };
    const key = this.figure === 'calls' ? 'calls' : this.figure + '_ns', error = row[this.figure + '_uncertainty_ns'];
    return { value: Number(row[key] ?? 0), error: error === null || error === undefined ? null : Number(error) };
  }

  private text({ value, error }: Figure): string {
    return this.figure === 'calls' ? count(value) : `${amount(value, this.app.unit)} ${uncertainty(value, error ?? 0, this.app.unit)}`.trim();
  }

  private sentence(figures: Figure[]): string {
    const mean = figures.reduce((sum, { value }) => sum + value, 0) / (figures.length || 1);
    const [most, least] = [Math.max, Math.min].map((best) => figures.findIndex(({ value }) => value === best(...figures.map((figure) => figure.value))));
    if (!(mean > 0)) return 'No rank has any.';
    return `Rank ${this.ranks[most].rank} has the most, ${this.text(figures[most])}: ${(figures[most].value / mean).toFixed(2)} times the mean of ${this.text({ value: this.figure === 'calls' ? Math.round(mean) : mean, error: null })}. Rank ${this.ranks[least].rank} has the least, ${this.text(figures[least])}.`;
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
    const mean = (group: Set<number>) => {
      const some = this.figures.filter((_, i) => group.has(this.ranks[i].rank));
      return some.reduce((sum, { value }) => sum + value, 0) / (some.length || 1);
    };
    const said = (group: Set<number>, name: string) => (group.size ? el('span', { class: 'group-' + name }, `${name}: ${named(textOf(group))}, ${this.figure === 'calls' ? count(Math.round(mean(group))) : amount(mean(group), this.app.unit)} each`) : '');
    const button = (text: string, run: () => void) => el('button', { type: 'button', click: run }, text);
    if (!a.size && !b.size) return this.chosen.replaceChildren();
    this.chosen.replaceChildren(said(a, 'a'), ' ', said(b, 'b'), ' ',
      a.size ? button('open a', () => this.open([...a])) : '', ' ',
      a.size && b.size ? button('compare a with b', () => this.open([...a], [...b])) : a.size && others.length ? button('compare a with the others', () => this.open([...a], others)) : '', ' ',
      button('choose none', () => { this.groups.a.clear(); this.groups.b.clear(); this.drawChosen(); }));
  }

  private table(title: string): HTMLElement {
    const mean = this.figures.reduce((sum, { value }) => sum + value, 0) / (this.figures.length || 1), head = (text: string, number = true) => el('th', { scope: 'col', class: number ? 'number' : '' }, text);
    return el('div', { class: 'rows' }, el('table', {}, el('caption', { class: 'hidden' }, title + ' of each rank'),
      el('thead', {}, el('tr', {}, head('rank', false), head(title), head('of the mean'), title === CPU ? '' : head(CPU), head('samples'), head('node', false))),
      el('tbody', {}, ...this.ranks.map(({ rank, host, whole }, i) => el('tr', {},
        el('th', { scope: 'row' }, this.app.data.alone ? `rank ${rank}` : el('a', { href: address('overview', {}, { ranks: String(rank) }) }, `rank ${rank}`)),
        el('td', { class: 'number' }, this.text(this.figures[i])), el('td', { class: 'number' }, mean ? (this.figures[i].value / mean).toFixed(2) : '-'),
        title === CPU ? '' : el('td', { class: 'number' }, amount(whole.total_ns, 'ns')), el('td', { class: 'number' }, count(whole.ticks)), el('td', {}, host))))));
  }
}

export function ranks(app: App, route: Route): View { return new RanksView(app, route); }
