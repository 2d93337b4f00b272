// Columns of figures beside a text, with headings that stay while the text is scrolled.

import { EditorView, GutterMarker, ViewPlugin, gutter, lineNumbers, showPanel, type Panel } from '@codemirror/view';
import type { Extension } from '@codemirror/state';
import { el } from './dom';

export type Column = {
  name: string; // of its class: gutter-NAME
  heading: string;
  unit: string; // below the heading: what the figures are of
  help: string;
  chosen: boolean; // stays where the window is narrow
  text: (line: number) => string;
};

class TextMarker extends GutterMarker {
  constructor(private text: string, private title: string) { super(); }
  eq(other: TextMarker) { return other.text === this.text && other.title === this.title; }
  toDOM() { return el('span', { title: this.title }, this.text); }
}

// As wide as what is widest in its column, so that columns stay where they are.
class Spacer extends GutterMarker {
  constructor(private texts: string[]) { super(); }
  toDOM() { return el('span', {}, ...this.texts.map((text) => el('div', {}, text))); }
}

function classOf(column: Column): string {
  return column.chosen ? '' : 'gutter-other';
}

function columnGutter(column: Column, longest: string): Extension {
  return gutter({
    class: `gutter-figures gutter-${column.name} ${classOf(column)}`,
    lineMarker: (view, block) => {
      const shown = column.text(view.state.doc.lineAt(block.from).number);
      return shown ? new TextMarker(shown, column.help) : null;
    },
    initialSpacer: () => new Spacer([longest, column.heading, column.unit]),
  });
}

// What stands above the columns is as wide as they are, whatever fonts and zoom make of them.
function headingsOf(columns: Column[]): Extension {
  const cells = columns.map((column) => el('div', { class: classOf(column), title: column.help }, el('div', {}, column.heading), el('div', { class: 'unit' }, column.unit)));
  const lines = el('div', { class: 'line' }, 'line');
  const panel = (): Panel => ({ top: true, dom: el('div', { class: 'headings', role: 'note', 'aria-label': 'columns beside the text' }, ...cells, lines) });
  const align = (view: EditorView) => {
    columns.forEach((column, i) => {
      const beside = view.dom.querySelector('.cm-gutter.gutter-' + column.name);
      cells[i].style.width = (beside?.getBoundingClientRect().width ?? 0) + 'px';
    });
    lines.style.width = (view.dom.querySelector('.cm-lineNumbers')?.getBoundingClientRect().width ?? 0) + 'px';
  };
  const follow = ViewPlugin.define((view) => {
    const observer = new ResizeObserver(() => align(view));
    view.requestMeasure({ read: () => { for (const one of view.dom.querySelectorAll('.cm-gutter')) observer.observe(one); } });
    return { destroy: () => observer.disconnect() };
  });
  return [showPanel.of(panel), follow];
}

// Columns in which nothing stands are left out; line numbers come last.
export function figureColumns(columns: Column[], lines: Iterable<number>): Extension {
  const longest = new Map<Column, string>();
  for (const line of lines)
    for (const column of columns) {
      const text = column.text(line);
      if (text.length > (longest.get(column) ?? '').length) longest.set(column, text);
    }
  const shown = columns.filter((column) => longest.has(column));
  return [...shown.map((column) => columnGutter(column, longest.get(column)!)), lineNumbers(), shown.length ? headingsOf(shown) : []];
}
