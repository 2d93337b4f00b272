// Flame graphs made of others, for pages without a server: a part, a focus, upside down.

import type { Flame, Frame } from './data';

// The part of a flame graph above the frame at the end of the path `root`, of names.
export function crop(flame: Flame, path: string[]): Flame {
  if (!path.length) return flame;
  const way: string[] = [];
  let top: Frame | null = null;
  const frames: Frame[] = [];
  for (const frame of flame.frames) {
    way.length = frame[0];
    way.push(flame.names[frame[4]]);
    if (!top && way.length === path.length && way.every((name, i) => name === path[i])) {
      top = frame;
      continue;
    }
    if (!top) continue;
    if (frame[0] <= top[0]) break;
    frames.push([frame[0] - top[0] - 1, frame[1] - top[1], frame[2], frame[3], frame[4], frame[5]]);
  }
  return { ...flame, frames, root_ns: top ? top[2] : 0 };
}

export function idsOf(flame: Flame, names: string[]): Set<number> {
  return new Set(Object.entries(flame.names).filter(([, name]) => names.includes(name)).map(([id]) => Number(id)));
}

// Only what has one of the functions active: the frames on the way to it lose their other time.
export function focusOn(flame: Flame, names: string[]): Flame {
  const wanted = idsOf(flame, names), open: { frame: Frame; inside: boolean }[] = [], kept: Frame[] = [];
  const shares: { start: number; end: number }[] = [];
  for (const frame of flame.frames) {
    open.length = frame[0];
    const inside = wanted.has(frame[4]) || (frame[0] > 0 && open[frame[0] - 1].inside);
    if (inside && !(frame[0] > 0 && open[frame[0] - 1].inside)) shares.push({ start: frame[1], end: frame[1] + frame[2] });
    open.push({ frame, inside });
  }
  // Time before `at` that stays.
  const until = (at: number) => shares.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(at, end) - start), 0);
  open.length = 0;
  for (const frame of flame.frames) {
    open.length = frame[0];
    const inside = wanted.has(frame[4]) || (frame[0] > 0 && open[frame[0] - 1].inside);
    open.push({ frame, inside });
    const start = until(frame[1]), total = until(frame[1] + frame[2]) - start;
    if (total > 0) kept.push([frame[0], start, total, inside ? frame[3] : 0, frame[4], frame[5]]);
  }
  return { ...flame, frames: kept, root_ns: until(Infinity) };
}

type Node = { id: number; total: number; self: number; below: Map<number, Node> };

const newNode = (id: number): Node => ({ id, total: 0, self: 0, below: new Map() });

function below(node: Node, id: number): Node {
  let next = node.below.get(id);
  if (!next) node.below.set(id, next = newNode(id));
  return next;
}

function laidOut(root: Node): Frame[] {
  const frames: Frame[] = [];
  const lay = (node: Node, depth: number, from: number, above: number[]) => {
    let start = from;
    for (const next of [...node.below.values()].sort((a, b) => b.total - a.total)) {
      frames.push([depth, start, next.total, next.self, next.id, above.includes(next.id) ? 1 : 0]);
      lay(next, depth + 1, start, [...above, next.id]);
      start += next.total;
    }
  };
  lay(root, 0, 0, []);
  return frames;
}

// Bottom-up from top-down: from what ran to what called it. What is too narrow stays left out.
export function turnOver(flame: Flame): Flame {
  const root = newNode(0), way: number[] = [];
  for (const [depth, , , self, id] of flame.frames) {
    way.length = depth;
    way.push(id);
    let node = root;
    for (let i = way.length - 1; self > 0 && i >= 0; i--) {
      node = below(node, way[i]);
      node.total += self;
      if (i === 0) node.self += self;
    }
  }
  return { ...flame, frames: laidOut(root) };
}

// What one function called, whoever called it; `up`: what called it. Its time counts once in each stack.
export function around(flame: Flame, id: number, up: boolean): Flame {
  const root = newNode(0), way: number[] = [];
  for (const [depth, , total, self, function_] of flame.frames) {
    way.length = depth;
    way.push(function_);
    const first = way.indexOf(id);
    if (first < 0 || (up && first < depth)) continue;
    let node = root;
    if (up)
      for (let i = depth; i >= 0; i--) {
        node = below(node, way[i]);
        node.total += total;
        if (i === 0) node.self += total;
      }
    else {
      for (const one of way.slice(first)) node = below(node, one);
      node.total += total;
      node.self += self;
    }
  }
  return { ...flame, frames: laidOut(root), root_ns: root.below.get(id)?.total ?? 0, left_out_ns: 0 };
}

// Without the functions that are merged into their callers, and with one frame for each run of calls inside of a library.
export function collapse(flame: Flame, merged: Set<number>, libraries: Map<number, string>): Flame {
  const root = newNode(0), way: Node[] = [root], inside: (string | undefined)[] = [undefined];
  for (const [depth, , , self, id] of flame.frames) {
    way.length = inside.length = depth + 1;
    const library = libraries.get(id), same = depth > 0 && (merged.has(id) || (library !== undefined && library === inside[depth]));
    const node = same ? way[depth] : below(way[depth], id);
    node.self += self;
    way.push(node);
    inside.push(merged.has(id) ? inside[depth] : library);
  }
  const sum = (node: Node): number => node.total = [...node.below.values()].reduce((all, next) => all + sum(next), node.self);
  const shown = sum(root);
  return { ...flame, frames: laidOut(root), root_ns: shown, left_out_ns: Math.max(0, flame.root_ns - shown) };
}

type Pair = { id: number; totals: [number, number]; selves: [number, number]; below: Map<string, Pair> };

const ONLY_IN_B = 1e9; // ids of functions that a lacks begin here

// Stacks of a and b as one flame graph, matched by names: widths are b's, or a's; frames have the other's total, too.
export function besides(a: Flame, b: Flame, wide: 'a' | 'b'): Flame {
  const newPair = (id: number): Pair => ({ id, totals: [0, 0], selves: [0, 0], below: new Map() });
  const root = newPair(0), ids = new Map(Object.entries(a.names).map(([id, name]) => [name, Number(id)])), names: { [id: string]: string } = { ...a.names };
  const add = (flame: Flame, side: number) => {
    const way: Pair[] = [root];
    for (const [depth, , total, self, id] of flame.frames) {
      const name = flame.names[id] ?? '?';
      let known = ids.get(name);
      if (known === undefined) ids.set(name, known = ONLY_IN_B + ids.size);
      names[known] = name;
      way.length = depth + 1;
      let pair = way[depth].below.get(name);
      if (!pair) way[depth].below.set(name, pair = newPair(known));
      pair.totals[side] += total;
      pair.selves[side] += self;
      way.push(pair);
    }
  };
  add(a, 0);
  add(b, 1);
  const side = wide === 'a' ? 0 : 1, frames: Frame[] = [];
  const lay = (pair: Pair, depth: number, from: number, above: number[]) => {
    let start = from;
    for (const next of [...pair.below.values()].sort((x, y) => y.totals[side] - x.totals[side])) {
      if (!next.totals[side]) break;
      frames.push([depth, start, next.totals[side], next.selves[side], next.id, above.includes(next.id) ? 1 : 0, next.totals[1 - side]]);
      lay(next, depth + 1, start, [...above, next.id]);
      start += next.totals[side];
    }
  };
  lay(root, 0, 0, []);
  return { ...(wide === 'a' ? a : b), frames, names };
}
