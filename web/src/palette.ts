// Ctrl-K: one field that goes to any function, file, line or view; and what the keys do.

import { functionAddress, type App } from './app';
import type { Row } from './data';
import { el } from './dom';
import { shortName } from './names';
import { address } from './route';

type Target = { text: string; detail: string; href: string };

const MOST = 12;

const KEYS: [string, string][] = [['Ctrl K', 'go to a function, a file, FILE:LINE or a view'], ['/', 'filter, or search'], ['1 to 8', 'views'],
  ['\u2191 \u2193 PgUp PgDn Home End', 'rows of a table; frames'], ['Enter', 'source of a row; zoom into a frame'], ['c', 'calls of a row'], ['f x m o', 'of a frame or a row of a tree: focus on it, ignore it, merge it into its callers, collapse its library'], ['Esc', 'close'], ['?', 'these keys']];

// As a regular expression, if it is one.
function matcher(text: string): (name: string) => boolean {
  try {
    const pattern = new RegExp(text, 'i');
    return (name) => pattern.test(name);
  } catch {
    return (name) => name.toLowerCase().includes(text.toLowerCase());
  }
}

// Functions and files are searched where they are; of a pattern without choice or repetition by its longest plain part.
async function found(app: App, typed: string, views: [string, string][]): Promise<Target[]> {
  const [, name, line] = /^(.*?)(?::(\d+))?$/.exec(typed.trim())!, fits = matcher(name);
  const plain = /[\\|?*+[\]{}]/.test(name) ? '' : name.split(/[^\w:~<>,/ -]+/).sort((a, b) => b.length - a.length)[0] ?? '';
  const shown = views.filter(([, title]) => fits(title)).map(([view, title]) => ({ text: title, detail: 'view', href: address(view) }));
  if (!name) return shown.slice(0, MOST);
  const ask = (kind: string) => app.data.table(kind, { filter: plain, sort: 'self_ns', limit: plain ? 200 : 5000 }).then(({ rows }) => rows, (): Row[] => []);
  const [functions, files] = await Promise.all([line ? [] : ask('functions'), ask('files')]);
  const of = functions.filter((row) => row.id !== null && row.kind !== 'unattributed' && fits(String(row.name)))
    .map((row) => ({ text: String(row.name), detail: 'function', href: functionAddress(row.name, row.id) }));
  const texts = files.filter((row) => row.file !== null && fits(String(row.file)))
    .map((row) => ({ text: String(row.file) + (line ? ':' + line : ''), detail: 'file', href: address('source', { file: row.file, line }) }));
  return [...(line ? texts : [...of.slice(0, MOST - 2), ...texts]), ...shown].slice(0, MOST);
}

function dialog(name: string, ...content: Node[]): HTMLDialogElement {
  const box = el('dialog', { class: 'palette', 'aria-label': name, close: () => box.remove() }, ...content);
  box.addEventListener('click', (event) => { if (event.target === box) box.close(); });
  document.body.append(box);
  box.showModal();
  return box;
}

export function showKeys(): void {
  dialog('keys', el('h2', {}, 'Keys'), el('dl', {}, ...KEYS.flatMap(([key, does]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, does)])),
    el('form', { method: 'dialog' }, el('button', {}, 'close')));
}

export function openPalette(app: App, views: [string, string][]): void {
  let targets: Target[] = [], at = 0, turn = 0;
  const list = el('ul', { id: 'targets', role: 'listbox', 'aria-label': 'where to go' });
  const input = el('input', { type: 'search', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'targets', 'aria-label': 'go to a function, file, line or view',
    placeholder: 'function, file, file:line, view; regular expressions too' });
  const draw = () => {
    list.replaceChildren(...targets.map((target, i) => el('li', { id: 'target' + i, role: 'option', 'aria-selected': String(i === at), click: () => choose(i) },
      el('bdi', { title: target.text }, shortName(target.text)), el('span', { class: 'faint' }, target.detail))));
    input.setAttribute('aria-activedescendant', targets.length ? 'target' + at : '');
  };
  const box = dialog('go to', input, list);
  const choose = (i: number) => {
    if (!targets[i]) return;
    location.hash = targets[i].href;
    box.close();
  };
  const search = async () => {
    const mine = ++turn, answer = await found(app, input.value, views);
    if (mine !== turn) return; // older questions are forgotten
    [targets, at] = [answer, 0];
    draw();
  };
  input.addEventListener('input', search);
  input.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) at = Math.max(0, Math.min(targets.length - 1, at + step));
    else if (event.key === 'Enter') choose(at);
    else return;
    if (step) draw();
    event.preventDefault();
  });
  search();
  input.focus();
}
