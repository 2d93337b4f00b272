// Amounts as people read them.

export type Value = string | number | null;

function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 1000) return value.toFixed(0);
  if (size >= 100) return value.toFixed(1);
  if (size >= 10) return value.toFixed(2);
  return value.toFixed(3);
}

function scaled(value: number, steps: [number, string][]): string {
  const size = Math.abs(value);
  for (const [step, name] of steps) if (size >= step) return short(value / step) + ' ' + name;
  const [step, name] = steps[steps.length - 1];
  return (Number.isInteger(value) ? String(value / step) : short(value / step)) + ' ' + name;
}

const TIME: [number, string][] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']];
const COUNT: [number, string][] = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']];

// `unit` is 'ns' or what the profile counts.
export function amount(value: Value, unit: string): string {
  if (value === null || typeof value === 'string') return '-';
  if (value === 0) return '0';
  return unit === 'ns' ? scaled(value, TIME) : scaled(value, COUNT).trim();
}

export function uncertainty(value: Value, error: Value, unit: string): string {
  if (value === null) return '';
  if (error === null) return '?';
  if (error === 0) return '';
  return (value === 0 ? '< ' : '\u00b1 ') + amount(error, unit);
}

export function count(value: Value): string {
  return value === null ? '-' : Number(value).toLocaleString('en-US').replace(/,/g, '\u202f');
}

// "1 call", "2 calls".
export function some(value: Value, one: string): string {
  return `${count(value)} ${one}${value === 1 ? '' : 's'}`;
}

export function percent(part: Value, whole: number): string {
  if (part === null || !whole) return '-';
  const value = (100 * Number(part)) / whole;
  return value >= 9.95 ? value.toFixed(1) : value.toFixed(2);
}

// Of a power of n, with 95 %.
export function exponent(value: Value, error: Value): string {
  if (value === null) return '-';
  const text = Number(value).toFixed(2);
  return error === null || Number(error) > 99 ? text + ' \u00b1 ?' : Number(error) < 0.005 ? text : `${text} \u00b1 ${Number(error).toFixed(2)}`;
}

// A value of any expression: whole numbers to the last digit.
export function plain(value: Value): string {
  if (value === null) return '-';
  if (typeof value === 'number' && Number.isSafeInteger(value)) return count(value);
  return typeof value === 'number' ? String(Number(value.toPrecision(4))) : value;
}

// What is too long loses its middle: names of templates differ at their ends.
export function shortened(text: string, most: number): string {
  const before = Math.floor(most / 3);
  return text.length <= most ? text : text.slice(0, before) + '\u2026' + text.slice(before + 1 - most);
}

export function baseName(path: Value): string {
  const text = String(path ?? '').replace(/(.)\/+$/, '$1'); // a recording's directory
  return text.slice(text.lastIndexOf('/') + 1);
}

export function place(file: Value, line: Value): string {
  return file === null ? '' : baseName(file) + (line === null ? '' : ':' + line);
}
