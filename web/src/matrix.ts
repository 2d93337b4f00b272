// Who sends to whom in a parallel job: a matrix of its ranks or nodes, in which many are summed to a cell, the
// same pairs as a table, and the lines that call MPI.

import type { App } from './app';
import { functionLink, placeLink } from './app';
import type { Matrix, Query, Row } from './data';
import { choice, el } from './dom';
import { amount, count, place, some } from './format';
import { heatClass, STEPS } from './heat';
import { amend, type Route } from './route';
import { figureColumn, Table, type Column } from './table';

type Cell = { at: number; to: number; row: Row };
type Figure = 'sent_bytes' | 'sent' | 'elapsed_ns';
const FIGURES: [Figure, string][] = [['sent_bytes', 'bytes'], ['sent', 'messages'], ['elapsed_ns', 'time in calls']];
const WRITTEN = 58, MOST_WRITTEN = 12, LEAST = 4, MOST = 26, WIDEST = 76, HEAD = 18; // pixels; of ranks
const LONGEST = 14; // characters of a node's name

const bytes = (key: string, title: string, help: string): Column => ({ key, title, help, number: true, text: (row) => amount(row[key], 'bytes') });
const number = (key: string, title: string, help?: string): Column => ({ key, title, help, number: true, text: (row) => count(row[key]) });
const TALK = [number('sent', 'sent', 'messages'), bytes('sent_bytes', 'bytes sent', 'of collective calls too'), number('received', 'received', 'messages'), bytes('received_bytes', 'bytes received', 'of collective calls too')];

// "4-7"
function rangeOf(text: string | undefined): [number, number] | null {
  const [, from, to] = /^(\d+)-(\d+)$/.exec(text ?? '') ?? [];
  return from === undefined ? null : [Number(from), Number(to)];
}

export class Messages {
  readonly element = el('div', { class: 'messages' });
  private canvas = el('canvas', { tabindex: 0, role: 'application', 'aria-label': 'who sends to whom: arrows move, Enter opens, Escape shows all; the same is in the table of pairs' });
  private detail = el('p', { class: 'status', role: 'status' });
  private legend = el('span', { class: 'legend', title: 'each step is about 2.7 times the one before' });
  private drawn = el('div', { class: 'matrix' });
  private calls = el('div', { class: 'sites' });
  private matrix!: Matrix;
  private cells: Cell[] = [];
  private byPlace = new Map<string, Cell>();
  private at: [number, number] = [0, 0];
  private left = 0; // of the first column
  private size: [number, number] = [0, 0]; // of a cell
  private observer = new ResizeObserver(() => this.draw());

  constructor(private app: App, private route: Route, private nodes: Map<string, number[]>) {
    this.canvas.addEventListener('mousemove', (event) => this.choose(this.placeAt(event)));
    this.canvas.addEventListener('click', (event) => { const place = this.placeAt(event); if (place) { this.choose(place); this.open(); } });
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', this.draw);
    this.observer.observe(this.element);
    this.load().catch((error: Error) => this.element.replaceChildren(el('p', { class: 'error' }, error.message)));
  }

  closed(): void {
    this.observer.disconnect();
    matchMedia('(prefers-color-scheme: dark)').removeEventListener('change', this.draw);
  }

  private get figure(): Figure { return FIGURES.find(([key]) => key === this.route.parameters.matrix)?.[0] ?? 'sent_bytes'; }
  private get byNodes(): boolean { return this.route.parameters.of === 'nodes' && this.nodes.size > 1 && !this.route.parameters.rows; }

  reload(): void { this.change({}); }

  private change(values: { [name: string]: string | null }): void {
    amend(this.route, values);
    this.load().catch((error: Error) => this.detail.replaceChildren(el('span', { class: 'error' }, error.message)));
  }

  private async load(): Promise<void> {
    const { data } = this.app, { job, rows, columns } = this.route.parameters, [from, to] = rangeOf(rows) ?? [], [partnerFrom, partnerTo] = rangeOf(columns) ?? [];
    this.matrix = await data.matrix({ by: this.byNodes ? 'nodes' : 'ranks', job, from, to, partner_from: partnerFrom, partner_to: partnerTo });
    this.cells = this.matrix.rows.map((row) => ({ at: Number(row.place), to: Number(row.partner_place), row }));
    this.byPlace = new Map(this.cells.map((cell) => [`${cell.at} ${cell.to}`, cell]));
    this.at = [0, 0];
    const { jobs, size, step, unrecorded } = this.matrix;
    const shown = size ? [el('h2', {}, 'Who sends to whom'),
      el('div', { class: 'bar' },
        choice('by', FIGURES, this.figure, (matrix) => this.change({ matrix })),
        jobs.length > 1 ? choice('job', jobs.map((one) => [one ?? '', one ?? 'not known']), this.matrix.job ?? '', (job) => this.change({ job, rows: null, columns: null })) : '',
        rows || columns ? el('button', { type: 'button', click: () => this.change({ rows: null, columns: null }) }, 'all ranks') : '', this.legend),
      el('p', { class: 'status' }, `${this.figure === 'elapsed_ns' ? 'Rows are in calls with columns (MPI_Send, MPI_Recv, MPI_Wait and their like)' : 'Rows send to columns, without collective calls'}. `
        + (unrecorded ? `Not shown: ${some(unrecorded, 'pair')} with ranks that were not recorded, and have no node. ` : '')
        + (step > 1 ? `Each cell sums ${step} by ${step} ${this.byNodes ? 'nodes' : 'ranks'}${data.alone ? '' : ': a click opens it'}.` : 'A click opens a pair.')),
      el('div', { class: 'talkers' }, this.drawn, this.pairs())] : [];
    this.drawn.replaceChildren(this.canvas, this.detail);
    this.element.replaceChildren(...shown, this.calls);
    this.draw();
    this.drawCalls();
  }

  // ---- the picture ----

  private nameOf(place: number, first: number): string {
    const { step, nodes, size } = this.matrix, from = first + place * step, to = Math.min(from + step, size) - 1;
    if (nodes) return step > 1 ? `nodes ${nodes[from]} to ${nodes[to]}` : nodes[from];
    return step > 1 && to > from ? `ranks ${from} to ${to}` : `rank ${from}`;
  }
  private rowName(place: number): string { return this.nameOf(place, this.matrix.first); }
  private columnName(place: number): string { return this.nameOf(place, this.matrix.partner_first); }
  private get places(): [number, number] {
    const { step, rows_shown, columns_shown } = this.matrix;
    return [Math.ceil(rows_shown / step), Math.ceil(columns_shown / step)];
  }

  private text(value: number): string {
    return this.figure === 'sent' ? count(value) : amount(value, this.figure === 'sent_bytes' ? 'bytes' : 'ns');
  }

  private draw = (): void => {
    if (!this.matrix?.size || !this.drawn.clientWidth) return;
    const ratio = devicePixelRatio, [rows, columns] = this.places, style = getComputedStyle(this.element);
    const [ink, faint, line, accent, sans] = ['--ink', '--faint', '--line', '--accent', '--sans'].map((name) => style.getPropertyValue(name));
    this.left = this.matrix.nodes ? 110 : 44;
    const room = this.drawn.clientWidth - this.left, fits = Math.floor(room / columns), written = columns <= MOST_WRITTEN && fits >= WRITTEN;
    const wide = written ? Math.min(WIDEST, fits) : Math.max(LEAST, Math.min(MOST, fits)), high = written ? MOST : wide;
    this.size = [wide, high];
    const width = this.left + columns * wide + 1, height = HEAD + rows * high + 1;
    this.canvas.style.width = width + 'px';
    this.canvas.style.height = height + 'px';
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const most = Math.max(0, ...this.cells.map(({ row }) => Number(row[this.figure])));
    const swatches = Array.from({ length: STEPS }, (_, i) => el('span', { class: 'swatch heat' + (i + 1) }));
    this.legend.replaceChildren('little ', ...swatches, ` ${this.text(most)}`);
    const colours = swatches.map((swatch) => getComputedStyle(swatch).backgroundColor), context = this.canvas.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = '12px ' + sans;
    context.textBaseline = 'middle';
    context.strokeStyle = line;
    context.strokeRect(this.left - 0.5, HEAD - 0.5, columns * wide + 1, rows * high + 1);
    for (const { at, to, row } of this.cells) {
      const value = Number(row[this.figure]), step = heatClass(value, most).replace('heat', '');
      if (!step) continue;
      context.fillStyle = colours[Number(step) - 1];
      context.fillRect(this.left + to * wide, HEAD + at * high, Math.max(wide - (wide > 6 ? 1 : 0), 1), Math.max(high - (wide > 6 ? 1 : 0), 1));
      if (!written) continue;
      context.fillStyle = ink;
      context.textAlign = 'right';
      context.fillText(this.text(value), this.left + (to + 1) * wide - 6, HEAD + (at + 0.5) * high);
    }
    this.drawHeads(context, faint);
    context.strokeStyle = accent;
    context.lineWidth = 2;
    context.strokeRect(this.left + this.at[1] * wide, HEAD + this.at[0] * high, wide, high);
  };

  private drawHeads(context: CanvasRenderingContext2D, colour: string): void {
    const [wide, high] = this.size, [rows, columns] = this.places, { first, partner_first, step, nodes } = this.matrix;
    const every = (size: number, room: number) => [1, 2, 5, 10, 20, 50, 100].find((one) => one * size >= room) ?? 100;
    context.fillStyle = colour;
    context.textAlign = 'right';
    for (let i = 0; i < rows; i += every(high, 14)) {
      const name = nodes ? nodes[first + i * step] : String(first + i * step);
      context.fillText(name.length > LONGEST ? name.slice(0, LONGEST - 1) + '\u2026' : name, this.left - 6, HEAD + (i + 0.5) * high, this.left - 6);
    }
    context.textAlign = 'center';
    for (let i = 0; i < columns; i += every(wide, 34))
      context.fillText(nodes && wide >= WRITTEN ? nodes[partner_first + i * step] : String(partner_first + i * step), this.left + (i + 0.5) * wide, HEAD / 2, Math.max(wide, 34));
  }

  // ---- choosing ----

  private placeAt(event: MouseEvent): [number, number] | null {
    const [wide, high] = this.size, [rows, columns] = this.places, row = Math.floor((event.offsetY - HEAD) / high), column = Math.floor((event.offsetX - this.left) / wide);
    return row >= 0 && column >= 0 && row < rows && column < columns ? [row, column] : null;
  }

  private choose(place: [number, number] | null): void {
    if (!place || (this.at[0] === place[0] && this.at[1] === place[1] && this.detail.textContent)) return;
    this.at = place;
    this.draw();
    const cell = this.byPlace.get(place.join(' ')), back = this.byPlace.get(`${place[1]} ${place[0]}`), square = this.matrix.first === this.matrix.partner_first;
    const pair = `${this.rowName(place[0])} to ${this.columnName(place[1])}: `;
    if (!cell) this.detail.textContent = pair + 'nothing';
    else this.detail.textContent = pair + `${some(cell.row.sent, 'message')}, ${amount(cell.row.sent_bytes, 'bytes')}; ${amount(cell.row.elapsed_ns, 'ns')} in calls with it`
      + (Number(cell.row.pairs) > 1 ? `; ${some(cell.row.pairs, 'pair')} of ranks` : '') + (square && back && place[0] !== place[1] ? `. Back: ${some(back.row.sent, 'message')}, ${amount(back.row.sent_bytes, 'bytes')}` : '');
  }

  private open(): void {
    const { first, partner_first, step, nodes, size } = this.matrix, [row, column] = [first + this.at[0] * step, partner_first + this.at[1] * step];
    const range = (from: number) => `${from}-${Math.min(from + step, size) - 1}`;
    if (step > 1 && this.app.data.alone) this.detail.textContent = 'Opening a cell needs ascribe view.';
    else if (step > 1) this.change({ rows: range(row), columns: range(column) });
    else if (nodes) this.openNodes(nodes[row], nodes[column]);
    else this.openPair(`${row}-${column}`);
  }

  private openNodes(...names: [string, string]): void {
    const [rows, columns] = names.map((name) => { const ranks = this.nodes.get(name) ?? [0]; return `${Math.min(...ranks)}-${Math.max(...ranks)}`; });
    if (this.app.data.alone) this.detail.textContent = 'Opening a cell needs ascribe view.';
    else this.change({ rows, columns });
  }

  private openPair(pair: string | null): void {
    amend(this.route, { pair });
    this.drawCalls();
    if (pair) this.calls.scrollIntoView({ block: 'nearest' });
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const [rows, columns] = this.places, [row, column] = this.at;
    const moves: { [key: string]: [number, number] } = { ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1], Home: [row, 0], End: [row, columns - 1], PageUp: [0, column], PageDown: [rows - 1, column] };
    const limit = (value: number, most: number) => Math.max(0, Math.min(most - 1, value));
    if (moves[event.key]) this.choose([limit(moves[event.key][0], rows), limit(moves[event.key][1], columns)]);
    else if (event.key === 'Enter') this.open();
    else if (event.key === 'Escape' && (this.route.parameters.rows || this.route.parameters.pair)) this.route.parameters.pair ? this.openPair(null) : this.change({ rows: null, columns: null });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // ---- tables ----

  private get ofJob(): Query { return this.matrix.jobs.length > 1 && this.matrix.job !== null ? { 'is.job': this.matrix.job } : {}; }

  private pairs(): HTMLElement {
    const columns: Column[] = [{ key: 'rank', title: 'ranks', text: (row) => `${row.rank} to ${row.partner}` }, ...TALK.map((column) => ({ ...column, help: column.help === 'messages' ? 'messages' : undefined })), figureColumn('elapsed_ns', 'time in calls', 'of the first with the second')];
    const table = new Table({ caption: 'pairs of ranks', columns, sort: this.figure, up: false, unit: 'ns',
      load: (query) => this.app.data.table('message_matrix', { ...query, ...this.ofJob, metric: '' }), open: (row) => this.openPair(`${row.rank}-${row.partner}`) });
    table.reload();
    return table.element;
  }

  private drawCalls(): void {
    const [, rank, partner] = /^(\d+)-(\d+)$/.exec(this.route.parameters.pair ?? '') ?? [];
    const columns: Column[] = [{ key: 'call', title: 'call', text: (row) => String(row.call) },
      { key: 'function_name', title: 'from', text: (row) => String(row.function_name ?? '-'), cell: (row) => (row.function_name === null ? el('span', {}, '-') : functionLink(String(row.function_name), row.function, 40)) },
      { key: 'line', title: 'source', text: (row) => place(row), cell: (row) => placeLink(row, place(row)) },
      number('calls', 'calls'), ...TALK, figureColumn('elapsed_ns', 'time', 'in the calls, by the clock'),
      { key: 'least_ns', title: 'fastest', number: true, help: 'of the calls: if all move equally many bytes, the time above it is waiting', text: (row) => amount(row.least_ns, 'ns') }];
    const table = new Table({ caption: 'calls of MPI', columns, sort: 'elapsed_ns', up: false, unit: 'ns',
      load: (query) => (rank === undefined ? this.app.data.table('message_sites', { ...query, metric: '' }) : this.app.data.table('messages', { ...query, ...this.ofJob, 'is.rank': rank, 'is.partner': partner, metric: '' })),
      loaded: ({ count: rows }) => { if (!rows && rank === undefined) this.calls.replaceChildren(); } });
    this.calls.replaceChildren(el('h2', {}, rank === undefined ? 'Where MPI is called, all ranks together' : `Calls of rank ${rank} with rank ${partner} `,
      rank === undefined ? '' : el('button', { type: 'button', click: () => this.openPair(null) }, 'calls of all ranks')), table.element);
    table.reload();
  }
}
