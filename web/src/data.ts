// Where figures come from: a server that is asked for pages of rows, or the page itself.

import { around, crop, focusOn, turnOver } from './frames';
import { visible, type Value } from './format';
import { learnNames } from './names';

export type Row = { [column: string]: Value };
// What a comparison says: words are its sentences, the heading first.
export type Verdict = {
  whole: 'within chance' | 'more' | 'less' | null; measured: boolean; words: string[];
  certain: number; stand_out: number; may_be_chance: number; calls_differ: number; calls: { name: string; a: number; b: number }[];
};
export type Rows = { rows: Row[]; count: number; neutral: number; verdict?: Verdict };
export type Query = { [parameter: string]: string | number | undefined };
// `other`: its total in the profile that it is compared with.
export type Frame = [depth: number, start: number, total: number, self: number, id: number, fold: number, other?: number];
export type Flame = {
  whole_ns: number; root_ns: number; left_out_ns: number; frames: Frame[]; names: { [id: string]: string };
  objects?: string[]; object_of?: { [id: string]: number }; // by id of a function, its place in objects
};
type Text = { file: string; text: string | null; newer: boolean };
// A file's text, and all that is known of its lines; by_function: each line of one function, where
// profiles are compared or sizes are given; sites: only where sizes are given.
const PARTS = ['lines', 'by_function', 'functions', 'sites', 'expressions', 'places'] as const;
export type Source = Text & { [part in typeof PARTS[number]]: Rows };
export type CodeRow = { address: number; text: string; jumps_to: number | null; self_ns: number; self_high_ns: number | null; file: string | null; line: number | null; inlined: string | null };
export type Code = { asm: { error: string | null; pieces: { name: string; self_ns: number; instructions: CodeRow[] }[] }[] }; // of one function
export type Band = { name: string; function?: number; amounts: number[] };
// Amounts by part of the run; of a level, such as live memory, at the part's end.
export type Times = {
  unit: string; level: number; centres: number; kinds: number; from_ns: number; length_ns: number; end_ns: number; cpu_ns: number[]; bands: Band[];
  axes: { cpu: number[]; allocated: number[] }; // what else each part took; none: not known
};
export type Part = { from_ns: number; to_ns: number };
// What all figures are of, beside the profile: each question says it. Lists are of names, one a line; empty: all.
export const SELECTING = ['threads', 'processes', 'below', 'without'] as const;
// Ranks of a job, as "0-3,7", and a group that is compared with them.
export type Shown = { metric: string; parts: Part[]; ranks: string; second_ranks: string } & { [list in typeof SELECTING[number]]: string };
export const ALL: Shown = { metric: '', parts: [], ranks: '', second_ranks: '', threads: '', processes: '', below: '', without: '' };
export type Series = { axis: 'time' | 'n' | 'rank'; rows: Row[]; metric?: string }; // of ranks: what they are of
// Ranks that spend their time alike: by id of a run; shares of the function in which a group differs most.
export type Alike = { differ_within: boolean; groups: { mean_self_ns: number; function: number | null; share?: number; share_elsewhere?: number; runs: number[] }[] };
// Who sends to whom: cells that sum `step` by `step` ranks, or nodes.
export type Matrix = {
  jobs: (string | null)[]; job: string | null; size: number; step: number; first: number; partner_first: number; rows_shown: number; columns_shown: number;
  nodes?: string[]; unrecorded?: number; rows: Row[]; // unrecorded: pairs of ranks of which one was not, and has no node
};
export type Profile = {
  about: Row; run: Row; origin: Row; threads: Row[]; counts: Row; books: Row; dropped: Row[]; runs: number;
  processes: Row[]; lives: Row; totals: Row; // of threads, where they were looked at while they waited
  unattributed: Row[]; own: Row[]; cut: Row; endings: Row[]; metrics: Row[];
};

// Of each call that would change: site, calls, the least and the most that are possible.
export type Attempt = { value: number; calls: [number, number, number, number | null][] };

// A program that runs, or ran when the page was opened.
export type Live = { turn: number; running: number; age_ns: number; every_ns: number; note: string };

export interface Data {
  readonly turn: number; // after profiles(): which profile of a running program is shown; 0: none runs
  readonly past: boolean; // another page has taken the next turn, and a question about this one was refused
  live(want: boolean): Promise<Live>; // how it is, and whether the next turn is wanted
  readonly alone: boolean; // no server
  readonly leftOut: string[]; // what a page that stands alone has not
  readonly sizes: number[]; // of the profiles' inputs, after profiles(); or none
  comparisons(kind: string): string[] | null; // the expressions that there are; null: any
  readonly asked: string[]; // those that the page was made for
  hasThread(id: string): boolean;
  profiles(): Promise<Profile[]>;
  series(query: Query): Promise<Series>;
  matrix(query: Query): Promise<Matrix>;
  ranks(query: Query): Promise<Rows>; // of a metric, or of MPI
  alike(): Promise<Alike | null>;
  choose(query: Query): Promise<void>; // the dial
  shown: Shown; // for profiles() and what comes then; two parts are compared
  readonly timed: boolean; // after profiles(): the first knows its figures by time
  readonly timedMetrics: string[]; // those that times() has beside the one that is shown
  times(query: Query): Promise<Times>; // always of the whole run
  attempt(query: Query): Promise<Attempt>; // what would follow from it
  table(kind: string, query: Query): Promise<Rows>;
  source(file: string, query: Query): Promise<Source>; // to be compared, or with growth
  flame(query: Query): Promise<Flame>;
  code(id: string): Promise<Code>;
  page(): Promise<string>; // all of it as HTML
}

// "0-3,7"
export function numbersOf(text: string | undefined): number[] {
  return (text ?? '').split(',').flatMap((part) => {
    const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    return from === undefined ? [] : Array.from({ length: Math.max(1, Math.min(100000, Number(to ?? from) - Number(from) + 1)) }, (_, i) => Number(from) + i);
  });
}

// "0-3;7" in addresses: a group, and one that is compared with it.
export function ranksOf(text: string): Pick<Shown, 'ranks' | 'second_ranks'> {
  const [ranks, second_ranks = ''] = text.split(';');
  return { ranks, second_ranks };
}
export const ranksIn = ({ ranks, second_ranks }: Shown) => (second_ranks ? `${ranks};${second_ranks}` : ranks);

// How many ranks each of two profiles sums, where they are of a job.
export function groupSizes({ ranks, second_ranks }: Shown): [number, number] {
  return second_ranks ? [numbersOf(ranks).length, numbersOf(second_ranks).length] : [1, 1];
}

// Names of a parameter, one a line.
export const listed = (text: Query[string]) => String(text ?? '').split('\n').filter((name) => name);
// Whether figures are of some threads, processes or functions only.
export const isSelected = (shown: Shown) => SELECTING.some((list) => shown[list]);

type Packed = { columns: string[]; rows: Value[][]; count: number; neutral?: number; verdict?: Verdict };
type PackedProfile = { [part in keyof Profile]: Row[] };

const NO_ROWS: Rows = { rows: [], count: 0, neutral: 0 };

function unpack(packed: Packed): Rows {
  const rows = packed.rows.map((values) => {
    const row: Row = {};
    packed.columns.forEach((column, i) => { row[column] = values[i]; });
    return row;
  });
  return { rows, count: packed.count, neutral: packed.neutral ?? 0, verdict: packed.verdict };
}

function unpackProfiles(info: { profiles: PackedProfile[] }): Profile[] {
  return info.profiles.map((one) => ({
    about: one.about[0], run: one.runs[0], origin: one.origin[0], threads: one.threads,
    counts: one.counts[0], books: one.books[0], dropped: one.dropped, runs: Number(one.totals[0]?.runs ?? one.runs.length),
    processes: one.processes, lives: one.lives[0], totals: one.totals[0],
    unattributed: one.unattributed, own: one.own, cut: one.cut[0], endings: one.endings,
    metrics: one.metrics,
  }));
}

class ServerData implements Data {
  readonly alone = false;
  readonly leftOut: string[] = [];
  sizes: number[] = [];
  timed = false;
  turn = 0;
  past = false;
  readonly timedMetrics: string[] = [];
  shown = ALL;

  readonly asked: string[] = [];
  comparisons() { return null; }
  hasThread() { return true; }

  private async answer(name: string, query: Query, method = 'GET'): Promise<Response> {
    const parameters = new URLSearchParams(), { parts: [first, second], ...shown } = this.shown;
    for (const [key, value] of Object.entries<Query[string]>({ ...first, second_from_ns: second?.from_ns, second_to_ns: second?.to_ns, ...shown, ...query }))
      if (value !== undefined && value !== '') parameters.set(key, String(value));
    if (this.turn && name !== 'info') parameters.set('turn', String(this.turn));
    let response;
    try {
      response = await fetch('api/' + name + '?' + parameters, { method });
    } catch {
      throw new Error('ascribe view does not answer: it was stopped, or the machine is gone');
    }
    this.past ||= response.status === 409;
    if (!response.ok) throw new Error(visible(await response.text()));
    return response;
  }
  private async ask(name: string, query: Query, method = 'GET'): Promise<any> {
    const answer = await (await this.answer(name, query, method)).json();
    learnNames(answer);
    return answer;
  }
  live(want: boolean): Promise<Live> { return this.ask('live', { want: Number(want) }); }
  async page() { return (await this.answer('page', {})).text(); }

  async profiles() {
    const info = await this.ask('info', {});
    this.sizes = info.sizes;
    this.timed = Boolean(info.timed);
    this.turn = info.turn;
    this.past = false;
    return unpackProfiles(info);
  }
  times(query: Query): Promise<Times> { return this.ask('time', query); }
  async series(query: Query): Promise<Series> {
    const answer = await this.ask('series', query);
    return { axis: answer.axis, rows: unpack(answer).rows, metric: answer.metric };
  }
  async matrix(query: Query): Promise<Matrix> {
    const answer = await this.ask('matrix', { ...query, metric: '' });
    return { ...answer, rows: unpack(answer).rows };
  }
  async ranks(query: Query) { return unpack(await this.ask('ranks', { ...query, metric: '' })); }
  async alike(): Promise<Alike> { return (await this.ask('alike', { metric: '' })).run_groups; }
  async table(kind: string, query: Query) {
    const rows = unpack(await this.ask('table', { kind, ...query })), [a, b] = groupSizes(this.shown);
    if (rows.verdict && a !== b) // it is of sums
      rows.verdict = { ...rows.verdict, whole: null, words: [`${a} ranks are compared with ${b}`, 'The figures of both are sums. Differences are those of one rank on average.'], calls: [], calls_differ: 0 };
    return rows;
  }
  async choose(query: Query) { await this.ask('dial', query, 'PUT'); }
  attempt(query: Query): Promise<Attempt> { return this.ask('dial', { ...query, try: 1 }, 'PUT'); }
  async source(file: string, query: Query): Promise<Source> {
    const answer = await this.ask('source', { file, ...query });
    for (const part of PARTS) answer[part] = answer[part] ? unpack(answer[part]) : NO_ROWS;
    return answer;
  }
  flame(query: Query) { return this.ask('flame', query); }
  code(id: string): Promise<Code> { return this.ask('code', { id }); }
}

type Packet = {
  info: { profiles: PackedProfile[]; sizes: number[] }; tables: { [kind: string]: Packed };
  flames: { [thread: string]: Flame[] }; // top-down and bottom-up; '': of all threads
  codes: { [id: string]: Code }; // of the costliest functions
  flames_of_second?: Flame[]; // of the profile that is compared
  compared: { of: string; by: string; table: Packed }[]; // what was asked for comes first
  asked: number; // how many expressions were
  times: { [metric: string]: { [by: string]: Times } }; // of the whole run; none: not known
  counted: [file: string, ranges: number, lines: number][];
  series: Packed & { axis: Series['axis'] }; // of functions, by id
  ranks: Packed;
  matrices: { [by: string]: Packed & Omit<Matrix, 'rows'> };
  alike: { run_groups: Alike } | null;
  sources: Text[]; sources_left_out: number;
  second?: { sources: (Text & { same?: boolean })[]; sources_left_out: number; tables: { [kind: string]: Packed } }; // of the profile that is compared; same: the text that the first has
};

const TEXTS = new Set(['expressions', 'never', 'places']); // tables whose filter looks into source text, too

// Does what the server does, with the rows that the page has.
class PageData implements Data {
  readonly alone = true;
  readonly turn = 0;
  readonly past = false;
  readonly leftOut: string[] = [];
  readonly sizes: number[];
  readonly asked: string[];
  readonly timed: boolean;
  readonly timedMetrics: string[];
  shown = ALL;
  private tables: { [kind: string]: Rows } = {};
  private secondTables: { [kind: string]: Rows } = {};
  private plots: Row[];

  live(): Promise<Live> { throw new Error('a page that stands alone shows no program that runs'); }
  constructor(private packet: Packet) {
    learnNames(packet);
    this.sizes = packet.info.sizes;
    this.timedMetrics = Object.keys(packet.times);
    this.timed = this.timedMetrics.length > 0;
    this.plots = unpack(packet.series).rows;
    this.asked = [...new Set(packet.compared.map(({ by }) => by))].slice(0, packet.asked);
    for (const { of, by, table } of packet.compared) this.tables[of + ' ' + by] = unpack(table);
    for (const [kind, packed] of Object.entries(packet.tables)) {
      const table = (this.tables[kind] = unpack(packed));
      if (table.count > table.rows.length)
        this.leftOut.push(`${kind}: ${table.rows.length} of ${table.count}`);
    }
    const threads = packet.info.profiles[0].threads.filter((thread) => Number(thread.self_ns) > 0).length;
    const without = threads > 1 ? threads - Object.keys(packet.flames).length + 1 : 0;
    if (without > 0) this.leftOut.push(`flame graphs of ${without} threads by themselves`);
    if (packet.compared.length) this.leftOut.push('comparisons by other expressions (ascribe html --by EXPR)');
    else if (packet.info.profiles.length > 1) this.leftOut.push('comparisons of two sizes (ascribe html A B)');
    const plotted = new Set(this.plots.map((row) => row.id)).size;
    if (plotted && plotted < this.tables.functions.count) this.leftOut.push(`plots: ${plotted} of ${this.tables.functions.count} functions`);
    if (packet.tables.possible.rows.length) this.leftOut.push('choosing calls whose number the counts do not determine');
    if (packet.sources_left_out) this.leftOut.push(`the text of ${packet.sources_left_out} source files`);
    if (packet.second?.sources_left_out) this.leftOut.push(`the text of ${packet.second.sources_left_out} source files of b`);
    for (const [kind, packed] of Object.entries(packet.second?.tables ?? {})) this.secondTables[kind] = unpack(packed);
  }

  async profiles() { return unpackProfiles(this.packet.info); }
  async attempt(): Promise<Attempt> { throw new Error('a choice needs ascribe view'); }
  async choose(): Promise<void> { throw new Error('a choice needs ascribe view'); }
  async times(query: Query): Promise<Times> {
    const times = this.packet.times[String(query.metric)]?.[String(query.by)];
    if (!times) throw new Error('this is not known by time');
    return times;
  }
  async series(query: Query): Promise<Series> {
    if (query.of === 'ranks') return { axis: 'rank', rows: unpack(this.packet.ranks).rows };
    return { axis: this.packet.series.axis, rows: this.plots.filter((row) => String(row.id) === String(query.id)) };
  }
  async matrix(query: Query): Promise<Matrix> {
    const packed = this.packet.matrices[String(query.by)];
    return { ...packed, rows: unpack(packed).rows };
  }
  async alike(): Promise<Alike | null> { return this.packet.alike?.run_groups ?? null; }
  // Of MPI alone, as far as the page has its calls.
  async ranks(query: Query): Promise<Rows> {
    const { rows, count } = this.tables.messages;
    if (count > rows.length) throw new Error('This page has not all calls of MPI. ascribe view has them.');
    const found = unpack(this.packet.ranks).rows.map(({ run, rank }): Row => {
      const own = rows.filter((row) => row.rank === rank && (query.id === undefined || String(row.function) === query.id));
      const sum = (key: string, some = key.endsWith('_bytes') ? own.filter(({ kind }) => kind !== 'files') : own) => some.reduce((all, row) => all + Number(row[key]), 0);
      return { run, ...Object.fromEntries(['calls', 'sent', 'sent_bytes', 'received', 'received_bytes', 'elapsed_ns'].map((key) => [key, sum(key)])),
        waiting_ns: sum('elapsed_ns', own.filter(({ kind }) => kind === 'waiting' || kind === 'collective')) };
    });
    return { rows: found, count: found.length, neutral: 0 };
  }
  hasThread(id: string) { return id in this.packet.flames; }
  comparisons(kind: string) { return this.packet.compared.filter(({ of }) => of === kind).map(({ by }) => by); }

  // Rows with their comparison, as far as the page has it.
  private compared(kind: string, by: string): Row[] {
    const of = this.tables[kind + ' ' + by];
    if (!of) throw new Error('this page has no comparison by ' + by);
    const values = new Map(of.rows.map((row) => [row.a, row]));
    return this.tables[kind].rows.map((row) => {
      const { value = null, low = null, high = null, stands_out = null } = values.get(row.id) ?? {};
      return { ...row, value, low, high, stands_out };
    });
  }

  async table(kind: string, query: Query): Promise<Rows> {
    if (kind === 'in_cycles') return this.table('cycle_functions', query);
    const by = String(query.by ?? '');
    const table = query.profile == 2 ? this.secondTables[kind] : this.tables[kind === 'compared' ? query.of + ' ' + by : kind];
    if (!table) throw new Error(kind === 'compared' ? 'this page has no comparison by ' + by : 'this page has no such table');
    let rows = query.other && kind !== 'compared' ? this.compared(kind, by) : table.rows.slice();
    for (const [name, value] of Object.entries(query)) {
      if (!name.startsWith('is.') || value === undefined) continue;
      const column = name.slice(3), text = String(value);
      const wanted = new Set(/^[\d,]+$/.test(text) ? text.split(',') : [text]);
      rows = rows.filter((row) => wanted.has(String(row[column])));
    }
    const filter = String(query.filter ?? '').toLowerCase();
    if (filter)
      rows = rows.filter((row) => ['name', 'caller_name', 'callee_name', 'function_name', 'names', 'file', 'path', 'object', TEXTS.has(kind) ? 'text' : '']
        .some((column) => String(row[column] ?? '').toLowerCase().includes(filter)));
    const sort = query.sort as string | undefined;
    if (sort) rows.sort((a, b) => compare(a[sort], b[sort], query.up == 1));
    const offset = Number(query.offset ?? 0), limit = Number(query.limit ?? 200);
    return { rows: rows.slice(offset, offset + limit), count: rows.length, neutral: table.neutral, verdict: table.verdict };
  }

  private text(file: string, second: boolean): Text {
    const known = (second ? this.packet.second?.sources : this.packet.sources)?.find((source) => source.file === file);
    return !known ? { file, text: null, newer: false } : 'same' in known ? this.text(file, false) : known;
  }

  async source(file: string, query: Query): Promise<Source> {
    if (query.rows == 0) return { ...this.text(file, query.profile == 2), lines: NO_ROWS, by_function: NO_ROWS, functions: NO_ROWS, sites: NO_ROWS, expressions: NO_ROWS, places: NO_ROWS };
    const of = (kind: string, asked: Query = {}) => this.table(kind, { ...asked, 'is.file': file, limit: Infinity });
    const [, ranges, counted] = this.packet.counted.find(([name]) => name === file) ?? [file, 0, 0];
    const text = this.text(file, false);
    const [lines, by_function, functions, sites, expressions, places] = await Promise.all([of('source_lines'),
      query.other || query.growth ? of('lines', query) : NO_ROWS, of('functions'), query.growth ? of('sites') : NO_ROWS, of('expressions'), of('places')]);
    return { ...text, lines: { ...lines, count: counted }, by_function, functions, sites, expressions: { ...expressions, count: ranges }, places };
  }

  async page(): Promise<string> { throw new Error('this is one page already'); }
  async code(id: string): Promise<Code> {
    const code = this.packet.codes[id];
    if (!code) throw new Error('This page has the machine code of its costliest functions only. ascribe view has that of all.');
    return code;
  }
  async flame(query: Query): Promise<Flame> {
    const pair = query.profile == 2 ? this.packet.flames_of_second : this.packet.flames[String(query.thread ?? '')];
    if (!pair) throw new Error('this page has no flame graph of that thread alone');
    const root = listed(query.root);
    if (query.around) return around(pair[0], Number(query.around), query.up == 1);
    if (!query.focus) return crop(pair[query.up == 1 ? 1 : 0], root);
    const focused = focusOn(pair[0], listed(query.focus));
    return crop(query.up == 1 ? turnOver(focused) : focused, root);
  }
}

// What is not known comes last.
function compare(a: Value, b: Value, up: boolean): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0);
  const order = a < b ? -1 : a > b ? 1 : 0;
  return up ? order : -order;
}

export function openData(): Data {
  const block = document.getElementById('profile');
  return block ? new PageData(JSON.parse(block.textContent ?? '')) : new ServerData();
}
