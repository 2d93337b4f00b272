// A text to look at: of any length and width, as only the rows in the window are elements. Figures stand beside it,
// ranges of it are coloured, and it is searched, selected and copied whole. Two stand side by side (together()).

import { el } from './dom';
import { atOrBehind, Finder } from './find';
import { visible } from './format';
import { classOf, guttersOf, type Column, type Gutters } from './gutters';
import { cellsOf, type Lines } from './lines';
import { Tokens, type Language } from './tokens';

// Indices in the line, from 0; the end is behind the last character. Of marks that overlap the later one is seen.
export type Mark = { from: number; to: number; class: string; title?: string };
// Stands in the line before the character at this index, but is no part of the text.
export type Badge = { at: number; text: string; class: string; title: string };
// Rows, in order: lines from this one on, or rows without a line, with a text in the first of them.
export type Piece = { line: number; count: number } | { blank: number; text?: string };
export type Place = { line: number; index: number };

export type TextOptions = {
  label: string; // what the text is
  language: Language;
  columns?: Column[];
  figured?: Iterable<number>; // the lines that have figures in the columns
  pieces?: Piece[]; // none: all lines
  numberOf?: (line: number) => string; // what stands for its number, below `numbered`
  numbered?: string;
  link?: (line: number) => string; // where its number leads
  lineClass?: (line: number) => string;
  lineTitle?: (line: number) => string | undefined;
  marks?: (line: number, text: string) => Mark[];
  badges?: (line: number, text: string) => Badge[];
  pick?: (place: Place) => void; // clicked, or Enter
  hover?: (line: number | null) => void;
  whole?: boolean; // the view is the whole page's: Ctrl F is its, wherever the focus is
};

const ROW = 19, SPARE = 16, TAB = 8; // pixels of a row, as in viewer.css; rows drawn above and below the window; cells of a tab
const HIGHEST = 15e6, WIDEST = 15e6; // pixels that every browser can lay out
const LONG = 3000, SNAP = 512, AROUND = 512, STEP = 2048; // characters of a line that is drawn in part; cells
const EDGE = 24; // pixels between the place that is shown and the edge of the window

// Which line stands in which row, both ways.
class Rows {
  readonly count: number;
  private begins: number[] = [];

  constructor(readonly pieces: Piece[]) {
    let row = 0;
    for (const piece of pieces) {
      this.begins.push(row);
      row += 'line' in piece ? piece.count : piece.blank;
    }
    this.count = row;
  }

  private piece(row: number): number { return atOrBehind(this.begins, row + 1) - 1; }

  // 0: none.
  line(row: number): number {
    const at = this.piece(row), piece = this.pieces[at];
    return piece && 'line' in piece ? piece.line + row - this.begins[at] : 0;
  }

  text(row: number): string {
    const at = this.piece(row), piece = this.pieces[at];
    return piece && 'blank' in piece && row === this.begins[at] ? piece.text ?? '' : '';
  }

  // Of the line, or of the first one behind it that has one.
  row(line: number): number {
    let low = 0, high = this.pieces.length;
    const last = (at: number): number => { for (; at >= 0; at--) { const piece = this.pieces[at]; if ('line' in piece) return piece.line + piece.count - 1; } return 0; };
    while (low < high) {
      const middle = (low + high) >> 1;
      if (last(middle) < line) low = middle + 1;
      else high = middle;
    }
    const piece = this.pieces[low];
    return !piece ? Math.max(0, this.count - 1) : 'line' in piece ? this.begins[low] + Math.max(0, line - piece.line) : this.begins[low];
  }
}

const before = (a: Place, b: Place) => a.line < b.line || (a.line === b.line && a.index < b.index);

const SPECIAL = /[^\t\x20-\x7e\u00a1-\u0600\u0620-\u1fff\u2070-\ufefe]/;
let made = 0;
const all: TextView[] = []; // that may be in the document

export class TextView {
  readonly element: HTMLElement;
  readonly tokens: Tokens;
  scrolled: (() => void) | null = null; // the window shows other rows
  private scroller: HTMLElement;
  private inner: HTMLElement;
  private sheet = el('div', { class: 'text-sheet', role: 'rowgroup' });
  private window = el('div', { class: 'text-window', role: 'none' });
  private headings: HTMLElement | null = null;
  private gutters: Gutters;
  private rows: Rows;
  private drawn = new Map<number, HTMLElement>(); // by row
  private indices = new WeakMap<Node, number>(); // of what is drawn: where in its line it begins
  private top = 0; // pixels above the window, if all rows were laid out
  private expected = -1; // of the scroller, where that is not the same
  private cell = 8; // pixels
  private clip = [0, 0]; // cells of long lines that are drawn
  private long = new Map<number, number[]>(); // of long lines: cells before each STEP characters
  private anchor: Place = { line: 1, index: 0 };
  private head: Place = { line: 1, index: 0 };
  private aim = 0; // the index that up and down keep to
  private lit = new Set<number>();
  private hovered: number | null = null;
  private finder: Finder;
  private observer: ResizeObserver;
  private widest = 0; // cells of the longest line
  private laidOut = false; // once
  private id = 'text' + ++made;

  constructor(readonly lines: Lines, private options: TextOptions) {
    this.tokens = new Tokens(lines, options.language, () => this.redraw());
    this.rows = new Rows(options.pieces ?? [{ line: 1, count: lines.count }]);
    this.gutters = guttersOf(options.columns ?? [], options.figured ?? [], lines.count, options.numbered ?? 'line');
    if (options.numberOf) this.gutters.widths[this.gutters.widths.length - 1] = Math.max(4, ...this.gutterTexts());
    if (this.gutters.columns.length) this.headings = el('div', { class: 'headings', role: 'row', 'aria-rowindex': 1 }, ...this.gutters.headings);
    this.sheet.append(this.window);
    this.inner = el('div', { class: 'text-inner', role: 'none' }, this.headings, this.sheet);
    this.scroller = el('div', { class: 'text-scroll', role: 'grid', tabindex: 0, 'aria-label': options.label, 'aria-readonly': 'true', 'aria-multiselectable': 'true',
      'aria-rowcount': this.rows.count + (this.headings ? 1 : 0), 'aria-colcount': this.gutters.widths.length + 1 }, this.inner);
    this.finder = new Finder(lines, () => lines.start(this.selection()[0].line) + this.selection()[0].index, () => this.redraw(), (from, to) => {
      this.select(this.placeOf(from), this.placeOf(to));
      this.show(this.placeOf(from), 'center');
    }, () => this.scroller.focus({ preventScroll: true }));
    this.element = el('div', { class: 'text-view' }, this.finder.element, this.scroller);
    this.gutters.widths.forEach((width, i) => {
      this.gutters.headings[i].classList.add('g' + i);
      this.element.style.setProperty('--g' + i, String(width));
    });
    this.element.style.setProperty('--rows', String(this.rows.count));
    this.sheet.style.height = Math.min(this.rows.count * ROW, HIGHEST) + 'px';
    this.listen();
    this.observer = new ResizeObserver(() => { this.measure(); this.draw(); });
    this.observer.observe(this.scroller);
    for (const view of all.slice()) if (view.laidOut && !view.element.isConnected) view.close();
    all.push(this);
  }

  close(): void {
    this.tokens.close();
    this.observer.disconnect();
    const at = all.indexOf(this);
    if (at >= 0) all.splice(at, 1);
  }

  get place(): Place { return this.head; }
  get focused(): boolean { return this.element.contains(document.activeElement); }

  private *gutterTexts(): Iterable<number> {
    for (const piece of this.rows.pieces) if ('line' in piece) for (let i = 0; i < piece.count; i++) yield this.options.numberOf!(piece.line + i).length;
  }

  // Figures, marks or colours are others.
  redraw(): void {
    this.drawn.clear();
    this.window.replaceChildren();
    this.draw();
  }

  // Lines that stand out until others do, as lines of another text belong to them.
  light(lines: Iterable<number>): void {
    const old = this.lit;
    this.lit = new Set(lines);
    for (const [row, element] of this.drawn) {
      const line = this.rows.line(row);
      if (old.has(line) || this.lit.has(line)) element.classList.toggle('lit', this.lit.has(line));
    }
  }

  // The caret goes there; up to `to`, it is selected.
  select(from: Place, to: Place = from): void {
    const lines = [this.anchor.line, this.head.line, from.line, to.line];
    const old = this.head;
    [this.anchor, this.head, this.aim] = [from, to, to.index];
    this.drawAgain(Math.min(...lines), Math.max(...lines));
    if (old.line !== to.line) this.tellCurrent();
  }

  // Scrolls until it is in the window; to its middle, if it was far away or that is asked for.
  show(place: Place, where: 'center' | 'nearest' = 'nearest'): void {
    const height = this.height(), at = this.rows.row(place.line) * ROW, inside = at >= this.top && at + ROW <= this.top + height;
    if (!inside) {
      const near = where === 'nearest' && at > this.top - height && at < this.top + 2 * height;
      this.scrollTo(near ? (at < this.top ? at : at + ROW - height) : at - height / 2);
    }
    const x = this.cellsBefore(place) * this.cell, room = this.scroller.clientWidth - this.beside(), left = this.scroller.scrollLeft;
    if (x < left || x > left + room - EDGE) this.scroller.scrollLeft = x < room - EDGE ? 0 : x - room / 2;
  }

  // The row in the window's first pixel, with its part that is above.
  get position(): number { return this.top / ROW; }
  set position(row: number) { this.scrollTo(row * ROW); }

  private total(): number { return this.rows.count * ROW; }
  private scaled(): boolean { return this.total() > HIGHEST; }
  private headHeight(): number { return this.headings?.offsetHeight ?? 0; }
  private height(): number { return Math.max(ROW, this.scroller.clientHeight - this.headHeight()); }
  private beside(): number { return (this.window.querySelector('.gutters') as HTMLElement | null)?.offsetWidth ?? 0; }

  private scrollTo(top: number): void {
    const height = this.height(), most = Math.max(0, this.total() - height);
    this.top = Math.max(0, Math.min(most, top));
    this.scroller.scrollTop = this.scaled() ? this.top / most * (HIGHEST - height) : this.top;
    this.expected = this.scroller.scrollTop;
    this.draw();
  }

  private onScroll(): void {
    const { scrollTop } = this.scroller, height = this.height();
    if (!this.scaled()) this.top = scrollTop;
    else if (Math.abs(scrollTop - this.expected) >= 1) {
      this.top = Math.min(1, scrollTop / (HIGHEST - height)) * (this.total() - height);
      this.expected = scrollTop;
    }
    this.scroller.classList.toggle('aside', this.scroller.scrollLeft > 0);
    this.draw();
  }

  private measure(): void {
    const probe = el('span', { class: 'text probe' }, '0'.repeat(100));
    this.window.append(probe);
    this.cell = probe.getBoundingClientRect().width / 100 || 8;
    probe.remove();
    this.laidOut = true;
    this.element.style.setProperty('--view', this.scroller.clientWidth + 'px');
    this.widest ||= this.cellsOfLongest();
    const beside = this.gutters.widths.reduce((sum, width) => sum + width + 2, 2);
    this.inner.style.width = Math.min(WIDEST, Math.ceil((this.widest + 4 + beside) * this.cell)) + 'px';
  }

  private cellsOfLongest(): number {
    let longest = 1, most = -1;
    for (const piece of this.rows.pieces) {
      if (!('line' in piece)) continue;
      for (let line = piece.line; line < piece.line + piece.count; line++) {
        const length = this.lines.start(line + 1) - this.lines.start(line);
        if (length > most) [longest, most] = [line, length];
      }
    }
    return this.cellsBefore({ line: longest, index: most });
  }

  // Rows that come into the window are made, those that are far outside go.
  private draw(): void {
    if (!this.scroller.clientHeight) return;
    const height = this.height(), first = Math.max(0, Math.floor(this.top / ROW) - SPARE), behind = Math.min(this.rows.count, Math.ceil((this.top + height) / ROW) + SPARE);
    this.clipLong();
    for (const [row, element] of this.drawn)
      if (row < first || row >= behind) {
        element.remove();
        this.drawn.delete(row);
      }
    let next = this.window.firstChild;
    for (let row = first; row < behind; row++) {
      const there = this.drawn.get(row);
      if (there) {
        next = there.nextSibling;
        continue;
      }
      const element = this.row(row);
      this.drawn.set(row, element);
      this.window.insertBefore(element, next);
    }
    this.window.style.transform = `translateY(${(this.scaled() ? this.scroller.scrollTop - this.top : 0) + first * ROW}px)`;
    this.tellCurrent();
    this.scrolled?.();
  }

  // Which row the caret is in is said to who cannot see it, while there is such an element.
  private tellCurrent(): void {
    const row = this.rows.row(this.head.line);
    if (this.drawn.has(row)) this.scroller.setAttribute('aria-activedescendant', `${this.id}-${row}`);
    else this.scroller.removeAttribute('aria-activedescendant');
  }

  private drawAgain(from: number, to: number): void {
    for (const [row, element] of this.drawn) {
      const line = this.rows.line(row);
      if (line < from || line > to) continue;
      const made = this.row(row);
      element.replaceWith(made);
      this.drawn.set(row, made);
    }
  }

  // Long lines are drawn around what is in the window.
  private clipLong(): void {
    const left = Math.floor(this.scroller.scrollLeft / this.cell / SNAP) * SNAP, room = Math.ceil(this.scroller.clientWidth / this.cell);
    const clip = [Math.max(0, left - AROUND), left + SNAP + room + AROUND];
    if (clip[0] === this.clip[0] && clip[1] === this.clip[1]) return;
    this.clip = clip;
    for (const [row, element] of this.drawn) if (element.classList.contains('long')) {
      const made = this.row(row);
      element.replaceWith(made);
      this.drawn.set(row, made);
    }
  }

  private cellSteps(line: number): number[] {
    let steps = this.long.get(line);
    if (!steps) {
      if (this.long.size > 100) this.long.clear();
      const text = this.lines.line(line);
      steps = [0];
      for (let at = 0; at < text.length; at += STEP) steps.push(steps[steps.length - 1] + cellsOf(text.slice(at, at + STEP), steps[steps.length - 1], TAB));
      this.long.set(line, steps);
    }
    return steps;
  }

  private cellsBefore({ line, index }: Place): number {
    const start = this.lines.start(line), length = this.lines.end(line) - start;
    const step = length > LONG ? Math.floor(Math.min(index, length) / STEP) : 0, from = step ? this.cellSteps(line)[step] : 0;
    return from + cellsOf(this.lines.text.slice(start + step * STEP, start + Math.min(index, length)), from, TAB);
  }

  private placeOf(offset: number): Place {
    const line = this.lines.lineAt(offset);
    return { line, index: Math.min(offset, this.lines.end(line)) - this.lines.start(line) };
  }

  private selection(): [Place, Place] { return before(this.anchor, this.head) ? [this.anchor, this.head] : [this.head, this.anchor]; }

  private row(row: number): HTMLElement {
    const { options, gutters } = this, line = this.rows.line(row), element = document.createElement('div');
    element.className = 'text-line';
    element.setAttribute('role', 'row');
    element.id = `${this.id}-${row}`;
    element.setAttribute('aria-rowindex', String(row + (this.headings ? 2 : 1)));
    const beside = document.createElement('span'), text = document.createElement('span');
    beside.className = 'gutters';
    text.className = 'text';
    text.setAttribute('role', 'gridcell');
    const cell = (i: number, name: string, shown: string) => {
      const one = document.createElement('span');
      one.className = `${name} g${i}`;
      one.setAttribute('role', 'gridcell');
      if (shown) one.textContent = shown;
      beside.append(one);
      return one;
    };
    gutters.columns.forEach((column, i) => {
      const shown = line ? column.text(line) : '';
      const one = cell(i, classOf(column), shown);
      if (shown) one.title = column.help;
    });
    const number = line ? options.numberOf?.(line) ?? String(line) : '', link = line && options.link?.(line);
    const numbered = cell(gutters.columns.length, 'gutter number', link ? '' : number);
    if (link) numbered.append(el('a', { href: link, tabindex: -1 }, number));
    element.append(beside, text);
    if (!line) {
      element.classList.add('blank');
      text.textContent = this.rows.text(row);
      return element;
    }
    const title = options.lineTitle?.(line), own = options.lineClass?.(line);
    if (title) text.title = visible(title);
    if (own) text.classList.add(...own.split(' '));
    if (this.lit.has(line)) element.classList.add('lit');
    if (line === this.head.line) element.classList.add('current');
    element.setAttribute('aria-selected', String(line === this.head.line));
    this.fill(element, text, line);
    return element;
  }

  // The part of a line that is drawn.
  private part(line: number, whole: string): [from: number, to: number, cells: number] {
    if (whole.length <= LONG) return [0, whole.length, 0];
    const steps = this.cellSteps(line), [first, last] = this.clip;
    const ascii = steps[steps.length - 1] === whole.length;
    if (ascii) return [Math.min(first, whole.length), Math.min(last, whole.length), Math.min(first, whole.length)];
    const from = Math.max(0, atOrBehind(steps, first + 1) - 1), to = Math.min(whole.length, atOrBehind(steps, last) * STEP);
    return [Math.min(from * STEP, whole.length), to, steps[from]];
  }

  private fill(element: HTMLElement, text: HTMLElement, line: number): void {
    const whole = this.lines.line(line), [begin, end, cells] = this.part(line, whole), start = this.lines.start(line);
    if (whole.length > LONG) {
      element.classList.add('long');
      text.style.paddingLeft = `calc(var(--text-pad) + ${cells * this.cell}px)`;
    }
    const tokens = this.tokens.of(line), marks = this.options.marks?.(line, whole) ?? [], badges = this.options.badges?.(line, whole) ?? [];
    const [first, last] = this.selection(), nothing = first.line === last.line && first.index === last.index;
    const selected = nothing || line < first.line || line > last.line ? [0, 0] : [line === first.line ? first.index : 0, line === last.line ? last.index : whole.length];
    const { found } = this.finder, matches: [number, number, boolean][] = [];
    if (found.from.length)
      for (let i = atOrBehind(found.to, start + begin + 1); i < found.from.length && found.from[i] < start + end; i++)
        matches.push([found.from[i] - start, found.to[i] - start, i === this.finder.current]);
    const caret = line === this.head.line ? this.head.index : -1;
    const cuts = [begin, end, ...selected];
    if (caret >= 0) cuts.push(caret);
    for (const { from, to } of tokens) cuts.push(from, to);
    for (const { from, to } of marks) cuts.push(from, to);
    for (const [from, to] of matches) cuts.push(from, to);
    for (const { at } of badges) cuts.push(at);
    const at = Uint32Array.from(cuts.filter((cut) => cut >= begin && cut <= end)).sort();
    let token = 0, match = 0;
    for (let i = 0; i < at.length; i++) {
      const from = at[i], to = i + 1 < at.length ? at[i + 1] : end;
      if (i && from === at[i - 1]) { /* said already */ } else {
        for (const badge of badges) if (badge.at === from) text.append(el('span', { class: 'badge ' + badge.class, title: badge.title }, badge.text));
        if (from === caret) text.append(el('span', { class: 'caret', 'aria-hidden': 'true' }));
      }
      if (from === to) continue;
      while (token < tokens.length && tokens[token].to <= from) token++;
      while (match < matches.length && matches[match][1] <= from) match++;
      const names: string[] = [];
      if (token < tokens.length && tokens[token].from <= from) names.push('t-' + tokens[token].kind);
      let title: string | undefined;
      for (let k = marks.length; k-- > 0;)
        if (marks[k].from <= from && marks[k].to >= to) {
          names.push(marks[k].class);
          title = marks[k].title;
          break;
        }
      if (match < matches.length && matches[match][0] <= from) names.push(matches[match][2] ? 'match now' : 'match');
      if (from >= selected[0] && to <= selected[1]) names.push('selected');
      this.put(text, whole, from, to, names.join(' '), title);
    }
    if (selected[1] === whole.length && line >= first.line && line < last.line) text.append(el('span', { class: 'selected' }, ' '));
  }

  private put(text: HTMLElement, whole: string, from: number, to: number, name: string, title: string | undefined): void {
    const raw = whole.slice(from, to);
    if (SPECIAL.test(raw) && raw.length > 1) {
      for (let at = from; at < to;) {
        const next = whole.codePointAt(at)! > 0xffff ? at + 2 : at + 1, special = SPECIAL.test(whole.slice(at, next));
        let until = next;
        while (!special && until < to && !SPECIAL.test(whole[until])) until++;
        this.put(text, whole, at, special ? Math.min(next, to) : until, name, title);
        at = special ? next : until;
      }
      return;
    }
    const shown = visible(raw), node = document.createTextNode(shown);
    this.indices.set(node, from);
    if (!name && !title && shown === raw) return text.append(node);
    const span = document.createElement('span');
    span.className = shown === raw ? name : name + ' special';
    if (title) span.title = visible(title);
    span.append(node);
    text.append(span);
  }

  // The place under a point of the window.
  private placeAt(x: number, y: number): Place {
    const box = this.sheet.getBoundingClientRect(), above = this.scaled() ? this.top - this.scroller.scrollTop : 0;
    let row = Math.max(0, Math.min(this.rows.count - 1, Math.floor((y - box.top + above) / ROW)));
    while (row > 0 && !this.rows.line(row)) row--;
    const line = Math.max(1, this.rows.line(row)), element = this.drawn.get(row), text = element?.querySelector('.text');
    if (!text) return { line, index: 0 };
    const length = this.lines.end(line) - this.lines.start(line), inside = text.getBoundingClientRect();
    const at = { x, y: inside.top + ROW / 2 }, documented = document as Document & { caretPositionFromPoint?(x: number, y: number): { offsetNode: Node; offset: number } | null };
    const found = documented.caretPositionFromPoint?.(at.x, at.y), range = found ? null : document.caretRangeFromPoint?.(at.x, at.y);
    const node = found?.offsetNode ?? range?.startContainer, offset = found?.offset ?? range?.startOffset ?? 0, index = node ? this.indices.get(node) : undefined;
    if (index !== undefined && text.contains(node!)) {
      const after = offset > 0 && node!.parentElement!.classList.contains('special');
      return { line, index: Math.min(length, index + (after ? 1 : offset)) };
    }
    const left = text.querySelector('span, a')?.getBoundingClientRect().left ?? inside.left;
    return { line, index: x <= Math.max(left, inside.left) ? 0 : length };
  }

  private extend(to: Place): void {
    const old = this.head;
    this.head = to;
    this.drawAgain(Math.min(old.line, to.line), Math.max(old.line, to.line));
    this.tellCurrent();
  }

  private selected(): string {
    const [first, last] = this.selection();
    return this.lines.text.slice(this.lines.start(first.line) + first.index, this.lines.start(last.line) + last.index);
  }

  private listen(): void {
    const { scroller } = this;
    scroller.addEventListener('scroll', () => this.onScroll(), { passive: true });
    if (this.scaled()) scroller.addEventListener('wheel', (event) => {
      if (event.ctrlKey) return;
      const step = event.deltaMode === 1 ? ROW : event.deltaMode === 2 ? this.height() : 1;
      scroller.scrollLeft += event.deltaX * step;
      this.scrollTo(this.top + event.deltaY * step);
      event.preventDefault();
    }, { passive: false });
    scroller.addEventListener('keydown', (event) => this.key(event));
    scroller.addEventListener('copy', (event) => {
      const text = this.selected() || (getSelection()?.toString() ? '' : this.lines.line(this.head.line));
      if (!text) return;
      event.clipboardData!.setData('text/plain', text);
      event.preventDefault();
    });
    scroller.addEventListener('mousedown', (event) => this.press(event));
    scroller.addEventListener('pointermove', (event) => { if (!event.buttons) this.pointAt(event); });
    scroller.addEventListener('pointerleave', () => this.pointAt(null));
    // The browser's menu copies what it knows to be selected.
    scroller.addEventListener('contextmenu', () => {
      const some = [...this.window.querySelectorAll('.selected')];
      if (some.length) getSelection()?.setBaseAndExtent(some[0], 0, some[some.length - 1], some[some.length - 1].childNodes.length);
    });
  }

  private pointAt(event: PointerEvent | null): void {
    const row = event && (event.target as Element).closest('.text-line'), line = row ? this.rows.line(Number(row.id.slice(this.id.length + 1))) || null : null;
    if (line === this.hovered) return;
    this.hovered = line;
    this.options.hover?.(line);
  }

  // Dragging selects; beyond the edges it scrolls. Rows are made anew meanwhile, so a click is what was not dragged.
  private press(event: MouseEvent): void {
    const { scroller } = this, box = scroller.getBoundingClientRect();
    if (event.button !== 0 || (event.target as Element).closest('a, .headings')) return;
    if (event.clientX > box.left + scroller.clientWidth || event.clientY > box.top + scroller.clientHeight) return; // a scroll bar
    event.preventDefault();
    scroller.focus({ preventScroll: true });
    getSelection()?.removeAllRanges();
    const begun = this.placeAt(event.clientX, event.clientY), whole = this.lines.end(begun.line) - this.lines.start(begun.line);
    if (event.detail === 2) {
      const word = this.wordAt(begun);
      return this.select({ line: begun.line, index: word[0] }, { line: begun.line, index: word[1] });
    }
    if (event.detail > 2) return this.select({ line: begun.line, index: 0 }, { line: begun.line, index: whole });
    if (event.shiftKey) this.extend(begun);
    else this.select(begun);
    let last = event, timer = 0, dragged = false;
    const follow = () => {
      const [x, y] = [last.clientX, Math.max(box.top + this.headHeight() + 1, Math.min(box.top + scroller.clientHeight - 1, last.clientY))];
      const by = last.clientY - y;
      if (by) this.scrollTo(this.top + by);
      const aside = last.clientX - Math.max(box.left, Math.min(box.left + scroller.clientWidth, last.clientX));
      if (aside) scroller.scrollLeft += aside;
      const to = this.placeAt(x, y);
      if (to.line !== this.head.line || to.index !== this.head.index) {
        dragged = true;
        this.extend(to);
      }
      clearTimeout(timer);
      if (by || aside) timer = window.setTimeout(follow, 50);
    };
    const moved = (one: MouseEvent) => { last = one; follow(); };
    const ended = () => {
      clearTimeout(timer);
      removeEventListener('mousemove', moved);
      removeEventListener('mouseup', ended);
      if (!dragged && !event.shiftKey) this.options.pick?.(begun);
    };
    addEventListener('mousemove', moved);
    addEventListener('mouseup', ended);
  }

  private wordAt({ line, index }: Place): [number, number] {
    const text = this.lines.line(line), word = /[\w$\u00a0-\uffff]/;
    let [from, to] = [index, index];
    while (from > 0 && word.test(text[from - 1])) from--;
    while (to < text.length && word.test(text[to])) to++;
    return from < to ? [from, to] : [index, Math.min(index + 1, text.length)];
  }

  private key(event: KeyboardEvent): void {
    const control = event.ctrlKey || event.metaKey, { lines } = this;
    if (event.altKey) return;
    const length = (line: number) => lines.end(line) - lines.start(line);
    const { line, index } = this.head, page = Math.max(1, Math.floor(this.height() / ROW) - 1);
    // The nearest row with a line, in this direction.
    const down = (by: number): Place => {
      let row = Math.max(0, Math.min(this.rows.count - 1, this.rows.row(line) + by));
      while (row > 0 && row < this.rows.count - 1 && !this.rows.line(row)) row += Math.sign(by);
      const to = this.rows.line(row) || line;
      return { line: to, index: Math.min(this.aim, length(to)) };
    };
    const text = lines.line(line);
    const beside = (by: number): Place => {
      if (index + by < 0) return line > 1 ? { line: line - 1, index: length(line - 1) } : this.head;
      if (index + by > text.length) return line < lines.count ? { line: line + 1, index: 0 } : this.head;
      const lands = index + by, pair = lands > 0 && lands < text.length && /[\udc00-\udfff]/.test(text[lands]);
      return { line, index: lands + (pair ? by : 0) };
    };
    const end = { line: lines.count, index: length(lines.count) };
    const moves: { [key: string]: () => Place } = {
      ArrowDown: () => down(1), ArrowUp: () => down(-1), PageDown: () => down(page), PageUp: () => down(-page), ArrowLeft: () => beside(-1), ArrowRight: () => beside(1),
      Home: () => (control ? { line: 1, index: 0 } : { line, index: 0 }), End: () => (control ? end : { line, index: text.length }),
    };
    const move = moves[event.key];
    if (move && (!control || event.key === 'Home' || event.key === 'End')) {
      const to = move(), aim = /^(Arrow|Page)(Up|Down)$/.test(event.key) ? this.aim : to.index;
      if (/^Page/.test(event.key)) this.scrollTo(this.top + (event.key === 'PageDown' ? page : -page) * ROW);
      if (event.shiftKey) this.extend(to);
      else this.select(to);
      this.aim = aim;
      this.show(to);
    } else if (control && event.key === 'a') {
      this.select({ line: 1, index: 0 }, end);
    } else if (event.key === 'Enter') this.options.pick?.(this.head);
    else if (event.key === 'Escape' && this.finder.isOpen) this.finder.close();
    else return;
    event.preventDefault();
  }

  // Whether it was one of the keys that find.
  find(event: KeyboardEvent): boolean {
    const control = (event.ctrlKey || event.metaKey) && !event.altKey, key = event.key.toLowerCase();
    const typing = (event.target as Element).closest?.('input, select, textarea');
    if ((control && key === 'f' && !event.shiftKey) || (key === '/' && !control && !event.altKey && !typing)) {
      if (this.finder.element.contains(event.target as Node)) return false; // the second time it is the browser's
      const [first, last] = this.selection();
      this.finder.open(first.line === last.line ? this.selected() : '');
    } else if (this.finder.isOpen && (key === 'f3' || (control && key === 'g'))) this.finder.step(event.shiftKey ? -1 : 1);
    else return false;
    return true;
  }

  get whole(): boolean { return Boolean(this.options.whole); }
}

document.addEventListener('keydown', (event) => {
  if (document.querySelector('dialog[open]')) return;
  const view = all.find((one) => one.focused) ?? all.find((one) => one.whole && one.element.isConnected);
  if (!view?.find(event)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);

// Both show the same rows: what is beside each other stays so.
export function together(a: TextView, b: TextView): void {
  let turn = false;
  const follow = (one: TextView, other: TextView) => () => {
    if (turn || one.position === other.position) return;
    turn = true;
    other.position = one.position;
    turn = false;
  };
  a.scrolled = follow(a, b);
  b.scrolled = follow(b, a);
}
