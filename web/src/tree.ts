// Stacks as a tree that opens and closes: from a function to what called it, or to what it called.
// Frames that lead to one other and to nothing else stand in one row with it.

import type { App } from './app';
import { functionLink } from './app';
import { CHIP_KEYS, chipKey } from './chips';
import type { Flame } from './data';
import { el } from './dom';
import { amount, columnUnit, inUnit, percent } from './format';

const OPEN_AT_FIRST = 40, LONGEST = innerWidth < 600 ? 26 : 48, CHAIN = 4; // rows; characters of a name; names of a chain before some are left out

type Node = { id: number; total: number; self: number; fold: boolean; children: Node[] };
type Row = { chain: Node[]; depth: number; element: HTMLElement };

// What the flame graph has, as nodes; the first is the whole of it.
function nodesOf(flame: Flame): Node {
  const root: Node = { id: 0, total: flame.root_ns, self: 0, fold: false, children: [] }, open: Node[] = [root];
  for (const [depth, , total, self, id, fold] of flame.frames) {
    const node = { id, total, self, fold: Boolean(fold), children: [] };
    open.length = depth + 1;
    open[depth].children.push(node);
    open.push(node);
  }
  return root;
}

function chainFrom(node: Node): Node[] {
  const chain = [node];
  for (let last = node; last.children.length === 1 && last.children[0].total === last.total;) chain.push(last = last.children[0]);
  return chain;
}

const lastOf = (chain: Node[]) => chain[chain.length - 1];

export class CallTree {
  readonly element = el('div', { class: 'rows tree' });
  private body = el('tbody');
  private rows: Row[] = [];
  private opened = new Set<Node>(); // by the first of the chain
  private spelled = new Set<Node>(); // chains with all of their names
  private root: Node | null = null;
  private flame: Flame | null = null;
  private unit: [number, string] = [1, ''];
  private found: ((name: string) => boolean) | null = null;

  // `up`: what called; else what was called.
  constructor(private app: App, private caption: string, private up: boolean, private names: (id: number) => string) {
    this.body.addEventListener('keydown', (event) => this.key(event));
    this.body.addEventListener('click', (event) => {
      if ((event.target as Element).closest('a, button') || getSelection()?.toString()) return;
      const at = this.at(event.target as Element);
      if (at >= 0) this.toggle(at);
    });
  }

  show(flame: Flame): void {
    this.flame = flame;
    this.root = nodesOf(flame);
    this.unit = columnUnit(flame.root_ns, this.app.unit);
    this.opened.clear();
    this.openWidest();
    this.draw();
    const [, unit] = this.unit, heads = [this.up ? 'called by' : 'calls', '', unit, '%', ...(this.up ? [] : ['itself'])];
    this.element.replaceChildren(el('table', { role: 'treegrid', 'aria-label': this.caption },
      el('thead', {}, el('tr', {}, ...heads.map((text, i) => el('th', { scope: 'col', class: i > 1 ? 'number' : '', title: i === 4 ? `in ${unit}` : undefined }, text || el('span', { class: 'hidden' }, 'drawn'))))), this.body));
  }

  // Only rows that lead to such names, all open; null: as they were opened.
  search(found: ((name: string) => boolean) | null): void {
    this.found = found;
    if (this.root) this.draw();
  }

  private openWidest(): void {
    const waiting = (this.root?.children ?? []).map(chainFrom);
    for (let shown = waiting.length; waiting.length;) {
      waiting.sort((a, b) => b[0].total - a[0].total);
      const chain = waiting.shift()!, below = lastOf(chain).children;
      if (shown + below.length > OPEN_AT_FIRST) continue;
      if (below.length) this.opened.add(chain[0]);
      shown += below.length;
      waiting.push(...below.map(chainFrom));
    }
  }

  private leadsToFound(node: Node): boolean {
    return this.found!(this.names(node.id)) || node.children.some((child) => this.leadsToFound(child));
  }

  private draw(): void {
    this.rows = [];
    const lay = (nodes: Node[], depth: number, inside: boolean) => {
      for (const node of nodes) {
        if (this.found && !inside && !this.leadsToFound(node)) continue;
        const chain = chainFrom(node), below = lastOf(chain).children, hit = inside || chain.some(({ id }) => this.found?.(this.names(id)));
        const open = below.length > 0 && (this.opened.has(node) || (this.found !== null && !hit));
        this.rows.push({ chain, depth, element: this.row(chain, depth, open) });
        if (open) lay(below, depth + 1, hit);
      }
    };
    lay(this.root!.children, 0, false);
    this.rows[0]?.element.setAttribute('tabindex', '0');
    const left = this.flame!.left_out_ns;
    this.body.replaceChildren(...this.rows.map(({ element }) => element),
      left ? el('tr', { class: 'faint' }, el('td', { colspan: this.up ? 4 : 5 }, `rows too small to be listed have ${amount(left, this.app.unit)} together`)) : '');
  }

  private row(chain: Node[], depth: number, open: boolean): HTMLElement {
    const { root_ns } = this.flame!, [step] = this.unit, last = lastOf(chain), [{ total }] = chain;
    const filled = el('span', { class: 'filled own' });
    filled.style.width = `${100 * total / (root_ns || 1)}%`;
    const hidden = chain.length > CHAIN && !this.spelled.has(chain[0]) && !this.found ? chain.slice(2, -1) : [];
    const mark = last.children.length ? (open ? '\u25be' : '\u25b8') : '\u00b7';
    const cell = el('th', { scope: 'row' }, el('span', { class: 'mark', 'aria-hidden': 'true' }, mark),
      el('span', {}, ...chain.flatMap((node, i) => {
        const arrow = i ? el('span', { class: 'faint' }, this.up ? ' \u2190 ' : ' \u2192 ') : '';
        if (node === hidden[0])
          return [arrow, el('button', { type: 'button', class: 'more-names', tabindex: -1, title: hidden.map(({ id }) => this.names(id)).join(this.up ? ' \u2190 ' : ' \u2192 '),
            click: () => { this.spelled.add(chain[0]); this.draw(); } }, `${hidden.length} more`)];
        if (hidden.includes(node)) return [];
        const name = this.names(node.id), link = functionLink(name, node.id > 0 ? node.id : null, LONGEST);
        if (this.found?.(name)) link.classList.add('found');
        return [arrow, link, node.fold ? el('span', { class: 'faint', title: 'it stands in the stack more than once: its time counts once' }, ' \u21ba') : ''];
      })));
    cell.style.paddingLeft = `${22 + 16 * depth}px`;
    return el('tr', { tabindex: -1, 'aria-level': depth + 1, 'aria-expanded': last.children.length ? String(open) : undefined, class: last.children.length ? 'opens' : '' },
      cell, el('td', { class: 'drawn' }, el('span', { class: 'whiskers', 'aria-hidden': 'true' }, filled)),
      el('td', { class: 'number' }, inUnit(total, null, step)), el('td', { class: 'number', title: `${percent(total, this.flame!.whole_ns)} % of all` }, percent(total, root_ns)),
      this.up ? null : el('td', { class: 'number faint' }, last.self ? inUnit(last.self, null, step) : ''));
  }

  private at(target: Element): number {
    const row = target.closest('tr');
    return this.rows.findIndex(({ element }) => element === row);
  }

  private toggle(at: number): void {
    const { chain: [first, ...rest] } = this.rows[at];
    if (!lastOf([first, ...rest]).children.length) return;
    if (!this.opened.delete(first)) this.opened.add(first);
    const focused = this.body.contains(document.activeElement);
    this.draw();
    if (focused) this.focus(at);
  }

  private focus(at: number): void {
    const row = this.rows[Math.max(0, Math.min(at, this.rows.length - 1))]?.element;
    if (!row) return;
    this.body.querySelector('[tabindex="0"]')?.setAttribute('tabindex', '-1');
    row.setAttribute('tabindex', '0');
    row.focus();
    row.scrollIntoView({ block: 'nearest' });
  }

  private key(event: KeyboardEvent): void {
    const at = this.at(event.target as Element);
    if (at < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    const { depth, element, chain } = this.rows[at], expanded = element.getAttribute('aria-expanded');
    if (event.key === 'ArrowDown') this.focus(at + 1);
    else if (event.key === 'ArrowUp') this.focus(at - 1);
    else if (event.key === 'ArrowRight') expanded === 'false' ? this.toggle(at) : this.focus(at + 1);
    else if (event.key === 'ArrowLeft' && expanded === 'true') this.toggle(at);
    else if (event.key === 'ArrowLeft') for (let i = at; i-- > 0;) { if (this.rows[i].depth < depth) { this.focus(i); break; } }
    else if (CHIP_KEYS.includes(event.key)) chipKey(this.app, event.key, chain[0].id, this.names(chain[0].id));
    else if ((event.key === 'Enter' || event.key === 'c') && event.target === element && chain[0].id > 0) element.querySelector('a')?.click();
    else return;
    event.preventDefault();
  }
}
