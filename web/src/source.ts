// The text of a file with its costs: lines and expressions coloured, counts and times in the gutter.
// A click on a line tells what was called from there, and from where its function was called.

import type { App, View } from './app';
import { doubt, functionAddress, functionLink, placeLink, textCell } from './app';
import { comparable, comparedText, comparingControls, expressionOf } from './comparing';
import type { Row, Rows } from './data';
import { choice, el } from './dom';
import { amount, baseName, count, measured, place, plain, some, type Value } from './format';
import type { Column } from './gutters';
import { changeClass, exponentClass, heatClass, legend } from './heat';
import { indexOfColumn, Lines } from './lines';
import { address, go, type Route, type Values } from './route';
import { TextView, type Badge, type Mark } from './text_view';
import { languageOf } from './tokens';

// `figures`: its row of source_lines.
type Line = { figures: Row; self: number; total: number | null; calls: number; entries: number; value: number | null; stands: boolean; executed: number | null; growth: number | null; sure: boolean };
type Expression = { line: number; column: number; self: number };
// A range that was counted; its end is behind its last character.
type Counted = { line: number; column: number; endLine: number; endColumn: number; count: number; value: number | null; stands: boolean };
// The loops whose conditions stand on a line, all together.
type Loop = { entries: number; trips: number };

const COLOURS: [string, string][] = [['self', 'self time'], ['total', 'total time'], ['calls', 'calls made'], ['entries', 'calls received']];
const EXECUTED: [string, string] = ['executed', 'executions'];
const NEAR = 64; // lines
const MOST_SITES = 1000; // of a line
const NONE: Rows = { rows: [], count: 0, neutral: 0 };
const LONGEST = 80; // of a function's name in the panel, in characters
const GROWTH: [string, string] = ['growth', 'growth with n'];

// "83.3 %"
const share = (part: number, sum: number) => `${Number((100 * part / sum).toPrecision(3))} %`;

class SourceView implements View {
  readonly element: HTMLElement;
  readonly title: string;
  private text: TextView | null = null;
  private lines = new Map<number, Line>();
  private expressions = new Map<number, Expression[]>(); // by line
  private counted: Counted[] = [];
  private countedNear = new Map<number, Counted[]>(); // by NEAR lines that have a part of it, outer ones first
  private countsCompared = false;
  private loops = new Map<number, Loop>(); // by line
  private ways: Row[] = []; // of conditions and switches
  private badges = new Map<number, Badge[]>(); // by line
  private functions: Row[] = [];
  private panel = el('aside', { class: 'panel', 'aria-label': 'about the line' });
  private place = el('div', { class: 'editor' });
  private notes = el('div', { class: 'notes' }); // on the whole file
  private legend = el('span', {});
  private colour: string;
  private most = 0; // of the lines' figures
  private mostExpression = 0;
  private target: number;

  // `move`: to another line, or with another colour.
  constructor(private app: App, private route: Route, private file: string,
    private move: (parameters: Values) => void = (parameters) => go('source', parameters), beside = false) {
    const { parameters } = route;
    this.title = baseName(file);
    this.colour = parameters.colour ?? (parameters.other ? 'value' : 'self');
    if (!parameters.colour && !app.whole) this.colour = EXECUTED[0]; // counts only
    this.target = Number(parameters.line ?? 0);
    const colours = parameters.other ? [...COLOURS, ['value', 'comparison'] as [string, string]] : this.growing() ? [...COLOURS, GROWTH] : COLOURS;
    const compared = { other: parameters.other ?? '', by: expressionOf(app, 'lines', parameters.by) };
    this.element = el('section', { class: 'source' },
      el('div', { class: 'bar' }, el('strong', { title: file }, baseName(file)),
        choice('colour', colours, this.colour, (colour) => this.move({ ...this.route.parameters, colour })), this.legend,
        comparable(app, 'lines') && !beside ? comparingControls(app, 'lines', compared, true, (state) =>
          go('source', { ...this.route.parameters, other: state.other, by: state.by, colour: state.other ? 'value' : null })) : null),
      this.notes, el('div', { class: 'split' }, this.place, this.panel));
  }

  shown(): void { this.load().catch((error) => this.place.replaceChildren(el('p', { class: 'error' }, error.message))); }
  closed(): void { this.text?.close(); }

  // Another line of the same file: the text stays, and so does where its reader is in it.
  update(route: Route): boolean {
    const old = this.route.parameters, now = route.parameters;
    if (['file', 'colour', 'other', 'by'].some((name) => old[name] !== now[name])) return false;
    this.route = route;
    this.reveal(Number(now.line ?? 0));
    return true;
  }

  private by(): string { return expressionOf(this.app, 'lines', this.route.parameters.by); }
  private growing(): boolean { return this.app.data.sizes.length > 1 && !this.route.parameters.other; }

  private line(number: number): Line {
    let line = this.lines.get(number);
    if (!line) this.lines.set(number, line = { figures: {}, self: 0, total: null, calls: 0, entries: 0, value: null, stands: false, executed: null, growth: null, sure: false });
    return line;
  }

  private async load(): Promise<void> {
    const { data } = this.app, { other, by } = this.route.parameters;
    const source = await data.source(this.file, other ? { other, by: expressionOf(this.app, 'lines', by) } : this.growing() ? { growth: 1 } : {});
    const { lines, by_function, sites, functions, expressions, places } = source;
    const ofKind = (...kinds: string[]) => expressions.rows.filter((row) => kinds.includes(String(row.kind)));
    for (const row of lines.rows) this.addLine(row);
    const executes = lines.rows.some((row) => row.kind !== null);
    if (!this.route.parameters.colour && executes && this.colour === 'self' && !this.largest()) this.colour = EXECUTED[0]; // no time fell here
    for (const row of by_function.rows) this.addCompared(row);
    this.functions = functions.rows;
    for (const row of functions.rows)
      if (row.line !== null) this.line(Number(row.line)).entries += Number(row.calls ?? 0);
    for (const row of [...by_function.rows, ...sites.rows, ...functions.rows, ...ofKind('code')]) this.addGrowth(row);
    for (const row of places.rows) this.addExpression(row);
    this.addCounted(ofKind('code', 'macro'));
    this.countsCompared = this.comparesCounts();
    if (this.countsCompared) this.addComparedCounts();
    for (const row of ofKind('loop')) this.addLoop(row);
    this.ways = ofKind('branch', 'case');
    if (executes) this.offerExecutions();
    this.drawLegend();
    if (source.text === null) this.withoutText();
    else this.open(source.text);
    const linesWithout = lines.count - lines.rows.length, without = expressions.count - expressions.rows.length;
    if (linesWithout > 0)
      this.notes.append(el('p', { class: 'warning' }, `This page has not all lines of this file with figures: ${count(linesWithout)} of the least executed are left out. A line without a figure may have code.`));
    if (without > 0)
      this.notes.append(el('p', { class: 'warning' }, `This page has not all counted expressions of this file: ${count(without)} of the least executed are left out. A line without a mark may have code.`));
    const objects = executes ? (await data.table('objects', { limit: 1000 })).rows : [];
    if (objects.some((row) => row.counted === 'source' || row.counted === 'both'))
      this.notes.append(el('p', {}, 'Executions were counted in the source, before optimization; inlined copies count together.'));
    if (source.newer)
      this.notes.append(el('p', { class: 'warning' }, 'The file was changed after the program was built: lines may be others.'));
    this.reveal(this.target || this.hottest());
    if (!this.current()) this.panel.replaceChildren(el('p', { class: 'faint' }, 'No line has a figure in this colour. Choose a line: what it calls, and who called its function, is shown here.'));
  }

  private addLine(row: Row): void {
    const line = this.line(Number(row.line));
    line.figures = row;
    line.self = Number(row.self_ns);
    line.total = row.total_ns as number | null;
    line.calls = Number(row.calls ?? 0);
    line.executed = row.executions as number | null;
  }

  // One line may be of several functions: inlined copies, templates. Their differences add up here.
  private addCompared(row: Row): void {
    if (row.line === null || typeof row.value !== 'number') return;
    const line = this.line(Number(row.line));
    line.value = (line.value ?? 0) + row.value;
    line.stands = line.stands || row.stands_out === 1;
  }

  // The steepest of what is known of the line: its time, how often it is executed, the calls that it
  // makes, its function's calls.
  // It counts where it is above 0 by more than its uncertainty.
  private addGrowth(row: Row): void {
    if (row.line === null) return;
    const line = this.line(Number(row.line));
    for (const figure of ['calls', 'self']) {
      const value = row[figure + '_exponent'] ?? null, error = row[figure + '_exponent_uncertainty'] ?? null;
      if (value === null) continue;
      const sure = error !== null && Number(value) - Number(error) > 0;
      if (line.growth === null || (sure && !line.sure) || (sure === line.sure && Number(value) > line.growth)) {
        line.growth = Number(value);
        line.sure = sure;
      }
    }
  }

  private addLoop(row: Row): void {
    const loop = this.loops.get(Number(row.line)) ?? { entries: 0, trips: 0 };
    loop[row.way === 0 ? 'entries' : 'trips'] += Number(row.count);
    this.loops.set(Number(row.line), loop);
  }

  private addExpression(row: Row): void {
    if (row.line === null || row.source_column === null) return;
    const line = Number(row.line), known = this.expressions.get(line) ?? [], column = Number(row.source_column);
    known.push({ line, column, self: Number(row.self_ns) });
    this.expressions.set(line, known);
  }

  private addCounted(rows: Row[]): void {
    this.counted = rows.map((row) => ({ line: Number(row.line), column: Number(row.source_column ?? 0),
      endLine: Number(row.end_line ?? row.line), endColumn: Number(row.end_column ?? 0), count: Number(row.count),
      value: typeof row.value === 'number' ? row.value : null, stands: row.stands_out === 1 }))
      .filter(({ line, endLine }) => line >= 1 && endLine >= line)
      .sort((a, b) => a.line - b.line || a.column - b.column || b.endLine - a.endLine || b.endColumn - a.endColumn);
    for (const one of this.counted)
      for (let near = Math.floor(one.line / NEAR); near <= Math.floor(one.endLine / NEAR); near++) {
        const known = this.countedNear.get(near);
        if (known) known.push(one);
        else this.countedNear.set(near, [one]);
      }
  }

  // A comparison by counts is of ranges. A line without one of its own has that of the first range which begins there.
  private comparesCounts(): boolean {
    return this.colour === 'value' && /\.(calls|count)\b/i.test(this.by()) && this.counted.some(({ value }) => value !== null);
  }
  private addComparedCounts(): void {
    for (const { line, value, stands } of this.counted)
      if (value !== null && this.line(line).value === null) Object.assign(this.line(line), { value, stands });
  }

  private offerExecutions(): void {
    const select = this.element.querySelector('.bar select') as HTMLSelectElement;
    select.append(el('option', { value: EXECUTED[0], selected: this.colour === EXECUTED[0] }, EXECUTED[1]));
  }

  // The ways of each condition that a line has, of each function that has a copy of it; the true one first.
  private waysOf(rows: Row[], copies: boolean): Row[][] {
    const ways = new Map<string, Row[]>();
    for (const row of rows) {
      const pair = row.source_column !== null ? Math.floor(Number(row.way) / 2) : 0;
      const of = [copies ? row.function : '', row.source_column, row.end_line, row.end_column, pair].join(' ');
      ways.set(of, [...ways.get(of) ?? [], row]);
    }
    return [...ways.values()].map((ways) => ways.sort((a, b) => Number(a.way) - Number(b.way)));
  }

  // Which way they went: "conditions: true 60 %, false 40 %".
  private conditions(number: number): string[] {
    const texts = this.waysOf(this.ways.filter((row) => row.line === number && row.kind === 'branch'), true).map((rows) => {
      const sum = rows.reduce((all, row) => all + Number(row.count), 0);
      const shares = rows.map((row) => share(Number(row.count), sum)), [yes, no] = shares;
      return !sum ? '' : rows.length === 2 && rows[0].source_column !== null && rows[0].end_line !== null ? `true ${yes}, false ${no}` : shares.join(', ');
    });
    const found = texts.filter((text) => text);
    return found.length ? [(found.length > 1 ? 'conditions: ' : 'condition: ') + found.join('; ')] : [];
  }

  // How often conditions were true stands behind them, in the line in which they end. Copies count together.
  private addBadges(lines: Lines): void {
    const begin = new Map<number, Row[]>();
    for (const row of this.ways) if (row.kind === 'branch') begin.set(Number(row.line), [...begin.get(Number(row.line)) ?? [], row]);
    for (const [line, rows] of begin)
      for (const ways of this.waysOf(rows, false)) {
        const counts = new Map<Value, number>();
        for (const { way, count } of ways) counts.set(way, (counts.get(way) ?? 0) + Number(count));
        const known = ways[0].source_column !== null && ways[0].end_line !== null, at = known ? Number(ways[0].end_line) : line;
        const [yes, no, ...others] = [...counts.values()], sum = yes + no;
        if (!sum || no === undefined || others.length || at < 1 || at > lines.count) continue;
        const text = lines.line(at), index = known && ways[0].end_column ? indexOfColumn(text, Number(ways[0].end_column)) : text.length;
        const badge = { at: index, text: !yes ? 'never' : !no ? 'always' : share(yes, sum), class: yes && no ? '' : 'one-way',
          title: known ? `true ${count(yes)} times, false ${count(no)} times` : `one way ${count(yes)} times, the other ${count(no)} times` };
        this.badges.set(at, [...this.badges.get(at) ?? [], badge]);
      }
  }

  private hottest(): number {
    let best = 0, most = 0;
    const counts = this.colour === EXECUTED[0], of = (line: Line) => (counts ? line.executed ?? 0 : line.self);
    for (const [number, line] of this.lines) if (of(line) > most) { most = of(line); best = number; }
    return best;
  }

  private figure(line: Line): number {
    if (this.colour === 'executed') return line.executed ?? 0;
    if (this.colour === 'growth') return line.growth ?? 0;
    return this.colour === 'total' ? line.total ?? 0 : this.colour === 'calls' ? line.calls
      : this.colour === 'entries' ? line.entries : this.colour === 'value' ? line.value ?? 0 : line.self;
  }

  private largest(): number {
    let most = 0;
    for (const line of this.lines.values()) most = Math.max(most, Math.abs(this.figure(line)));
    return most;
  }

  private drawLegend(): void {
    const most = this.largest(), time = this.colour === 'self' || this.colour === 'total';
    if (this.colour === 'growth') {
      this.legend.replaceChildren(legend('heat', 'n^0', 'n^2 and more'), el('span', { class: 'swatch same' }), ' not sure');
      return;
    }
    const text = time ? amount(most, this.app.unit) : this.colour === 'value' ? comparedText(most, this.by(), this.app.unit) : count(most);
    this.legend.replaceChildren(this.colour === 'value' ? legend('change', '-' + text, text) : legend('heat', '0', text));
  }

  private lineClass(line: Line, most: number): string {
    if (line.executed === 0 && !line.self) return 'never';
    if (this.colour === 'executed' || this.countsCompared) return '';
    if (this.colour === 'growth') return line.growth === null ? '' : line.sure ? exponentClass(line.growth) : 'same';
    if (this.colour !== 'value') return heatClass(this.figure(line), most);
    return line.value === null ? '' : line.stands ? changeClass(line.value, most) : 'same';
  }

  // Ranges inside of others have their own colour.
  private countedMarks(number: number, text: string): Mark[] {
    const indent = text.length - text.trimStart().length;
    return (this.countedNear.get(Math.floor(number / NEAR)) ?? []).filter(({ line, endLine }) => line <= number && endLine >= number)
      .map(({ line, column, endLine, endColumn, count: times, value, stands }) => ({ from: line === number ? indexOfColumn(text, column) : indent,
        to: endLine === number && endColumn ? indexOfColumn(text, endColumn) : text.length, 
        class: this.colour !== 'value' ? (times ? heatClass(times, this.most) : 'never') : !value ? '' : stands ? changeClass(value, this.most) : 'same',
        title: `executed ${some(times, 'time')}` + (value === null ? '' : `, comparison ${comparedText(value, this.by(), this.app.unit)}`) }));
  }

  // The token where a place begins.
  private expressionMarks(number: number, text: string): Mark[] {
    const ranges = new Map<number, Mark & { self: number }>();
    for (const { column, self } of this.expressions.get(number) ?? []) {
      const index = indexOfColumn(text, column);
      if (index >= text.length) continue;
      const [from, to] = this.text!.tokens.at(number, index), known = ranges.get(from);
      const sum = self + (known?.self ?? 0), name = heatClass(sum, this.mostExpression);
      ranges.set(from, { from, to, self: sum, class: name ? 'expression-' + name : '', title: `itself ${amount(sum, this.app.unit)}` });
    }
    return [...ranges.values()];
  }

  // What stands beside the text.
  private columns(): Column[] {
    const { unit } = this.app, by = this.by(), time = unit === 'ns' ? 'time' : unit;
    const of = (number: number) => this.lines.get(number), colour = this.colour;
    const columns: Column[] = [
      { name: 'self', heading: 'self', unit: time, help: 'spent on the line itself', chosen: colour === 'self' || colour === 'total',
        text: (number) => of(number)?.self ? amount(of(number)!.self, unit) : '' },
      { name: 'calls', heading: 'calls made', unit: '\u2193 received', help: 'calls made here; \u2193 calls received by the function that begins here', chosen: colour === 'calls' || colour === 'entries',
        text: (number) => { const line = of(number); return !line ? '' : line.calls ? count(line.calls) : line.entries ? '\u2193' + count(line.entries) : ''; } },
      { name: 'executed', heading: 'executed', unit: this.loops.size ? 'times, \u21bb trips' : 'times', help: 'times executed by the source, all inlined copies together; ?: not known, but ticks fell on the line; \u21bb trips of a loop, each time it was entered', chosen: colour === 'executed',
        text: (number) => {
          const executed = of(number)?.executed ?? null, kind = of(number)?.figures.kind, loop = this.loops.get(number);
          return (kind === 'unknown' ? '?' : executed === null ? '' : count(executed)) + (loop?.entries ? ' \u21bb' + count(Math.round(loop.trips / loop.entries)) : '');
        } }];
    if (colour === 'growth')
      columns.push({ name: 'value', heading: 'growth', unit: 'with n', help: 'exponent of n', chosen: true,
        text: (number) => { const growth = of(number)?.growth ?? null; return growth === null ? '' : 'n^' + growth.toFixed(2); } });
    if (colour === 'value')
      columns.push({ name: 'value', heading: 'compared', unit: 'with b', help: 'comparison: ' + by, chosen: true,
        text: (number) => { const value = of(number)?.value ?? null; return value === null ? '' : comparedText(value, by, unit); } });
    return columns;
  }

  private open(text: string): void {
    const lines = new Lines(text), { colour } = this;
    this.most = this.largest();
    for (const some of this.expressions.values()) for (const { self } of some) this.mostExpression = Math.max(this.mostExpression, self);
    this.addBadges(lines);
    this.text = new TextView(lines, {
      label: 'source of ' + this.file, language: languageOf(this.file), whole: true, columns: this.columns(), figured: this.lines.keys(),
      lineClass: (number) => { const line = this.lines.get(number); return line ? this.lineClass(line, this.most) : ''; },
      marks: (number, text) => colour === 'executed' || this.countsCompared ? this.countedMarks(number, text) : colour === 'self' ? this.expressionMarks(number, text) : [],
      badges: (number) => this.badges.get(number) ?? [],
      pick: ({ line }) => this.pick(line),
    });
    this.place.replaceChildren(this.text.element);
  }

  private withoutText(): void {
    const rows = [...this.lines.entries()].filter(([, line]) => line.self || line.calls).sort((a, b) => a[0] - b[0]);
    this.place.replaceChildren(el('p', { class: 'warning' }, 'The profile does not keep the text of this file. Its lines with figures:'),
      el('table', {}, el('thead', {}, el('tr', {}, ...['line', 'self', 'calls made'].map((title) => el('th', { scope: 'col' }, title)))),
        el('tbody', {}, ...rows.map(([number, line]) => el('tr', {},
          el('th', { scope: 'row' }, el('button', { type: 'button', click: () => this.pick(number) }, number)),
          el('td', { class: 'number' }, amount(line.self, this.app.unit)), el('td', { class: 'number' }, line.calls ? count(line.calls) : ''))))));
  }

  // A click is a step that one can go back from.
  private pick(number: number): void {
    this.move({ ...this.route.parameters, line: number, column: null });
  }

  private reveal(number: number): void {
    if (!number) return;
    const { text } = this, column = Number(this.route.parameters.column ?? 0);
    if (text && number <= text.lines.count) {
      const index = column > 0 ? indexOfColumn(text.lines.line(number), column) : 0, [from, to] = column > 0 ? text.tokens.at(number, index) : [0, 0];
      if (column > 0 || text.place.line !== number) text.select({ line: number, index: from }, { line: number, index: to });
      text.show({ line: number, index: from }, 'center');
    }
    this.tell(number).catch((error) => this.panel.replaceChildren(el('p', { class: 'error' }, error.message)));
  }

  // `all`: how many there are, if not all are in `rows`.
  private list(title: string, rows: Row[], head: string[], cells: (row: Row) => (Node | string)[], all = rows.length): HTMLElement {
    return el('div', {}, el('h3', {}, title), rows.length ? el('table', {},
      el('thead', {}, el('tr', {}, ...head.map((text, i) => el('th', { scope: 'col', class: i ? 'number' : '' }, text)))),
      el('tbody', {}, ...rows.slice(0, 100).map((row) => el('tr', {}, ...cells(row).map((cell, i) => i ? el('td', { class: 'number' }, cell) : el('th', { scope: 'row' }, cell))))))
      : el('p', {}, 'none'), all > 100 ? el('p', {}, `and ${count(all - 100)} more`) : null);
  }

  // Where the code of a line went: copies with the same way there are one. Of a column only the ranges that begin there.
  // Inlined copies count together: only the text of a macro has executions of its own in each.
  private async copies(number: number): Promise<HTMLElement | null> {
    if (!this.counted.length) return null;
    const { data, unit } = this.app, column = Number(this.route.parameters.column ?? 0);
    const rows = (await data.table('copies', { 'is.file': this.file, 'is.line': number, limit: 5000 })).rows;
    const code = rows.filter((row) => row.kind === 'code'), here = code.length ? code : rows.filter((row) => row.kind === 'macro');
    const ways = new Map<string, Row>();
    for (const row of here.filter((row) => !column || row.source_column === column)) {
      const way = `${row.within} ${row.clone ?? ''} ${row.expansion ?? ''}`, known = ways.get(way);
      if (!known) ways.set(way, { ...row });
      else Object.assign(known, { count: row.count === null ? known.count : Math.max(Number(known.count), Number(row.count)), self_ns: Number(known.self_ns) + Number(row.self_ns) });
    }
    const list = [...ways.values()].sort((a, b) => Number(b.count) - Number(a.count) || Number(b.self_ns) - Number(a.self_ns));
    if (!list.length || (list.length === 1 && list[0].expansion === null && list[0].within === list[0].function)) return null;
    return this.list('Copies of it', list, ['in', 'executed', 'self'], (row) => [
      el('span', {}, functionLink(String(row.within_name) + (row.clone ?? ''), row.within, LONGEST), row.through ? ': ' + row.through : ''),
      row.count === null ? '' : count(row.count), amount(row.self_ns, unit)]);
  }

  // How often each case was chosen. Several switches of one range, as a macro has them, are told by a number.
  private switches(number: number): HTMLElement[] {
    const groups = new Map<string, Row[]>();
    for (const row of this.ways.filter((row) => row.line === number && row.kind === 'case')) {
      const of = [row.function, row.source_column, row.end_line, row.end_column, row.way].join(' ');
      groups.set(of, [...groups.get(of) ?? [], row]);
    }
    const sum = (ways: Row[]) => ways.reduce((all, way) => all + Number(way.count), 0);
    const told = [...groups.values()].filter((ways) => sum(ways) > 0 && ways.some((way) => way.label !== null));
    const several = new Set(told.map((ways) => ways[0].function)).size > 1;
    return told.map((ways) => this.list('Switch' + (several ? ' of ' + ways[0].function_name : ''),
      ways.sort((a, b) => Number(b.count) - Number(a.count) || Number(a.id) - Number(b.id)), ['case', 'executed', 'share'], (way) => [
        way.label_line === null ? String(way.label ?? 'not known') : placeLink({ ...way, line: way.label_line, column: null }, String(way.label)),
        count(way.count), `${Number((100 * Number(way.count) / sum(ways)).toPrecision(3))} %`]));
  }

  private async tell(number: number): Promise<void> {
    const { data, unit } = this.app, line = this.lines.get(number);
    const { rows: made, count: all } = line?.calls ? await data.table('sites', { 'is.file': this.file, 'is.line': number, sort: 'calls', limit: MOST_SITES }) : NONE;
    const own = this.functions.filter((row) => row.line === number);
    const parts: HTMLElement[] = [el('h2', {}, `Line ${number}`)];
    const figures = !line ? [] : [line.self ? `self ${measured(line.figures, 'self', unit)}` : '',
      line.total ? `total ${measured(line.figures, 'total', unit)}` : '', line.executed !== null ? `executed ${count(line.executed)} times` : '',
      line.value !== null ? `comparison ${comparedText(line.value, this.by(), unit)}${line.stands ? '' : ' (may be chance)'}` : ''].filter((text) => text);
    if (figures.length) parts.push(el('p', {}, figures.join(', ')));
    if (line?.figures.kind === 'unknown') parts.push(el('p', {}, 'Ticks fell on this line, but its executions are not known: the compiler merged its code with other lines.'));
    const loop = this.loops.get(number);
    if (loop?.entries) parts.push(el('p', {}, `loop entered ${count(loop.entries)} times, ${plain(loop.trips / loop.entries)} trips each`));
    for (const text of this.conditions(number)) parts.push(el('p', {}, text));
    parts.push(...this.switches(number));
    const copies = await this.copies(number);
    if (copies) parts.push(copies);
    if (made.length) {
      const timed = made.some((row) => row.total_ns !== null); // by the line
      const arcs = timed ? NONE : await data.table('arcs', { 'is.caller': [...new Set(made.map((row) => row.caller))].filter((id) => id !== null).join(','), limit: 5000 });
      const time = (row: Row) => timed ? row.total_ns : arcs.rows.find((arc) => arc.caller === row.caller && arc.callee === row.callee)?.out_ns ?? null;
      const through = (row: Row) => (row.through ? ' inlined: ' + row.through : '');
      const byTime = made.slice().sort((a, b) => Number(time(b) ?? 0) - Number(time(a) ?? 0));
      parts.push(this.list(timed ? 'Called from here' : 'Called from here, with all its time from this caller', byTime, ['function', 'calls', 'time'], (row) => [
        el('span', {}, functionLink(String(row.callee_name), row.callee, LONGEST), through(row), doubt(row)), count(row.calls), amount(time(row), unit)], all));
    }
    for (const one of own) {
      const sites = await data.table('sites', { 'is.callee': one.id as number, sort: 'calls', limit: 100 });
      parts.push(el('p', {}, functionLink(String(one.name), one.id, LONGEST), ` ${one.calls === null ? 'calls not counted' : some(one.calls, 'call')}, self ${measured(one, 'self', unit)}, total ${measured(one, 'total', unit)}`));
      if (one.calls === null && !sites.rows.length) parts.push(el('p', {}, 'Its call sites were not counted: ', el('a', { href: functionAddress(String(one.name), one.id) }, 'who called it')));
      else parts.push(this.list('Called from', sites.rows, ['call site', 'calls', 'time'], (row) => [
        el('span', {}, placeLink(row, place(row) || '?'), ' ', row.text ? textCell(row, true) : '', ' ', functionLink(String(row.caller_name), row.caller, LONGEST), doubt(row)), count(row.calls), amount(row.total_ns, unit)]));
    }
    if (!made.length && !own.length) parts.push(el('p', { class: 'faint' }, 'No recorded call is made here, and no function begins here.'));
    if (this.current() === number) this.panel.replaceChildren(...parts);
  }

  private current(): number { return Number(this.route.parameters.line ?? 0) || this.target || this.hottest(); }
}

// The text beside a table: what a row of it is of. The paper (Waddell and Ashley, section 2) has the two side by side.
export class SourceBeside {
  readonly element = el('div', { class: 'beside', 'aria-label': 'source of the row' }, el('p', { class: 'faint' }, 'Choose a row: its source is shown here.'));
  private view: SourceView | null = null;
  private file = '';

  // `moved`: the place that is shown, to be kept.
  constructor(private app: App, private moved: (parameters: Values) => void) {}

  show(parameters: Values): void {
    const file = String(parameters.file), text = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== '');
    const route = { view: 'source', parameters: Object.fromEntries(text.map(([name, value]) => [name, String(value)])) };
    this.moved(parameters);
    if (file === this.file && this.view?.update(route)) return;
    this.view?.closed();
    this.file = file;
    this.view = new SourceView(this.app, route, file, (now) => this.show(now), true);
    this.element.replaceChildren(this.view.element);
    this.view.shown();
  }

  get shows(): boolean { return this.view !== null; }
  closed(): void { this.view?.closed(); }
}

export function source(app: App, route: Route): View {
  if (route.parameters.file) return new SourceView(app, route, route.parameters.file);
  const element = el('section', { class: 'summary' }, el('p', {}, 'Looking for the costliest file\u2026'));
  const first = (kind: string, sort: string) => app.data.table(kind, { sort, limit: 1 });
  first('files', 'self_ns').then(async (costliest) => {
    const counted = costliest.rows[0]?.self_ns ? costliest : await first('source_lines', 'executions');
    const rows = counted.rows[0]?.executions || counted === costliest ? counted.rows : costliest.rows;
    if (rows.length) location.replace(address('source', { file: String(rows[0].file) }));
    else element.replaceChildren(el('p', {}, 'The profile keeps no source text: build with -g, and record where the sources are.'));
  }, (error) => element.replaceChildren(el('p', { class: 'error' }, error.message)));
  return { element, title: 'source' };
}
