// The flame graph, on a canvas. Only what is wide enough to be seen is there: a zoom asks for more.

import type { App, View } from './app';
import type { Flame, Frame } from './data';
import { choice, el } from './dom';
import { amount, percent } from './format';
import { address, amend, go, type Route } from './route';

const ROW = 19, BASE = 1; // pixels of a frame, and rows for the frames that are zoomed into

type Box = { x: number; y: number; width: number; frame: Frame; path: number[] };

function readIds(text: string | undefined): number[] {
  return (text ?? '').split(',').filter((part) => /^\d+$/.test(part)).map(Number);
}

// A hue of a small range from the name, so that a function looks the same everywhere.
function hueOf(name: string): number {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) | 0;
  return Math.abs(hash) % 8;
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
  private parents: number[] = [];
  private chosen = -1;
  private turn = 0;
  private words: HTMLInputElement;
  private observer = new ResizeObserver(() => this.draw());
  private names = new Map<string, string>();

  constructor(private app: App, private route: Route) {
    const { parameters } = route;
    this.words = el('input', { type: 'search', id: 'filter', value: parameters.search ?? '', placeholder: 'search (/)', 'aria-label': 'search functions by a part of their name' });
    this.words.addEventListener('input', () => { amend(this.route, { search: this.words.value }); this.draw(); });
    const threads = app.profiles[0].threads;
    this.element = el('section', { class: 'flame' },
      el('div', { class: 'bar' },
        choice('', [['', 'top-down: from the start'], ['1', 'bottom-up: from what ran']], parameters.up ?? '', (up) => go('flame', { ...this.route.parameters, up, root: null })),
        threads.length > 1 && !app.data.alone ? choice('thread', [['', 'all'], ...threads.map((thread) => [String(thread.id),
          `${thread.name || thread.start_function_name || thread.tid} (${amount(thread.self_ns, app.unit)})`] as [string, string])], parameters.thread ?? '',
          (thread) => go('flame', { ...this.route.parameters, thread, root: null })) : null,
        this.words, this.found,
        parameters.focus && !app.data.alone ? el('a', { href: address('flame', { ...parameters, focus: null, root: null }) }, 'all functions') : null),
      this.crumbs, this.canvas, this.detail);
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
    this.observer.disconnect();
    matchMedia('(prefers-color-scheme: dark)').removeEventListener('change', this.draw);
  }

  update(route: Route): boolean {
    const old = this.route.parameters, now = route.parameters;
    if (['up', 'thread', 'focus'].some((name) => (old[name] ?? '') !== (now[name] ?? ''))) return false;
    this.route = route;
    this.load();
    return true;
  }

  private async load(): Promise<void> {
    const turn = ++this.turn, { up, thread, focus, root } = this.route.parameters;
    try {
      const width = Math.round((this.element.clientWidth || 1200) * devicePixelRatio);
      const flame = await this.app.data.flame({ up, thread, focus, root, width });
      if (turn !== this.turn) return;
      this.flame = flame;
      for (const [id, name] of Object.entries(flame.names)) this.names.set(id, name);
      this.chosen = -1;
      this.drawCrumbs();
      this.draw();
    } catch (error) {
      this.detail.textContent = (error as Error).message;
    }
  }

  private name(id: number): string { return this.names.get(String(id)) ?? '?'; }

  private drawCrumbs(): void {
    const root = readIds(this.route.parameters.root);
    this.crumbs.replaceChildren(...[-1, ...root.keys()].map((i) => {
      const text = i < 0 ? 'all' : this.name(root[i]);
      return el('span', {}, i < 0 ? '' : ' \u203a ', i === root.length - 1 ? el('strong', {}, text)
        : el('a', { href: address('flame', { ...this.route.parameters, root: root.slice(0, i + 1).join(',') }) }, text));
    }), el('span', { class: 'faint' }, this.flame ? `  ${amount(this.flame.root_ns, this.app.unit)}, ${percent(this.flame.root_ns, this.flame.whole_ns)} % of ${amount(this.flame.whole_ns, this.app.unit)}` : ''));
  }

  private lay(width: number): void {
    const { flame } = this, root = readIds(this.route.parameters.root), way: number[] = [], open: number[] = [];
    this.boxes = [];
    this.parents = [];
    if (!flame || !flame.root_ns) return;
    const pixels = width / flame.root_ns;
    this.boxes.push({ x: 0, y: 0, width, frame: [-1, 0, flame.root_ns, 0, root[root.length - 1] ?? 0, 0], path: root });
    this.parents.push(-1);
    for (const frame of flame.frames) {
      way.length = frame[0];
      way.push(frame[4]);
      open.length = frame[0];
      this.parents.push(frame[0] ? open[frame[0] - 1] : 0);
      open.push(this.boxes.length);
      this.boxes.push({ x: frame[1] * pixels, y: (frame[0] + BASE) * ROW, width: frame[2] * pixels, frame, path: root.concat(way) });
    }
  }

  private draw = (): void => {
    const width = this.element.clientWidth - 26, ratio = devicePixelRatio;
    if (width <= 0 || !this.flame) return;
    this.lay(width);
    const height = this.boxes.reduce((most, box) => Math.max(most, box.y + ROW), ROW);
    this.canvas.style.width = width + 'px';
    this.canvas.style.height = height + 'px';
    this.canvas.width = width * ratio;
    this.canvas.height = Math.min(height * ratio, 30000);
    const context = this.canvas.getContext('2d')!, style = getComputedStyle(this.element);
    context.scale(ratio, ratio);
    context.font = '12px ' + style.getPropertyValue('--sans');
    context.textBaseline = 'middle';
    const colours = Array.from({ length: 8 }, (_, i) => style.getPropertyValue('--flame' + i));
    const ink = style.getPropertyValue('--flame-ink'), hit = style.getPropertyValue('--hit'), base = style.getPropertyValue('--flame-base');
    const matches = this.matcher();
    let inside = -1, share = 0, hits = 0;
    this.boxes.forEach((box, i) => {
      const name = i === 0 && !box.path.length ? 'all' : this.name(box.frame[4]), found = i > 0 && matches !== null && matches(name);
      if (inside >= 0 && box.frame[0] <= this.boxes[inside].frame[0]) inside = -1;
      if (found) { hits++; if (inside < 0) { inside = i; share += box.frame[2]; } }
      context.fillStyle = found ? hit : i === 0 ? base : colours[hueOf(name)];
      context.globalAlpha = matches && !found && i > 0 ? 0.45 : 1;
      context.fillRect(box.x, box.y, Math.max(box.width - 0.6, 0.4), ROW - 1);
      context.globalAlpha = 1;
      if (box.frame[5]) {
        context.strokeStyle = ink;
        context.setLineDash([3, 3]);
        context.strokeRect(box.x + 0.5, box.y + 0.5, Math.max(box.width - 1.6, 0.4), ROW - 2);
        context.setLineDash([]);
      }
      if (box.width > 24) this.label(context, name, box, ink);
    });
    if (this.chosen >= 0 && this.boxes[this.chosen]) {
      const box = this.boxes[this.chosen];
      context.strokeStyle = style.getPropertyValue('--accent');
      context.lineWidth = 2;
      context.strokeRect(box.x + 1, box.y + 1, Math.max(box.width - 2.6, 1), ROW - 3);
    }
    this.found.textContent = matches ? `${hits} frames match: ${percent(share, this.flame.root_ns)} %` : '';
    if (this.chosen < 0) this.tellAll();
  };

  private label(context: CanvasRenderingContext2D, name: string, box: Box, ink: string): void {
    const room = Math.floor((box.width - 6) / 6.6);
    context.fillStyle = ink;
    const text = name.length <= room ? name : room >= 3 ? name.slice(0, room - 1) + '\u2026' : '';
    if (text) context.fillText(text, box.x + 3, box.y + ROW / 2, box.width - 5);
  }

  private matcher(): ((name: string) => boolean) | null {
    const words = this.words.value.toLowerCase();
    return words ? (name) => name.toLowerCase().includes(words) : null;
  }

  private tellAll(): void {
    const { flame } = this;
    if (!flame) return;
    this.detail.textContent = flame.frames.length === 0 && !flame.root_ns ? 'No time is known by context here: there is nothing to draw.'
      : `${flame.frames.length} frames. Dashed: the function stands in the stack more than once; recursion is folded, so that nothing counts twice.`
        + (flame.left_out_ns ? ` Too narrow to be seen: ${amount(flame.left_out_ns, this.app.unit)}; zoom in.` : '');
  }

  private boxAt(event: MouseEvent): number {
    const x = event.offsetX, y = event.offsetY;
    return this.boxes.findIndex((box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + ROW);
  }

  private choose(at: number): void {
    if (at === this.chosen) return;
    this.chosen = at;
    this.draw();
    const box = this.boxes[at], { flame, app } = this;
    if (!box || !flame) return;
    const name = at === 0 && !box.path.length ? 'all' : this.name(box.frame[4]);
    this.detail.textContent = `${name}: ${amount(box.frame[2], app.unit)}, ${percent(box.frame[2], flame.root_ns)} % of what is shown, ${percent(box.frame[2], flame.whole_ns)} % of all`
      + (at > 0 ? `; itself ${amount(box.frame[3], app.unit)}` : '');
  }

  private zoom(at: number): void {
    if (at < 0) return;
    const path = at === 0 ? this.boxes[0].path.slice(0, -1) : this.boxes[at].path;
    go('flame', { ...this.route.parameters, root: path.join(',') });
  }

  private key(event: KeyboardEvent): void {
    const at = Math.max(this.chosen, 0), box = this.boxes[at];
    if (!box || event.ctrlKey || event.altKey || event.metaKey) return;
    const beside = (step: number) => {
      for (let i = at + step; i > 0 && i < this.boxes.length; i += step) if (this.parents[i] === this.parents[at]) return i;
      return at;
    };
    if (event.key === 'ArrowDown') this.choose(this.parents.indexOf(at) < 0 ? at : this.parents.indexOf(at));
    else if (event.key === 'ArrowUp') this.choose(Math.max(this.parents[at], 0));
    else if (event.key === 'ArrowRight') this.choose(beside(1));
    else if (event.key === 'ArrowLeft') this.choose(beside(-1));
    else if (event.key === 'Enter') this.zoom(at);
    else if (event.key === 'Escape') this.zoom(0);
    else if (event.key === 'c' && at > 0) go('calls', { id: box.frame[4] });
    else return;
    event.preventDefault();
  }
}

export function flame(app: App, route: Route): View {
  return new FlameView(app, route);
}
