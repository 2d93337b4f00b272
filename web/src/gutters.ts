// Columns of figures beside a text, with headings that stay while the text is scrolled.

import { el } from './dom';

export type Column = {
  name: string; // of its class: gutter-NAME
  heading: string;
  unit: string; // below the heading: what the figures are of
  help: string;
  chosen: boolean; // stays where the window is narrow
  text: (line: number) => string;
};

export type Gutters = {
  columns: Column[];
  widths: number[]; // of figures, in characters
  headings: HTMLElement[];
};

// Columns in which nothing stands are left out; line numbers come last. Each is as wide as what is widest in it, so
// that columns stay where they are.
export function guttersOf(columns: Column[], lines: Iterable<number>, count: number, numbered: string): Gutters {
  const longest = new Map<Column, number>();
  for (const line of lines)
    for (const column of columns) {
      const text = column.text(line);
      if (text.length > (longest.get(column) ?? 0)) longest.set(column, text.length);
    }
  const shown = columns.filter((column) => longest.has(column));
  const widths = shown.map((column) => Math.max(longest.get(column)!, column.heading.length, column.unit.length));
  const headings = shown.map((column) => el('span', { role: 'columnheader', class: classOf(column), title: column.help }, el('span', {}, column.heading), el('span', { class: 'unit' }, column.unit)));
  return { columns: shown, widths: [...widths, Math.max(4, String(count).length)], headings: [...headings, el('span', { role: 'columnheader', class: 'gutter' }, el('span', {}, numbered))] };
}

export function classOf(column: Column): string {
  return `gutter gutter-${column.name}${column.chosen ? '' : ' gutter-other'}`;
}
