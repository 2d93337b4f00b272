// A table of rows that come page by page: sorted by a click on a heading, walked by the keyboard.

import type { App } from './app';
import { el } from './dom';
import { scrolled } from './scrolled';
import { columnUnit, inUnit, intervalIn } from './format';
import { copy } from './saving';
import type { Query, Row, Rows } from './data';

export type Column = {
  key: string; // of the row, and what it is sorted by
  title: string;
  help?: string;
  text: (row: Row, step: number) => string;
  scale?: string; // figures are in one unit, which the head names: that of the greatest of these columns (a,b) of the rows
  cell?: (row: Row) => Node; // instead of the text
  number?: boolean;
  faint?: (row: Row) => boolean;
  unsorted?: boolean;
  spare?: 1100 | 1350 | 1500; // pixels: narrower windows do without it
};

// A time, or an amount of what is measured; and its 95 % interval beside it, in the same unit.
export function figureColumn(key: string, title: string, help?: string, scale = key): Column {
  const end = (row: Row, which: string) => row[key.replace(/_ns$/, which)] ?? null;
  const error = (row: Row) => (end(row, '_low_ns') === null || end(row, '_high_ns') === null ? null : (Number(end(row, '_high_ns')) - Number(end(row, '_low_ns'))) / 2);
  return { key, title, help, scale, number: true, text: (row, step) => (typeof row[key] === 'number' ? inUnit(Number(row[key]), error(row), step) : '-') };
}

export function errorColumn(of: string, title = '95 %'): Column {
  return { key: of + '_low_ns', title, number: true, unsorted: true, scale: of + '_ns', help: 'the true figure lies in this interval 95 times out of 100', text: (row, step) => intervalIn(row, of, step) };
}

// Without columns of costs where there are none.
export function withCosts(app: App, columns: Column[]): Column[] {
  return columns.filter((column) => app.whole || !/_ns$/.test(column.key));
}

function classOf(column: Column): string {
  return (column.number ? 'number ' : '') + (column.spare ? 'spare' + column.spare : '');
}

const PAGE = 200, MOST_COPIED = 20000;

export type TableOptions = {
  caption: string;
  columns: Column[];
  load: (query: Query) => Promise<Rows>;
  sort: string;
  up: boolean;
  sorted?: (sort: string, up: boolean) => void;
  open?: (row: Row) => void; // click, Enter
  calls?: (row: Row) => void; // the key c
  loaded?: (rows: Rows) => void;
  unit?: string; // of figures
};

export class Table {
  readonly element: HTMLElement;
  private body = el('tbody');
  private head = el('thead');
  private status = el('p', { class: 'status', role: 'status' });
  private rows: Row[] = [];
  private count = 0;
  private turn = 0; // answers to older questions are thrown away
  private loading = false;
  private steps = new Map<string, [number, string]>(); // units, by scale
  private empty = new Set<Column>(); // no row has anything there
  private first = true; // the page may have been here before
  private copying = el('button', { type: 'button', class: 'copy', title: 'copy all rows, with their exact figures, separated by tabs', click: () => this.copyRows() }, 'copy as TSV');

  constructor(private options: TableOptions) {
    const table = el('table', {}, el('caption', { class: 'hidden' }, options.caption), this.head, this.body);
    const scroller = el('div', { class: 'rows', tabindex: -1 }, table);
    scroller.addEventListener('scroll', () => {
      if (!this.loading) scrolled.set('scroll', scroller.scrollTop, this.rows.length);
      if (scroller.scrollTop + scroller.clientHeight > scroller.scrollHeight - 400) this.more();
    });
    this.body.addEventListener('keydown', (event) => this.key(event));
    this.body.addEventListener('click', (event) => {
      if ((event.target as Element).closest('a, button')) return;
      const at = this.indexOf(event.target as Element);
      if (at >= 0 && !getSelection()?.toString()) this.open(at);
    });
    this.element = el('div', { class: 'table' }, scroller, el('div', { class: 'below' }, this.status, this.copying));
    this.drawHead();
  }

  private drawHead(): void {
    const { columns, sort, up } = this.options;
    this.head.replaceChildren(el('tr', {}, ...columns.map((column) => el('th', {
      scope: 'col', class: classOf(column) + (this.empty.has(column) ? ' empty' : ''), title: column.help,
      'aria-sort': column.key === sort ? (up ? 'ascending' : 'descending') : undefined,
    }, column.unsorted ? this.titleOf(column) : el('button', { type: 'button', click: () => this.sortBy(column) }, this.titleOf(column),
      el('span', { class: 'arrow', 'aria-hidden': 'true' }, column.key === sort ? (up ? ' \u25b2' : ' \u25bc') : ''))))));
  }

  private stepOf({ scale }: Column): number { return this.steps.get(scale ?? '')?.[0] ?? 1; }

  private titleOf(column: Column): string {
    const unit = column.title && !column.unsorted && column.scale ? this.steps.get(column.scale)?.[1] : '';
    return column.title + (unit ? ', ' + unit : '');
  }

  // Before the first rows are drawn: units, and columns that have nothing.
  private measure(rows: Row[]): void {
    const { columns, unit = 'ns', sort } = this.options;
    this.steps.clear();
    for (const { scale } of columns) {
      if (!scale || this.steps.has(scale)) continue;
      const most = (end: string) => Math.max(...scale.split(',').flatMap((key) => rows.map((row) => Math.abs(Number(row[key.replace(/_ns$/, end)] ?? 0)))), 0);
      this.steps.set(scale, columnUnit(most('_ns') || most('_high_ns') || 1, unit)); // of zeros, what they may be
    }
    this.empty = new Set(columns.filter((column, i) => i > 0 && column.number && column.key !== sort && rows.length > 0 && rows.every((row) => /^[-?]?$/.test(column.text(row, this.stepOf(column))))));
    this.drawHead();
  }

  private sortBy(column: Column): void {
    const { options } = this;
    options.up = options.sort === column.key ? !options.up : !column.number;
    options.sort = column.key;
    options.sorted?.(options.sort, options.up);
    this.drawHead();
    this.reload();
  }

  async reload(): Promise<void> {
    const turn = ++this.turn;
    this.loading = true;
    try {
      const [top, rows] = this.first ? scrolled.get('scroll') : [0, 0];
      const found = await this.options.load({ ...this.query(0), limit: Math.max(PAGE, rows) });
      if (turn !== this.turn) return;
      this.first = false;
      this.rows = [];
      this.count = found.count;
      this.body.replaceChildren();
      this.measure(found.rows);
      this.options.loaded?.(found);
      this.append(found.rows);
      this.body.parentElement!.parentElement!.scrollTop = top;
    } catch (error) {
      if (turn === this.turn) this.fail(error as Error);
    } finally {
      if (turn === this.turn) this.loading = false;
    }
  }

  private async more(): Promise<void> {
    if (this.loading || this.rows.length >= this.count) return;
    this.loading = true;
    const turn = this.turn;
    try {
      const found = await this.options.load(this.query(this.rows.length));
      if (turn === this.turn) this.append(found.rows);
    } catch (error) {
      this.fail(error as Error);
    } finally {
      if (turn === this.turn) this.loading = false;
    }
  }

  private query(offset: number): Query {
    return { sort: this.options.sort, up: this.options.up ? 1 : 0, limit: PAGE, offset };
  }

  private fail(error: Error): void {
    this.rows = [];
    this.count = 0;
    this.body.replaceChildren();
    this.status.replaceChildren(el('span', { class: 'error' }, error.message));
  }

  private append(rows: Row[]): void {
    for (const row of rows) {
      const cells = this.options.columns.map((column, i) => {
        const text = column.text(row, this.stepOf(column)), content = column.cell ? column.cell(row) : text;
        if (this.empty.has(column) && text && !/^[-?]$/.test(text)) this.fillColumn(column);
        return el(i === 0 ? 'th' : 'td', {
          scope: i === 0 ? 'row' : undefined,
          class: classOf(column) + (column.faint?.(row) ? ' faint' : '') + (this.empty.has(column) ? ' empty' : ''), title: column.number ? undefined : text,
        }, content);
      });
      this.body.append(el('tr', { tabindex: this.rows.length ? -1 : 0, class: this.options.open ? 'opens' : '' }, ...cells));
      this.rows.push(row);
    }
    this.status.textContent = this.count === 0 ? 'nothing here'
      : this.rows.length < this.count ? `${this.rows.length} of ${this.count} rows` : `${this.count} row${this.count === 1 ? '' : 's'}`;
  }

  // Numbers as they are, not as they are shown.
  private async copyRows(): Promise<void> {
    const columns = this.options.columns.filter((column) => column.title), clean = (text: string) => text.replace(/[\t\n\r]+/g, ' ');
    try {
      const { rows } = await this.options.load({ ...this.query(0), limit: MOST_COPIED });
      const value = (row: Row, column: Column) => clean(typeof row[column.key] === 'number' && column.number ? String(row[column.key]) : column.text(row, this.stepOf(column)));
      const heads = columns.map((column) => (/_ns$/.test(column.key) ? column.key : column.title));
      const done = await copy([heads.map(clean), ...rows.map((row) => columns.map((column) => value(row, column)))].map((cells) => cells.join('\t')).join('\n') + '\n');
      this.copying.textContent = done ? `${rows.length} rows copied` : 'the browser refused';
    } catch (error) {
      this.copying.textContent = (error as Error).message;
    }
  }

  // A later row has something.
  private fillColumn(column: Column): void {
    this.empty.delete(column);
    const at = this.options.columns.indexOf(column) + 1;
    for (const cell of this.element.querySelectorAll(`tr > :nth-child(${at})`)) cell.classList.remove('empty');
  }

  private open(at: number): void {
    this.body.querySelector('.chosen')?.classList.remove('chosen');
    this.body.children[at].classList.add('chosen');
    this.options.open?.(this.rows[at]);
  }

  private indexOf(target: Element): number {
    const row = target.closest('tr');
    return row ? Array.prototype.indexOf.call(this.body.children, row) : -1;
  }

  focus(at = 0): void {
    const row = this.body.children[Math.max(0, Math.min(at, this.body.children.length - 1))] as HTMLElement | undefined;
    if (!row) return;
    this.body.querySelector('[tabindex="0"]')?.setAttribute('tabindex', '-1');
    row.setAttribute('tabindex', '0');
    row.focus();
    row.scrollIntoView({ block: 'nearest' });
    if (at > this.rows.length - 20) this.more();
  }

  private key(event: KeyboardEvent): void {
    const at = this.indexOf(event.target as Element);
    if (at < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    const moves: { [key: string]: number } = {
      ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 20, PageUp: at - 20, Home: 0, End: this.rows.length - 1,
    };
    if (event.key in moves) this.focus(moves[event.key]);
    else if (event.key === 'Enter' && !(event.target as Element).closest('a, button')) this.open(at);
    else if (event.key === 'c') this.options.calls?.(this.rows[at]);
    else return;
    event.preventDefault();
  }
}
