// Amounts as people read them.

export type Value = string | number | null;

// The digits are those of the terminal's report.
function scaled(value: number, steps: [number, string][]): string {
  const [step, name] = steps.find(([step]) => Math.abs(value) >= 0.9995 * step) ?? steps[steps.length - 1];
  const size = Math.abs(value / step);
  if (step === 1 && Number.isInteger(value)) return value + ' ' + name;
  return (value / step).toFixed(name === 's' ? (size < 99.95 ? 3 : 1) : size < 9.995 ? 2 : size < 99.95 ? 1 : 0) + ' ' + name;
}

const TIME: [number, string][] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']];
const COUNT: [number, string][] = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']];
const BYTES = COUNT.map(([step, name]) => [step, name + 'B'] as [number, string]);

// `unit` is 'ns' or what the profile counts.
export function amount(value: Value, unit: string): string {
  if (value === null || typeof value === 'string') return '-';
  if (value === 0) return '0';
  return scaled(value, unit === 'ns' ? TIME : unit === 'bytes' ? BYTES : COUNT).trim();
}

// One unit for a column, by its greatest amount: what one of it is, and its name.
export function columnUnit(most: number, unit: string): [number, string] {
  const steps = unit === 'ns' ? TIME : unit === 'bytes' ? BYTES : COUNT;
  const [step, name] = steps.find(([step]) => most >= 10 * step) ?? steps[steps.length - 1];
  return [step, unit === 'ns' || unit === 'bytes' ? name : (name + ' ' + unit).trim()];
}

// As many as reach the first digit of the uncertainty.
function digitsFor(error: number, step: number): number {
  return Math.max(0, Math.min(3, -Math.floor(Math.log10(error / step))));
}

// In a column's unit; not finer than the first digit of its uncertainty, but never 0 where there is something.
export function inUnit(value: number, error: number | null, step: number): string {
  let digits = error ? digitsFor(error, step) : Number.isInteger(value / step) || Math.abs(value / step) >= 100 ? 0 : 1;
  if (value && !Number((value / step).toFixed(digits))) digits = Math.min(6, -Math.floor(Math.log10(Math.abs(value) / step)));
  return count((value / step).toFixed(digits));
}

// The 95 % interval of FIGURE_ns in a column's unit: as `interval` has it. Both ends have the same digits: the lower one may be 0.
export function intervalIn(row: { [column: string]: Value }, figure: string, step: number): string {
  const [value, low, high] = ['_ns', '_low_ns', '_high_ns'].map((end) => row[figure + end] ?? null);
  if (value === null || low === null || high === null) return value === null ? '' : '?';
  const below = Number(value) - Number(low), above = Number(high) - Number(value), half = (Number(high) - Number(low)) / 2;
  if (!half) return '';
  if (value === 0) return '< ' + inUnit(above, above / 2, step);
  if (above > 1.2 * below || below > 1.2 * above) {
    const [from, to] = [low, high].map((end) => count((Number(end) / step).toFixed(digitsFor(half, step))));
    return from === to ? '\u00b1 ' + inUnit(half, half, step) : `${from} to ${to}`;
  }
  return '\u00b1 ' + inUnit(Math.max(below, above), Math.max(below, above), step);
}

// With what is counted, where the amount does not say it.
export function whole(value: Value, unit: string): string {
  return unit === 'ns' || unit === 'bytes' ? amount(value, unit) : `${amount(value, unit)} ${unit}`;
}

export function uncertainty(value: Value, error: Value, unit: string): string {
  if (value === null) return '';
  if (error === null) return '?';
  if (error === 0) return '';
  return (value === 0 ? '< ' : '\u00b1 ') + amount(error, unit);
}

// "12.1 to 38.4 ms", "800 us to 2.10 ms"; one figure where both look the same.
export function range(low: number, high: number, unit: string): string {
  const [from, to] = [amount(low, unit), amount(high, unit)];
  const [, number, name] = /^(.*?)( \S+)?$/.exec(from)!;
  return from === to ? to : `${name && to.endsWith(name) ? number : from} to ${to}`;
}

// The 95 % interval of FIGURE_ns; of few ticks both ends, as they are not equally far away.
export function interval(row: { [column: string]: Value }, figure: string, unit: string): string {
  const [value, low, high] = ['_ns', '_low_ns', '_high_ns'].map((end) => row[figure + end] ?? null);
  if (value === null || low === null || high === null) return value === null ? '' : '?';
  const below = Number(value) - Number(low), above = Number(high) - Number(value);
  const lopsided = value !== 0 && (above > 1.2 * below || below > 1.2 * above);
  return lopsided ? range(Number(low), Number(high), unit) : uncertainty(value, Math.max(below, above), unit);
}

// "12.3 ms ± 4.5 ms", "12.3 ms (8.1 to 19.0 ms)".
export function measured(row: { [column: string]: Value }, figure: string, unit: string): string {
  const error = interval(row, figure, unit);
  return `${amount(row[figure + '_ns'] ?? null, unit)} ${/ to |</.test(error) ? `(${error})` : error}`.trim();
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
  return value >= 0.095 || value === 0 ? value.toFixed(1) : value.toFixed(2);
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

// Characters that turn the direction of text, or that cannot be seen: names could pass for others.
export function visible(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, (one) => `\u2039U+${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}\u203a`);
}

export function baseName(path: Value): string {
  const text = String(path ?? '').replace(/(.)\/+$/, '$1'); // a recording's directory
  return text.slice(text.lastIndexOf('/') + 1);
}

export function place(row: { [column: string]: Value }): string {
  const position = [row.line, row.source_column].filter((number) => number ?? false);
  return row.file === null ? '' : [baseName(row.file), ...position].join(':');
}
