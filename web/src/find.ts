// Finding in a text that the page shows a window of: the browser's own search sees only what is drawn.

import { el } from './dom';
import { count } from './format';
import type { Lines } from './lines';

const BLOCK = 1 << 18, SLICE_MS = 8, MOST = 1000000; // characters that are searched at once; time for a step; matches
const LONGEST_MS = 2000; // for a block
const TRIED = 256, TRY_MS = 50, TRIED_BLOCK = 1 << 14; // of an expression that may backtrack without end: characters that are tried, time for a try

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
  private tooSlow = false;

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
    this.tooSlow = false;
    if (!expression) this.told.textContent = '';
    else this.searchFrom(1, expression, this.from());
  }

  // Block by block, each of whole lines; the first match behind `begin` is gone to as soon as it is known.
  private searchFrom(line: number, expression: RegExp, begin: number): void {
    const { lines, found } = this, until = performance.now() + SLICE_MS, repeats = this.pattern.checked && repeatsRepeated(expression), block = repeats ? TRIED_BLOCK : BLOCK;
    do {
      const start = lines.start(line), last = Math.max(line, Math.min(lines.count, lines.lineAt(start + block) - 1)), text = lines.text.slice(start, lines.end(last));
      const begun = performance.now();
      if ((this.tooSlow = repeats && backtracks(expression, text))) break;
      for (const match of text.matchAll(expression)) {
        if (!match[0]) continue;
        found.from.push(start + match.index!);
        found.to.push(start + match.index! + match[0].length);
      }
      line = last + 1;
      this.tooSlow = performance.now() - begun > LONGEST_MS;
    } while (!this.tooSlow && line <= lines.count && found.from.length < MOST && performance.now() < until);
    this.done = this.tooSlow || line > lines.count || found.from.length >= MOST;
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
    const soFar = `${count(this.current + 1)} of ${count(length)}${this.done ? length >= MOST ? ' and more' : '' : '\u2026'}`, stopped = 'the search was stopped: this expression takes too long';
    if (this.tooSlow) this.told.textContent = length ? `${soFar}; ${stopped}` : stopped;
    else this.told.textContent = length ? soFar : this.done ? 'nothing found' : 'looking\u2026';
  }
}

// Whether a group is repeated that has a repetition or a choice of its own: on some texts such an expression never ends.
export const repeatsRepeated = (expression: RegExp): boolean => /[*+}|][^]*\)[*+{]/.test(expression.source);

// Whether it does so on one of these lines. Nothing can end it then, so it is tried on parts that grow slowly; a slow one again, since others may have had the processor.
export function backtracks(expression: RegExp, text: string): boolean {
  const isSlow = (part: string) => {
    const begun = performance.now();
    part.match(expression);
    return performance.now() - begun > TRY_MS;
  };
  for (const line of text.split('\n'))
    for (let start = 0; start < line.length; start += TRIED)
      for (let length = 2; length <= TRIED && start + length < line.length + 2; length += 2) {
        const part = line.slice(start, start + length) + '\0'; // its end is not one that they match
        if (isSlow(part) && isSlow(part)) return true;
      }
  return false;
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
