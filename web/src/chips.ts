// What figures are of, beside the metric and the part of the run, as chips above every view: some threads,
// calls below a function, or without one; and how stacks are drawn: functions merged into their callers,
// libraries as one frame. All of it is in the address, by name.

import type { App } from './app';
import { listed, SELECTING, type Flame, type Query, type Row, type Shown } from './data';
import { el } from './dom';
import { baseName } from './format';
import { around, collapse, crop, idsOf, turnOver } from './frames';
import { shortened } from './names';
import { address, kept, readRoute } from './route';

export type Chip = 'threads' | 'processes' | 'below' | 'without' | 'merge' | 'collapse';

const CHIPS: [Chip, string, string][] = [
  ['threads', 'thread', 'only these threads'], ['processes', 'process', 'only these processes'], ['below', 'below', 'only while one of these functions was active'], ['without', 'without', 'only while none of these functions was active'],
  ['merge', 'merged', 'in stacks: its time is its caller\u2019s'], ['collapse', 'collapsed', 'in stacks: one frame for what it calls of itself']];
const LONGEST = 48, FULL_WIDTH = 8000;

const selects = (chip: Chip) => (SELECTING as readonly string[]).includes(chip);

export const CHIP_NAMES = CHIPS.map(([chip]) => chip);

// The same view with one more chip, or without one; the way into a flame graph may not be there any more.
export function chipAddress(chip: Chip, name: string, remove = false): string {
  const { view, parameters } = readRoute(), names = listed(kept[chip]).filter((other) => other !== name);
  const { root: _, ...left } = parameters;
  return address(view, left, { [chip]: (remove ? names : [...names, name]).join('\n') });
}

// Whether tables can be of a selection.
export function selectable(app: App): boolean {
  return !app.data.alone && app.data.timed && !app.data.sizes.length && (app.profiles.length < 2 || app.data.shown.parts.length > 1);
}

export function addChip(app: App, chip: Chip, name: string): void {
  if (!selects(chip) || selectable(app)) location.hash = chipAddress(chip, name);
}

export function chipLink(app: App, chip: Chip, name: string, text: string, title: string): HTMLElement | '' {
  return selects(chip) && !selectable(app) ? '' : el('a', { class: 'chip-link', href: chipAddress(chip, name), title }, text);
}

export function chipRow(): HTMLElement | '' {
  const shown = CHIPS.flatMap(([chip, word, title]) => listed(kept[chip]).map((name) => el('span', { class: 'chip', title }, el('span', { class: 'faint' }, word + ' '), el('bdi', {}, shortened(chip === 'collapse' ? baseName(name) : name, LONGEST)), ' ',
    el('a', { href: chipAddress(chip, name, true), 'aria-label': `${word} ${name}: take it off`, title: 'take it off' }, '\u00d7'))));
  if (!shown.length) return '';
  const none = Object.fromEntries(CHIP_NAMES.map((chip) => [chip, '']));
  return el('div', { class: 'chips', role: 'group', 'aria-label': 'what figures are of' }, ...shown, shown.length > 1 ? el('a', { href: address(readRoute().view, readRoute().parameters, none) }, 'take all off') : '');
}

// A thread's name, with its number where several have it.
export function threadKey(threads: Row[], thread: Row): string {
  const name = String(thread.name || thread.start_function_name || ''), same = threads.filter((other) => String(other.name || other.start_function_name || '') === name);
  return name && same.length === 1 ? name : `${name}/${thread.tid}`;
}

// Its number in the profile, for questions of one thread.
export function threadId(app: App, key: string | undefined): string | undefined {
  const { threads } = app.profiles[0], thread = threads.find((one) => threadKey(threads, one) === key);
  return key ? String(thread?.id ?? key) : undefined;
}

// A process's, by its program.
export function processKey(processes: Row[], process: Row): string {
  const name = (row: Row) => baseName(row.executable), same = processes.filter((other) => name(other) === name(process));
  return same.length === 1 ? name(process) : `${name(process)}/${process.pid}`;
}

// What the address asks for.
export function keptLists(): Pick<Shown, typeof SELECTING[number]> {
  return { threads: kept.threads ?? '', processes: kept.processes ?? '', below: kept.below ?? '', without: kept.without ?? '' };
}

// ---- stacks ----

// By id, the library of its functions that is one of these.
function librariesOf({ objects = [], object_of = {} }: Flame, wanted: string[]): Map<number, string> {
  const found = Object.entries(object_of).map(([id, at]): [number, string] => [Number(id), objects[at]]);
  return new Map(found.filter(([, object]) => wanted.includes(object)));
}

// The flame graph that is asked for, with what was merged and collapsed. That is done here: all of the graph is asked for then.
export async function stacksOf(app: App, query: Query): Promise<Flame> {
  const { data } = app, merged = listed(kept.merge), objects = listed(kept.collapse);
  if (!merged.length && !objects.length) return data.flame(query);
  const flame = await data.flame({ profile: query.profile, thread: query.thread, focus: query.focus, width: FULL_WIDTH, objects: 1 });
  const simple = collapse(flame, idsOf(flame, merged), librariesOf(flame, objects));
  if (query.around) return around(simple, Number(query.around), query.up == 1);
  return crop(query.up == 1 ? turnOver(simple) : simple, listed(query.root));
}

// Keys of a frame or row: f focus, x without, m merged into its caller, o its library as one frame.
export async function chipKey(app: App, key: string, id: number, name: string): Promise<void> {
  if (id <= 0) return;
  const chip = { f: 'below', x: 'without', m: 'merge' }[key] as Chip | undefined;
  if (chip) return addChip(app, chip, name);
  const { rows: [row] } = await app.data.table('functions', { 'is.id': String(id) });
  if (row?.object) addChip(app, 'collapse', String(row.object));
}

export const CHIP_KEYS = ['f', 'x', 'm', 'o'];
