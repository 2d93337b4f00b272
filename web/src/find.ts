// Finding in a text that the page shows a window of: the browser's own search sees only what is drawn.

import { el } from './dom';
import { count } from './format';
import type { Lines } from './lines';

const BLOCK = 1 << 18, SLICE_MS = 8, MOST = 1000000; // characters that are searched at once; time for a step; matches

export type Found = { from: number[]; to: number[] }; // offsets, in order

export class Finder {
  readonly element: HTMLElement;
  readonly found: Found = { from: [], to: [] };
  current = -1; // of the matches
  private input: HTMLInputElement;
  private told = el('span', { class: 'faint', role: 'status' });
  private pattern = el('input', { type: 'checkbox' });
  private exact = el('input', { type: 'checkbox' });
  private timer = 0;
  private done = true;

  // `changed`: matches are others; `go`: to the match that is the current one now. `from`: where to begin.
  constructor(private lines: Lines, private from: () => number, private changed: () => void, private go: (from: number, to: number) => void, private left: () => void) {
    this.input = el('input', { type: 'search', 'aria-label': 'find in the text', placeholder: 'find', spellcheck: 'false' });
    const button = (text: string, title: string, run: () => void) => el('button', { type: 'button', title, 'aria-label': title, click: run }, text);
    this.element = el('div', { class: 'find', role: 'search', hidden: true }, this.input,
      button('\u2191', 'previous match (Shift Enter)', () => this.step(-1)), button('\u2193', 'next match (Enter)', () => this.step(1)),
      el('label', {}, this.pattern, ' regular expression'), el('label', {}, this.exact, ' match case'), this.told,
      button('\u00d7', 'close (Esc)', () => this.close()));
    for (const control of [this.input, this.pattern, this.exact]) control.addEventListener('input', () => this.search());
    this.element.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close();
      else if (event.key === 'Enter' && event.target === this.input) this.step(event.shiftKey ? -1 : 1);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  open(text: string): void {
    this.element.hidden = false;
    if (text) this.input.value = text;
    this.input.focus();
    this.input.select();
    if (this.input.value) this.search();
  }

  get isOpen(): boolean { return !this.element.hidden; }

  close(): void {
    clearTimeout(this.timer);
    this.element.hidden = true;
    this.forget();
    this.left();
  }

  private forget(): void {
    this.found.from.length = this.found.to.length = 0;
    this.current = -1;
    this.changed();
  }

  private expression(): RegExp | null {
    const typed = this.input.value, flags = this.exact.checked ? 'gm' : 'gim';
    if (!typed) return null;
    return new RegExp(this.pattern.checked ? typed : typed.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), flags);
  }

  private search(): void {
    clearTimeout(this.timer);
    this.forget();
    let expression: RegExp | null;
    try {
      expression = this.expression();
      this.input.removeAttribute('aria-invalid');
    } catch {
      this.input.setAttribute('aria-invalid', 'true');
      this.told.textContent = 'not a regular expression';
      return;
    }
    this.done = !expression;
    if (!expression) this.told.textContent = '';
    else this.searchFrom(1, expression, this.from());
  }

  // Block by block, each of whole lines; the first match behind `begin` is gone to as soon as it is known.
  private searchFrom(line: number, expression: RegExp, begin: number): void {
    const { lines, found } = this, until = performance.now() + SLICE_MS;
    do {
      const start = lines.start(line), last = Math.max(line, Math.min(lines.count, lines.lineAt(start + BLOCK) - 1)), text = lines.text.slice(start, lines.end(last));
      for (const match of text.matchAll(expression)) {
        if (!match[0]) continue;
        found.from.push(start + match.index!);
        found.to.push(start + match.index! + match[0].length);
      }
      line = last + 1;
    } while (line <= lines.count && found.from.length < MOST && performance.now() < until);
    this.done = line > lines.count || found.from.length >= MOST;
    if (this.current < 0 && found.from.length) {
      const at = atOrBehind(found.from, begin);
      if (at < found.from.length || this.done) this.to(at % found.from.length);
    }
    this.tell();
    this.changed();
    if (!this.done) this.timer = window.setTimeout(() => this.searchFrom(line, expression, begin), 0);
  }

  step(by: number): void {
    const { length } = this.found.from;
    if (!length) return;
    this.to((this.current + by + length) % length);
    this.tell();
  }

  private to(at: number): void {
    this.current = at;
    this.go(this.found.from[at], this.found.to[at]);
  }

  private tell(): void {
    const { length } = this.found.from;
    this.told.textContent = !length ? (this.done ? 'nothing found' : 'looking\u2026') : `${count(this.current + 1)} of ${count(length)}${this.done ? length >= MOST ? ' and more' : '' : '\u2026'}`;
  }
}

// The first of ascending offsets that is at this one or behind it.
export function atOrBehind(offsets: number[], offset: number): number {
  let low = 0, high = offsets.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (offsets[middle] < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
