// Calls that the counts do not determine: each with what is possible. One is dragged or typed, the
// others follow; what follows from a choice is marked.

import type { App } from './app';
import { placeLink } from './app';
import type { Attempt, Row } from './data';
import { el } from './dom';
import { count, place } from './format';

export const CHOSEN = '\u2020';

const most = (value: Row[string]) => (value === null ? 'any number' : count(value));

export function between(row: Row): string {
  return row.least_calls === row.most_calls ? '' : `${count(row.least_calls)} \u2026 ${most(row.most_calls)}`;
}

// Calls as they are known: exactly, estimated (~), or depending on a choice.
export function callsText(row: Row): string {
  const estimate = (row.least_calls ?? null) !== null && row.least_calls !== row.most_calls;
  return (estimate ? '~ ' : '') + count(row.calls) + (row.chosen === 1 ? ' ' + CHOSEN : '');
}

// Cells that may follow while a call is dragged, and their rows: of an arc, or of a call site.
const cells = new WeakMap<Element, Row>();
const arcOf = (row: Row) => `${row.caller} ${row.callee}`;

export function callsCell(row: Row): HTMLElement {
  const cell = el('span', { 'data-follows': '' });
  cells.set(cell, row);
  fillCell(cell, row);
  return cell;
}

function fillCell(cell: HTMLElement, row: Row): void {
  const range = (row.least_calls ?? null) !== null ? between(row) : '';
  cell.textContent = callsText(row);
  cell.title = (range ? 'estimated, between ' + range : '') + (row.chosen === 1 ? ' depends on what was chosen' : '');
}

// The slider that the keyboard is on: choosing makes the view anew.
let held: string | null = null;

export function holdAgain(element: HTMLElement): void {
  if (held !== null) element.querySelector<HTMLInputElement>(`input[data-slider="${held}"]`)?.focus();
  held = null;
}

class Dial {
  readonly element = el('div', {});
  private message = el('p', { class: 'status', role: 'status' });
  private rows: { row: Row; possible: HTMLElement }[] = [];
  private wanted: { site: number; value: string; near: number } | null = null;
  private asking = false;
  private wait = 0;

  constructor(private app: App, private id: string, private changed: () => void) {}

  async load(): Promise<boolean> {
    const ask = (end: string) => this.app.data.table('possible', { [end]: this.id, sort: 'calls', limit: 500 });
    const [made, received] = await Promise.all([ask('is.caller'), ask('is.callee')]);
    const seen = new Set<unknown>();
    const rows = [...made.rows, ...received.rows].filter((row) => !seen.has(row.id) && seen.add(row.id)
      && (row.fixed !== null || row.chosen === 1 || row.least_calls !== row.most_calls));
    if (!rows.length) return false;
    this.rows = rows.map((row) => ({ row, possible: el('td', { class: 'number' }, between(row) || 'exact') }));
    const { alone } = this.app.data, chosen = rows.some((row) => row.chosen === 1);
    this.element.replaceChildren(el('h3', {}, 'Calls whose number the counts do not determine'),
      el('p', { class: 'status' }, alone ? 'Estimates (~) with the possible range.'
        : 'Estimates (~) with the possible range. If you know a number, drag or type it: all others follow. Your choices are saved beside the profile.',
      chosen ? ` ${CHOSEN} depends on what ${alone ? 'was chosen' : 'you chose'}. ` : '', chosen && !alone ? el('button', { type: 'button', click: () => this.choose({}) }, 'take all back') : ''),
      el('table', { class: 'dial' }, el('caption', { class: 'hidden' }, 'calls whose number the counts do not determine'),
        el('thead', {}, el('tr', {}, ...['call', 'call site', 'calls', 'possible', ...(!alone ? ['choose'] : chosen ? ['choice'] : [])].map((title, i) => el('th', { scope: 'col', class: i > 1 && i < 4 ? 'number' : '' }, title)))),
        el('tbody', {}, ...this.rows.map(({ row, possible }) => this.row(row, possible, chosen)))), this.message);
    return true;
  }

  private row(row: Row, possible: HTMLElement, chosen: boolean): HTMLElement {
    const name = `${row.caller_name} \u2192 ${row.callee_name}`;
    return el('tr', {}, el('th', { scope: 'row' }, name), el('td', {}, placeLink(row, place(row) || '?')),
      el('td', { class: 'number' }, callsCell(row)), possible,
      !this.app.data.alone ? el('td', {}, this.controls(row, name)) : chosen ? el('td', {}, row.fixed !== null ? 'chosen' : '') : '');
  }

  // The slider goes as far as the counts alone allow; the server takes the nearest that other choices do.
  private controls(row: Row, name: string): HTMLElement {
    const least = Number(row.free_least ?? row.least_calls ?? 0), top = row.chosen === undefined ? row.most_calls : row.free_most ?? row.most_calls;
    const typed = el('input', { type: 'number', min: 0, value: Number(row.calls), 'aria-label': 'calls of ' + name, 'data-site': Number(row.id) });
    typed.addEventListener('change', () => { if (typed.value !== '') this.choose({ site: Number(row.id), value: typed.value }); });
    const slider = top === null ? null : el('input', { type: 'range', 'data-slider': Number(row.id), min: least, max: Number(top), step: 1, value: Number(row.calls), 'aria-label': 'calls of ' + name + ', between what is possible' });
    slider?.addEventListener('input', () => { typed.value = slider.value; this.follow({ site: Number(row.id), value: slider.value, near: 1 }); });
    slider?.addEventListener('change', () => this.release(slider, { site: Number(row.id), value: slider.value, near: 1 }));
    return el('span', { class: 'controls' }, slider, typed, row.fixed !== null
      ? el('button', { type: 'button', 'aria-label': 'take back ' + name, click: () => this.choose({ site: Number(row.id) }) }, 'take back') : null);
  }

  // While one is dragged the others follow: one question at a time, the last value always.
  private async follow(query: { site: number; value: string; near: number }): Promise<void> {
    clearTimeout(this.wait);
    this.wanted = query;
    if (this.asking) return;
    this.asking = true;
    try {
      while (this.wanted) {
        const asked = this.wanted;
        this.wanted = null;
        this.show(await this.app.data.attempt(asked));
      }
    } catch (error) {
      this.say(error as Error);
    } finally {
      this.asking = false;
    }
  }

  private show({ calls }: Attempt): void {
    if (!this.element.isConnected) return;
    const tried = new Map(calls.map(([site, value, least, most]) => [site, { calls: value, least_calls: least, most_calls: most, chosen: 1 }]));
    const more = new Map<string, number>();
    for (const { row, possible } of this.rows) {
      const now = { ...row, ...tried.get(Number(row.id)) } as Row;
      more.set(arcOf(row), (more.get(arcOf(row)) ?? 0) + Number(now.calls) - Number(row.calls));
      possible.textContent = between(now) || 'exact';
    }
    for (const cell of document.querySelectorAll<HTMLElement>('[data-follows]')) {
      const row = cells.get(cell);
      if (!row) continue;
      const arc = row.in_ns !== undefined, change = more.get(arcOf(row)) ?? 0;
      fillCell(cell, arc ? { ...row, calls: Number(row.calls) + change, chosen: change ? 1 : row.chosen } : { ...row, ...tried.get(Number(row.id)) } as Row);
    }
  }

  // Keys change a slider step by step: it is chosen when they rest.
  private release(slider: HTMLInputElement, query: { site: number; value: string; near: number }): void {
    clearTimeout(this.wait);
    this.wait = window.setTimeout(() => {
      if (!this.element.isConnected) return;
      held = document.activeElement === slider ? slider.dataset.slider ?? null : null;
      this.wanted = null;
      this.choose(query);
    }, 400);
  }

  private say(error: Error): void {
    this.message.replaceChildren(el('span', { class: 'error' }, error.message));
  }

  private async choose(query: { site?: number; value?: string; near?: number }): Promise<void> {
    try {
      await this.app.data.choose(query);
      this.changed();
    } catch (error) {
      this.say(error as Error);
    }
  }
}

// Null where the counts leave nothing open.
export async function dialOf(app: App, id: string, changed: () => void): Promise<HTMLElement | null> {
  const dial = new Dial(app, id, changed);
  return (await dial.load()) ? dial.element : null;
}
