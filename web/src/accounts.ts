// Where the CPU time is, all of it: functions and what none of them has, together 100 %; and what
// the report's head says of how it was measured.

import type { App } from './app';
import { metricOf } from './app';
import { isSelected, type Profile, type Row } from './data';
import { el } from './dom';
import { amount, count, percent, range, some } from './format';

export type Part = { name: string; ns: number; kind: string; help: string };

const HELP: { [name: string]: string } = {
  '(in the kernel, not sampled)': 'system calls and page faults: this user may not sample them, so functions have user time only (ascribe record --perf as root has both)',
  '(not sampled)': 'CPU time without samples: in processes too short for one, or while signals were blocked',
  '(profiler)': 'Ascribe itself, inside the program',
  '(ticks that had no room)': 'samples that were taken, but their function is not known',
};

function parts(app: App): Part[] {
  const { own, unattributed } = app.profiles[0];
  const of = (is: number) => Number(own.find((row) => row.own === is)?.self_ns ?? 0);
  return [{ name: 'own code', ns: of(1), kind: 'own', help: 'functions of the program, without libraries and headers of the system' },
    { name: 'libraries', ns: of(0), kind: 'library', help: 'functions of libraries and of the system\u2019s headers, and of the kernel where it was sampled' },
    ...unattributed.map((row) => ({ name: String(row.name), ns: Number(row.self_ns), kind: 'rest', help: HELP[String(row.name)] ?? '' }))]
    .filter(({ ns }) => ns > 0);
}

// A bar over the width of the page, and what its parts are.
export function stackedBar(shown: Part[], whole: number, unit: string): HTMLElement[] {
  const share = ({ ns }: Part) => `${percent(ns, whole)} %`;
  const pieces = shown.map((part) => {
    const piece = el('span', { class: 'part ' + part.kind, title: `${part.name}: ${share(part)}` });
    piece.style.flexGrow = String(part.ns / whole);
    return piece;
  });
  return [el('div', { class: 'whole', 'aria-hidden': 'true' }, ...pieces),
    el('p', { class: 'parts' }, ...shown.map((part) => el('span', { title: part.help }, el('span', { class: 'swatch ' + part.kind }),
      ` ${part.name} `, el('strong', {}, share(part)), ` ${amount(part.ns, unit)}`)))];
}

function timeTold(app: App, profile: Profile): string[] {
  const { books } = profile;
  const total = Number(books.cpu_ns), time = (ns: unknown) => amount(ns as number, 'ns');
  const without = Number(books.handlers_ns);
  if (app.unit !== 'ns' || !total || isSelected(app.data.shown)) return [];
  return [`CPU time ${time(total)}: ${time(books.user_ns)} user, ${time(books.system_ns)} system`
      + (without && metricOf(profile).kind === 'cpu' ? `; 100 % is ${time(app.whole)}, without tick handlers` : ''),
    books.paused_ns ? `${time(books.paused_ns)} more in pauses, not recorded` : ''];
}

function costTold({ books }: Profile): string[] {
  const low = Number(books.profiling_low_ns), high = Number(books.profiling_high_ns), total = Number(books.cpu_ns);
  const shares = [low, high].map((ns) => percent(ns, total));
  const recorder = Number(books.recorder_ns);
  return [high && total ? `Profiling cost ${range(low, high, 'ns')}${high > total ? '' : ` (${shares[0] === shares[1] ? shares[0] : shares.join(' to ')} %)`}`
      + (Number(books.hooks_high_ns) > total / 100 ? ', hooks inside the self times of their functions' : '') : '',
    recorder && total ? `The recorder took ${amount(recorder, 'ns')}${recorder > total ? '' : ` (${percent(recorder, total)} %)`} in addition to the program\u2019s CPU time` : ''];
}

function dropsTold({ dropped }: Profile): string {
  return dropped.length ? 'Dropped: ' + dropped.map((kind) => `${count(kind.count)} ${kind.name}`).join(', ') : '';
}

// A program that is followed runs, of course.
function endsTold({ endings }: Profile, follows: boolean): string[] {
  const sum = (rows: Row[]) => rows.reduce((all, row) => all + Number(row.processes), 0);
  const of = (ending: string) => sum(endings.filter((row) => row.ending === ending)), running = of('running'), killed = of('other');
  const damaged = sum(endings.filter((row) => row.truncated));
  return [running && !follows ? `${count(running)} process${running === 1 ? ' was' : 'es were'} still running at the end of the recording` : '',
    killed ? `${count(killed)} process${killed === 1 ? ' ended' : 'es ended'} without exit: killed, still running, or gone on as a program that was not recorded` : '',
    ...endings.filter((row) => row.signal).map((row) => `${row.processes === 1 ? 'A process was' : count(row.processes) + ' processes were'} ended by signal ${row.signal}`),
    damaged ? `The recording of ${count(damaged)} process${damaged === 1 ? '' : 'es'} is incomplete: figures are too low` : ''];
}

function ticksTold(app: App, profile: Profile): string {
  const ticks = Number(profile.books.ticks), { kind, evidence } = metricOf(profile);
  if (evidence === 'counted') return kind === 'heap' ? 'Every allocation and every free was recorded' : kind === 'messages' ? 'Every call of MPI was recorded' : 'Every event was counted';
  if (evidence === 'sized') return `${some(ticks, 'allocation')} recorded as a sample of all, larger ones more often, from which ${app.unit} are estimated`;
  if (kind === 'waiting') return `${some(ticks, 'look')} at threads that waited, from which times are estimated`;
  return `${some(ticks, 'tick')}: samples of what ran, from which ${app.unit === 'ns' ? 'times' : app.unit} are estimated`;
}

export function accounts(app: App): HTMLElement {
  const profile = app.profiles[0], { books, cut, unattributed } = profile;
  const ticks = Number(books.ticks), lost = Number(cut?.total_ns ?? 0);
  const dropped = dropsTold(profile);
  const told = [...timeTold(app, profile),
    unattributed.some((row) => row.name === '(in the kernel, not sampled)') ? 'Functions have user time only' : '',
    ticks ? ticksTold(app, profile) : '',
    ...costTold(profile),
    lost ? `${percent(lost, Number(books.sampled_ns))} % of the time has a stack that was cut off (some callers unknown)` : '',
    dropped ? '' : 'Nothing was dropped'].filter((text) => text);
  const wrong = [dropped, ...endsTold(profile, app.data.turn > 0)].filter((text) => text);
  return el('div', { class: 'accounts' }, ...(app.whole ? stackedBar(parts(app), app.whole, app.unit) : []),
    el('p', { class: 'status' }, told.join('. ') + '.'),
    wrong.length ? el('p', { class: 'warning' }, wrong.join('. ') + '.') : null);
}
