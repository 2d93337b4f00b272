// The flame graph, on a canvas. Only what is wide enough to be seen is there: a zoom asks for more.

import type { App, View } from './app';
import { listed, type Flame, type Frame } from './data';
import { CHIP_KEYS, chipKey, stacksOf, threadId, threadKey } from './chips';
import { comparable, otherProfiles } from './comparing';
import { changeOf, colourOf, colours as changeColours, differing, legend, type Differing, type Wide } from './differing';
import { choice, el, svg } from './dom';
import { amount, percent, visible } from './format';
import { shortName, withoutScopes } from './names';
import { address, amend, go, type Route } from './route';
import { fileName, saveFile } from './saving';
import { CallTree } from './tree';

const ROW = 19, BASE = 1; // pixels of a frame, and rows for the frames that are zoomed into
const ZOOM_MS = 250, FIRST_CHANGE = 13; // behind the colours of one profile and what is drawn on them
const TREE_WIDTH = 2000; // of a call tree: rows of at least a part of 1 in twice as many

// The first stands for all that is shown; parent is the place of the frame below.
type Box = { frame: Frame; parent: number; name: string; short: string; colour: number }; // colour: its place in `colours`
// What the picture's width shows, and the depth of its first row.
type Window = { start: number; width: number; depth: number };

// A hue of a small range from the name, so that a function looks the same everywhere.
function hueOf(name: string): number {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) | 0;
  return Math.abs(hash) % 8;
}

// As much of the name as a frame of this many pixels has room for: without its leading scopes, then its beginning.
function labelOf({ name, short }: Box, width: number): string {
  const room = Math.floor((width - 6) / 7);
  if (name.length <= room || room < 3) return room < 3 ? '' : name;
  const text = withoutScopes(short, room);
  return text.length <= room ? text : text.slice(0, room - 1) + '\u2026';
}

class FlameView implements View {
  readonly element: HTMLElement;
  readonly title = 'flame graph';
  private canvas = el('canvas', { tabindex: 0, role: 'application', 'aria-label': 'flame graph: arrows move, Enter zooms in, Escape out, c shows the calls' });
  private detail = el('p', { class: 'status detail', role: 'status' });
  private found = el('span', { class: 'found', role: 'status' });
  private crumbs = el('nav', { class: 'crumbs', 'aria-label': 'zoomed into' });
  private flame: Flame | null = null;
  private boxes: Box[] = [];
  private root: string[] = []; // the path of what is shown, by name
  private chosen = -1;
  private window: Window = { start: 0, width: 1, depth: -1 };
  private moving = 0; // an animation frame
  private colours: string[] = [];
  private turn = 0;
  private words: HTMLInputElement;
  private observer = new ResizeObserver(() => this.draw());
  private names = new Map<string, string>();
  private tree: CallTree | null = null; // instead of the canvas
  private differing: Differing | null = null; // of two profiles
  private legend = el('div', {});

  constructor(private app: App, private route: Route) {
    const { parameters } = route;
    this.words = el('input', { type: 'search', id: 'filter', value: parameters.search ?? '', placeholder: 'search (/)', 'aria-label': 'search functions by a part of their name' });
    this.words.addEventListener('input', () => { amend(this.route, { search: this.words.value }); this.draw(); });
    const { other } = parameters;
    if (parameters.as === 'tree' && !other) this.tree = new CallTree(app, 'stacks as a tree', parameters.up === '1', (id) => this.name(id));
    const threads = app.profiles[0].threads.filter((thread) => app.data.hasThread(String(thread.id)));
    this.element = el('section', { class: 'flame' },
      el('div', { class: 'bar' },
        choice('', [['', 'top-down: from the start'], ['1', 'bottom-up: from what ran']], parameters.up ?? '', (up) => go('flame', { ...this.route.parameters, up, root: null }), 'direction'),
        comparable(app, 'functions') && !app.data.sizes.length ? choice('compare with', [['', 'nothing'], ...otherProfiles(app)], other ?? '', (name) => go('flame', { ...this.route.parameters, other: name })) : null,
        other ? choice('widths', [['', 'of b'], ['a', 'of a']], parameters.wide ?? '', (wide) => go('flame', { ...this.route.parameters, wide })) : null,
        other ? null : choice('', [['', 'flame graph'], ['tree', 'call tree']], parameters.as ?? '', (as) => go('flame', { ...this.route.parameters, as }), 'stacks as'),
        threads.length > 1 && !other ? choice('thread', [['', 'all'], ...threads.map((thread) => [threadKey(threads, thread),
          `${thread.name || thread.start_function_name || thread.tid} (${amount(thread.self_ns, app.unit)})`] as [string, string])], parameters.thread ?? '',
          (thread) => go('flame', { ...this.route.parameters, thread, root: null })) : null,
        this.words, this.found,
        this.tree ? null : el('span', {}, ...['PNG', 'SVG'].map((kind) => el('button', { type: 'button', class: 'copy', title: 'save the picture that is shown', click: () => this.save(kind) }, kind))),
        parameters.focus ? el('a', { href: address('flame', { ...parameters, focus: null, root: null }) }, 'all functions') : null),
      this.crumbs, this.legend, this.tree ? this.tree.element : this.canvas, this.detail);
    this.canvas.addEventListener('mousemove', (event) => this.choose(this.boxAt(event)));
    this.canvas.addEventListener('mouseleave', () => this.choose(-1));
    this.canvas.addEventListener('click', (event) => this.zoom(this.boxAt(event)));
    this.canvas.addEventListener('keydown', (event) => this.key(event));
  }

  shown(): void {
    this.observer.observe(this.element);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', this.draw);
    this.load();
  }
  closed(): void {
    cancelAnimationFrame(this.moving);
    this.observer.disconnect();
    matchMedia('(prefers-color-scheme: dark)').removeEventListener('change', this.draw);
  }

  update(route: Route): boolean {
    const old = this.route.parameters, now = route.parameters;
    if (['up', 'thread', 'focus', 'as', 'other', 'wide'].some((name) => (old[name] ?? '') !== (now[name] ?? ''))) return false;
    this.route = route;
    this.load();
    return true;
  }

  // The way to the new picture is shown: inwards while it is asked for, outwards when it is there.
  private async load(): Promise<void> {
    const turn = ++this.turn, { up, thread, focus, other, wide } = this.route.parameters, root = listed(this.route.parameters.root);
    try {
      const width = this.tree ? TREE_WIDTH : Math.round((this.element.clientWidth || 1200) * devicePixelRatio);
      const query = { up, thread: other ? undefined : threadId(this.app, thread), focus, root: root.join('\n'), width };
      const asked = other ? differing(this.app, query, other, (wide || 'b') as Wide) : stacksOf(this.app, query);
      const inwards = this.flame && root.length > this.root.length ? this.boxOf(root) : -1;
      if (inwards > 0 && !this.tree) await this.move(this.window, this.windowOf(inwards));
      const answer = await asked, compared = 'flame' in answer ? answer : null, flame = compared?.flame ?? answer as Flame;
      if (turn !== this.turn) return;
      this.differing = compared;
      this.legend.replaceChildren(compared ? legend(compared, this.app, other) : '');
      const old = this.root, had = this.flame !== null;
      for (const [id, name] of Object.entries(flame.names)) this.names.set(id, name);
      this.flame = root.length || focus || thread || compared ? flame : this.withUnattributed(flame);
      this.root = root;
      this.chosen = -1;
      this.lay();
      this.drawCrumbs();
      this.tree?.show(this.flame);
      const outwards = had && old.length > root.length ? this.boxOf(old) : -1;
      if (outwards > 0 && !this.tree) await this.move(this.windowOf(outwards), this.windowOf(0));
      else this.draw();
    } catch (error) {
      this.detail.textContent = (error as Error).message;
    }
  }

  // CPU time that no function has stands beside the stacks, so that the picture is of all of it.
  private withUnattributed(flame: Flame): Flame {
    const frames = flame.frames.slice();
    let at = flame.root_ns;
    this.app.profiles[0].unattributed.forEach((row, i) => {
      const ns = Number(row.self_ns);
      this.names.set(String(-1 - i), String(row.name));
      frames.push([0, at, ns, ns, -1 - i, 0]);
      at += ns;
    });
    return { ...flame, frames, root_ns: frames.length > flame.frames.length ? Math.max(at, flame.whole_ns) : at };
  }

  private windowOf(at: number): Window {
    const { frame } = this.boxes[at];
    return { start: frame[1], width: frame[2] || 1, depth: frame[0] };
  }

  // The frame at the end of the path; -1: not in the picture.
  private boxOf(path: string[]): number {
    if (path.length < this.root.length || this.root.some((name, i) => path[i] !== name)) return -1;
    let at = 0;
    for (const name of path.slice(this.root.length)) {
      at = this.boxes.findIndex((box, i) => i > at && box.parent === at && this.plainName(box.frame[4]) === name);
      if (at < 0) return -1;
    }
    return at;
  }

  private pathOf(at: number): string[] {
    const path: string[] = [];
    for (; at > 0; at = this.boxes[at].parent) path.unshift(this.plainName(this.boxes[at].frame[4]));
    return this.root.concat(path);
  }

  private move(from: Window, to: Window): Promise<void> {
    cancelAnimationFrame(this.moving);
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.window = to;
      this.draw();
      return Promise.resolve();
    }
    const begin = performance.now();
    return new Promise((done) => {
      const step = (now: number) => {
        const part = Math.min(1, Math.max(0, (now - begin) / ZOOM_MS)), eased = part * part * (3 - 2 * part);
        const between = (a: number, b: number) => a + (b - a) * eased;
        // The edges move evenly, so that what is zoomed into stays in sight.
        const start = between(from.start, to.start), end = between(from.start + from.width, to.start + to.width);
        this.window = { start, width: Math.max(end - start, 1e-9), depth: between(from.depth, to.depth) };
        this.paint();
        if (part < 1) this.moving = requestAnimationFrame(step);
        else { this.draw(); done(); }
      };
      this.moving = requestAnimationFrame(step);
    });
  }

  private plainName(id: number): string { return this.names.get(String(id)) ?? '?'; }
  private name(id: number): string { return visible(this.plainName(id)); }

  private drawCrumbs(): void {
    const { root } = this;
    this.crumbs.replaceChildren(...[-1, ...root.keys()].map((i) => {
      const text = i < 0 ? 'all' : shortName(root[i]);
      return el('span', {}, i < 0 ? '' : ' \u203a ', i === root.length - 1 ? el('strong', { title: root[i] }, text)
        : el('a', { href: address('flame', { ...this.route.parameters, root: root.slice(0, i + 1).join('\n') }) }, text));
    }), el('span', { class: 'faint' }, this.flame ? `  ${amount(this.flame.root_ns, this.app.unit)}, ${percent(this.flame.root_ns, this.flame.whole_ns)} % of ${amount(this.flame.whole_ns, this.app.unit)}` : ''));
  }

  private lay(): void {
    const { flame, root } = this, open: number[] = [];
    this.boxes = [];
    if (!flame || !flame.root_ns) return;
    const last = root[root.length - 1];
    this.boxes.push({ frame: [-1, 0, flame.root_ns, 0, 0, 0], parent: -1, name: last ? visible(last) : 'all', short: last ? visible(shortName(last)) : 'all', colour: 8 });
    for (const frame of flame.frames) {
      const name = this.name(frame[4]);
      open.length = frame[0];
      open.push(this.boxes.length);
      this.boxes.push({ frame, parent: frame[0] ? open[frame[0] - 1] : 0, name, short: visible(shortName(this.plainName(frame[4]))), colour: this.differing ? FIRST_CHANGE + colourOf(this.differing, changeOf(this.differing, frame, this.plainName(frame[4]))) : frame[4] <= 0 ? 8 : hueOf(name) });
    }
    this.window = this.windowOf(0);
  }

  // The size, and the colours of the theme.
  private draw = (): void => {
    const width = this.element.clientWidth - 26, ratio = devicePixelRatio;
    if (width <= 0 || !this.flame) return;
    if (this.tree) {
      this.tree.search(this.matcher());
      return this.tellAll();
    }
    const deepest = this.boxes.reduce((most, box) => Math.max(most, box.frame[0]), -1);
    const height = (deepest + BASE + 1) * ROW;
    this.canvas.style.width = width + 'px';
    this.canvas.style.height = height + 'px';
    this.canvas.width = width * ratio;
    this.canvas.height = Math.min(height * ratio, 30000);
    const style = getComputedStyle(this.element);
    this.colours = [...Array.from({ length: 8 }, (_, i) => '--flame' + i), '--flame-base', '--flame-ink', '--hit', '--accent', '--sans']
      .map((name) => style.getPropertyValue(name)).concat(changeColours(style));
    this.paint();
    if (this.chosen < 0) this.tellAll();
  };

  private paint(): void {
    const { canvas, window: shown } = this, ratio = devicePixelRatio, width = canvas.width / ratio, height = canvas.height / ratio;
    const context = canvas.getContext('2d')!, [ink, hit, accent, sans] = this.colours.slice(9, FIRST_CHANGE);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = '12px ' + sans;
    context.textBaseline = 'middle';
    const matches = this.matcher(), pixels = width / shown.width, labels: [Box, number, number, number][] = [], folds: [number, number, number][] = [];
    let inside = -1, share = 0, hits = 0, colour = '';
    this.boxes.forEach((box, i) => {
      const found = i > 0 && matches !== null && matches(box.name);
      if (inside >= 0 && box.frame[0] <= this.boxes[inside].frame[0]) inside = -1;
      if (found) { hits++; if (inside < 0) { inside = i; share += box.frame[2]; } }
      const left = Math.max((box.frame[1] - shown.start) * pixels, -2), right = Math.min((box.frame[1] + box.frame[2] - shown.start) * pixels, width + 2);
      const y = Math.max(box.frame[0] - shown.depth, i === 0 ? 0 : -1) * ROW, wide = right - left;
      if (wide <= 0 || y <= -ROW || y >= height) return;
      const own = found ? hit : this.colours[box.colour];
      if (own !== colour) context.fillStyle = colour = own;
      if (matches && !found && i > 0) context.globalAlpha = 0.45;
      context.fillRect(left, y, Math.max(wide - 0.6, 0.4), ROW - 1);
      context.globalAlpha = 1;
      if (box.frame[5]) folds.push([left, y, wide]);
      if (wide > 24) labels.push([box, left, y, wide]);
    });
    context.strokeStyle = context.fillStyle = ink;
    context.setLineDash([3, 3]);
    for (const [x, y, wide] of folds) context.strokeRect(x + 0.5, y + 0.5, Math.max(wide - 1.6, 0.4), ROW - 2);
    context.setLineDash([]);
    for (const [box, x, y, wide] of labels) this.label(context, box, Math.max(x, 0), y, wide + Math.min(x, 0));
    const box = this.boxes[this.chosen];
    if (box) {
      context.strokeStyle = accent;
      context.lineWidth = 2;
      context.strokeRect((box.frame[1] - shown.start) * pixels + 1, (box.frame[0] - shown.depth) * ROW + 1, Math.max(box.frame[2] * pixels - 2.6, 1), ROW - 3);
      context.lineWidth = 1;
    }
    this.found.textContent = matches && this.flame ? `${hits} frames match: ${percent(share, this.flame.root_ns)} %` : '';
  }

  private label(context: CanvasRenderingContext2D, box: Box, x: number, y: number, width: number): void {
    const text = labelOf(box, width);
    if (text) context.fillText(text, x + 3, y + ROW / 2);
  }

  private matcher(): ((name: string) => boolean) | null {
    const words = this.words.value.toLowerCase();
    return words ? (name) => name.toLowerCase().includes(words) : null;
  }

  private save(kind: string): void {
    if (kind === 'PNG') return this.canvas.toBlob((picture) => { if (picture) saveFile(fileName(this.app, '.flame.png'), picture); });
    const width = this.canvas.clientWidth, pixels = width / (this.boxes[0]?.frame[2] || 1), height = this.canvas.clientHeight;
    const drawing = svg('svg', { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}`, 'font-family': 'sans-serif', 'font-size': 12 }, ...this.boxes.flatMap((box) => {
      const x = box.frame[1] * pixels, wide = box.frame[2] * pixels, y = (box.frame[0] + BASE) * ROW, text = labelOf(box, wide);
      return [svg('rect', { x: x.toFixed(2), y, width: Math.max(wide - 0.6, 0.2).toFixed(2), height: ROW - 1, fill: this.colours[box.colour].trim() },
        svg('title', {}, `${box.name}: ${amount(box.frame[2], this.app.unit)}, ${percent(box.frame[2], this.flame!.whole_ns)} %`)),
        ...(text ? [svg('text', { x: (x + 3).toFixed(2), y: y + 13, fill: this.colours[9].trim() }, text)] : [])];
    }));
    saveFile(fileName(this.app, '.flame.svg'), new Blob([new XMLSerializer().serializeToString(drawing)], { type: 'image/svg+xml' }));
  }

  private tellAll(): void {
    const { flame } = this;
    if (!flame) return;
    this.detail.textContent = this.tree && flame.root_ns ? 'Arrows open and close rows, Enter goes to the function.' : flame.frames.length === 0 && !flame.root_ns ? 'No time is known by context here: there is nothing to draw.'
      : `${flame.frames.length} frames. Dashed: the function stands in the stack more than once; its time counts once.`
        + (flame.frames.some((frame) => frame[4] === 0) ? ' \u201c(recursion)\u201d stands for frames that are not known: these calls were counted by context, and recursion folds those.' : '')
        + (flame.left_out_ns && !this.tree ? ` Too narrow to be seen: ${amount(flame.left_out_ns, this.app.unit)}; zoom in.` : '');
  }

  private boxAt(event: MouseEvent): number {
    const depth = Math.floor(event.offsetY / ROW) - BASE, at = (event.offsetX / this.canvas.clientWidth) * this.boxes[0]?.frame[2];
    return this.boxes.findIndex(({ frame }) => frame[0] === depth && at >= frame[1] && at < frame[1] + frame[2]);
  }

  private choose(at: number): void {
    if (at === this.chosen) return;
    this.chosen = at;
    this.paint();
    const box = this.boxes[at], { flame, app } = this;
    if (at < 0) this.tellAll();
    if (!box || !flame) return;
    const { name } = box;
    if (this.differing && at > 0) {
      const { a, b, difference, standsOut } = changeOf(this.differing, box.frame, this.plainName(box.frame[4]));
      this.detail.textContent = `${name}: ${difference > 0 ? '+' : ''}${amount(difference, app.unit)} (a ${amount(a, app.unit)}, b ${amount(b, app.unit)}); `
        + (standsOut ? 'it stands out' : 'it may be chance');
      return;
    }
    this.detail.textContent = `${name}: ${amount(box.frame[2], app.unit)}, ${percent(box.frame[2], flame.root_ns)} % of what is shown, ${percent(box.frame[2], flame.whole_ns)} % of all`
      + (at > 0 ? `; itself ${amount(box.frame[3], app.unit)}` : '');
  }

  private zoom(at: number): void {
    if (at < 0 || this.boxes[at].frame[4] < 0) return;
    const path = at === 0 ? this.root.slice(0, -1) : this.pathOf(at);
    go('flame', { ...this.route.parameters, root: path.join('\n') });
  }

  private key(event: KeyboardEvent): void {
    const at = Math.max(this.chosen, 0), box = this.boxes[at];
    if (!box || event.ctrlKey || event.altKey || event.metaKey) return;
    const beside = (step: number) => {
      for (let i = at + step; i > 0 && i < this.boxes.length; i += step) if (this.boxes[i].parent === this.boxes[at].parent) return i;
      return at;
    };
    const below = this.boxes.findIndex(({ parent }) => parent === at);
    if (event.key === 'ArrowDown') this.choose(below < 0 ? at : below);
    else if (event.key === 'ArrowUp') this.choose(Math.max(box.parent, 0));
    else if (event.key === 'ArrowRight') this.choose(beside(1));
    else if (event.key === 'ArrowLeft') this.choose(beside(-1));
    else if (event.key === 'Enter') this.zoom(at);
    else if (event.key === 'Escape') this.zoom(0);
    else if (CHIP_KEYS.includes(event.key) && at > 0) chipKey(this.app, event.key, box.frame[4], box.name);
    else if (event.key === 'c' && at > 0 && box.frame[4] > 0) go('calls', { name: this.plainName(box.frame[4]) });
    else return;
    event.preventDefault();
  }
}

export function flame(app: App, route: Route): View {
  return new FlameView(app, route);
}
