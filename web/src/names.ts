// Names of functions in little room: each answer has the short names of the long ones that it mentions, by the
// rule of the terminal's report.

const short = new Map<string, string>();

// The answer, or what it holds: tables, stacks.
export function learnNames(answer: unknown, depth = 0): void {
  if (typeof answer !== 'object' || answer === null || depth > 4 || Array.isArray(answer) && typeof answer[0] !== 'object') return;
  for (const [key, value] of Object.entries(answer))
    if (key === 'short' && !Array.isArray(value)) for (const [name, shown] of Object.entries(value as { [name: string]: string })) short.set(name, shown);
    else if (key !== 'rows' && key !== 'frames' && key !== 'names') learnNames(value, depth + 1);
}

export function shortName(name: string): string { return short.get(name) ?? name; }

// "a > b" of a list of names, one a line.
export function chainOf(names: unknown): string { return String(names).split('\n').map(shortName).join(' > '); }

// Without as many leading scopes as it takes.
export function withoutScopes(name: string, most: number): string {
  let text = name.length <= most ? name : shortName(name);
  for (let scope; text.length > most && (scope = /^[\w$~]+::(?=.)/.exec(text));) text = text.slice(scope[0].length);
  return text;
}

// In at most so many characters: what is still too long loses its middle, as names of templates differ at their ends.
export function shortened(name: string, most: number): string {
  const text = withoutScopes(name, most), before = Math.floor(most / 3);
  return text.length <= most ? text : text.slice(0, before) + '\u2026' + text.slice(before + 1 - most);
}
