// Colours of figures. One hue that only gets darker (dark mode: lighter) in steps of equal perceived
// lightness: it reads the same with any colour vision. Differences go both ways from neutral grey,
// blue for less and orange for more, which everybody can tell apart. The classes are in viewer.css.

import { el } from './dom';

export const STEPS = 8;

// 0: nothing. Logarithmic, because costs are: each step down is a factor of about 2.7.
export function heatClass(value: number, largest: number): string {
  if (!(value > 0) || !(largest > 0)) return '';
  const step = STEPS + Math.floor(Math.log(value / largest));
  return step >= 1 ? 'heat' + Math.min(step, STEPS) : 'heat1';
}

export function changeClass(value: number, largest: number): string {
  if (!value || !(largest > 0)) return '';
  const step = Math.max(1, Math.min(4, 5 + Math.floor(Math.log(Math.abs(value) / largest))));
  return (value > 0 ? 'more' : 'less') + step;
}

// Of a power of n: a step for each quarter, up to n^2.
export function exponentClass(exponent: number): string {
  return exponent > 0 ? 'heat' + Math.min(STEPS, Math.ceil(exponent * 4)) : '';
}

export function legend(kind: 'heat' | 'change', least: string, most: string): HTMLElement {
  const classes = kind === 'heat' ? Array.from({ length: STEPS }, (_, i) => 'heat' + (i + 1))
    : ['less4', 'less3', 'less2', 'less1', 'same', 'more1', 'more2', 'more3', 'more4'];
  return el('span', { class: 'legend', role: 'img', 'aria-label': `colours from ${least} to ${most}` },
    least, ' ', ...classes.map((name) => el('span', { class: 'swatch ' + name })), ' ', most);
}
