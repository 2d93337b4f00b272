// Where figures come from: a server that is asked for pages of rows, or the page itself.

import type { Value } from './format';

export type Row = { [column: string]: Value };
export type Rows = { rows: Row[]; count: number; neutral: number };
export type Query = { [parameter: string]: string | number | undefined };
export type Frame = [depth: number, start: number, total: number, self: number, id: number, fold: number];
export type Flame = {
  whole_ns: number; root_ns: number; left_out_ns: number; frames: Frame[]; names: { [id: string]: string };
};
export type Source = { file: string; text: string | null; newer: boolean };
export type Profile = { about: Row; run: Row; origin: Row; threads: Row[]; counts: Row; runs: number };

export interface Data {
  readonly alone: boolean; // no server: no comparison, no other threads
  readonly leftOut: string[]; // what a page that stands alone has not
  profiles(): Promise<Profile[]>;
  table(kind: string, query: Query): Promise<Rows>;
  source(file: string): Promise<Source>;
  flame(query: Query): Promise<Flame>;
}

type Packed = { columns: string[]; rows: Value[][]; count: number; neutral?: number };
type PackedProfile = { about: Row[]; runs: Row[]; origin: Row[]; threads: Row[]; counts: Row[] };

function unpack(packed: Packed): Rows {
  const rows = packed.rows.map((values) => {
    const row: Row = {};
    packed.columns.forEach((column, i) => { row[column] = values[i]; });
    return row;
  });
  return { rows, count: packed.count, neutral: packed.neutral ?? 0 };
}

function unpackProfiles(info: { profiles: PackedProfile[] }): Profile[] {
  return info.profiles.map((one) => ({
    about: one.about[0], run: one.runs[0], origin: one.origin[0], threads: one.threads,
    counts: one.counts[0], runs: one.runs.length,
  }));
}

class ServerData implements Data {
  readonly alone = false;
  readonly leftOut: string[] = [];

  private async ask(name: string, query: Query): Promise<any> {
    const parameters = new URLSearchParams();
    for (const [key, value] of Object.entries(query))
      if (value !== undefined && value !== '') parameters.set(key, String(value));
    let response;
    try {
      response = await fetch('api/' + name + '?' + parameters);
    } catch {
      throw new Error('ascribe view does not answer: it was stopped, or the machine is gone');
    }
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  }

  async profiles() { return unpackProfiles(await this.ask('info', {})); }
  async table(kind: string, query: Query) { return unpack(await this.ask('table', { kind, ...query })); }
  source(file: string) { return this.ask('source', { file }); }
  flame(query: Query) { return this.ask('flame', query); }
}

type Packet = {
  info: { profiles: PackedProfile[] }; tables: { [kind: string]: Packed }; flames: Flame[];
  sources: Source[]; sources_left_out: number;
};

// Does what the server does, with the rows that the page has.
class PageData implements Data {
  readonly alone = true;
  readonly leftOut: string[] = [];
  private tables: { [kind: string]: Rows } = {};

  constructor(private packet: Packet) {
    for (const [kind, packed] of Object.entries(packet.tables)) {
      const table = (this.tables[kind] = unpack(packed));
      if (table.count > table.rows.length)
        this.leftOut.push(`${kind}: ${table.rows.length} of ${table.count}`);
    }
    if (packet.sources_left_out) this.leftOut.push(`the text of ${packet.sources_left_out} source files`);
  }

  async profiles() { return unpackProfiles(this.packet.info); }

  async table(kind: string, query: Query): Promise<Rows> {
    const table = this.tables[kind];
    if (!table) throw new Error('this page has no such table');
    let rows = table.rows.slice();
    for (const [name, value] of Object.entries(query)) {
      if (!name.startsWith('is.') || value === undefined) continue;
      const column = name.slice(3), text = String(value);
      const wanted = new Set(/^[\d,]+$/.test(text) ? text.split(',') : [text]);
      rows = rows.filter((row) => wanted.has(String(row[column])));
    }
    const filter = String(query.filter ?? '').toLowerCase();
    if (filter)
      rows = rows.filter((row) => ['name', 'caller_name', 'callee_name', 'function_name', 'file', 'path', 'object']
        .some((column) => String(row[column] ?? '').toLowerCase().includes(filter)));
    const sort = query.sort as string | undefined;
    if (sort) rows.sort((a, b) => compare(a[sort], b[sort], query.up == 1));
    const offset = Number(query.offset ?? 0), limit = Number(query.limit ?? 200);
    return { rows: rows.slice(offset, offset + limit), count: rows.length, neutral: 0 };
  }

  async source(file: string): Promise<Source> {
    return this.packet.sources.find((source) => source.file === file) ?? { file, text: null, newer: false };
  }

  async flame(query: Query): Promise<Flame> {
    return crop(this.packet.flames[query.up == 1 ? 1 : 0], String(query.root ?? ''));
  }
}

// What is not known comes last.
function compare(a: Value, b: Value, up: boolean): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0);
  const order = a < b ? -1 : a > b ? 1 : 0;
  return up ? order : -order;
}

// The part of a flame graph above the frame at the end of the path `root`.
function crop(flame: Flame, root: string): Flame {
  const path = root ? root.split(',').map(Number) : [];
  if (!path.length) return flame;
  const way: number[] = [];
  let top: Frame | null = null;
  const frames: Frame[] = [];
  for (const frame of flame.frames) {
    way.length = frame[0];
    way.push(frame[4]);
    if (!top && way.length === path.length && way.every((id, i) => id === path[i])) {
      top = frame;
      continue;
    }
    if (!top) continue;
    if (frame[0] <= top[0]) break;
    frames.push([frame[0] - top[0] - 1, frame[1] - top[1], frame[2], frame[3], frame[4], frame[5]]);
  }
  return { ...flame, frames, root_ns: top ? top[2] : 0 };
}

export function openData(): Data {
  const block = document.getElementById('profile');
  return block ? new PageData(JSON.parse(block.textContent ?? '')) : new ServerData();
}
