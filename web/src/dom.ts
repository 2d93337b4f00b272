// Elements. Names in profiles may be anything, so they only ever become text.

import { visible } from './format';

type Child = Node | string | number | null | undefined | false;
type Attributes = { [name: string]: string | number | boolean | undefined | ((event: any) => void) };

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== undefined) element.setAttribute(name, name === 'title' || name === 'aria-label' ? visible(String(value)) : String(value));
  }
  for (const child of children)
    if (child !== null && child !== undefined && child !== false)
      element.append(child instanceof Node ? child : visible(String(child)));
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag) as SVGElement;
  fill(element, attributes, children);
  return element;
}

export function choice(label: string, options: [string, string][], value: string,
                       changed: (value: string) => void, name?: string): HTMLElement {
  const select = el('select', { 'aria-label': name, change: () => changed(select.value) },
    ...options.map(([key, text]) => el('option', { value: key, selected: key === value }, text)));
  return el('label', {}, label + ' ', select);
}

export function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}
