// The address of each view: #/view?name=value... Back, forward and bookmarks are the browser's.

export type Route = { view: string; parameters: { [name: string]: string } };

export function readRoute(): Route {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const parameters: { [name: string]: string } = {};
  new URLSearchParams(query ?? '').forEach((value, name) => { parameters[name] = value; });
  return { view: path, parameters };
}

// What figures are of is in the address of every view: the metric, where there are several, the part of
// the run, as seconds FROM-TO, or two of them (FROM-TO,FROM-TO), and chips (chips.ts).
export const kept: { [name: string]: string } = {};

export function keep(name: string, value: string): void { kept[name] = value; }

export type Values = { [name: string]: string | number | null | undefined };

// `other`: instead of what is kept.
export function address(view: string, parameters: Values = {}, other: Values = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...parameters, ...kept, ...other }))
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  const text = query.toString();
  return '#/' + view + (text ? '?' + text : '');
}

export function go(view: string, parameters: Values = {}): void {
  location.hash = address(view, parameters);
}

// The same view with other parameters, in place: typing a filter is no step to go back to.
export function amend(route: Route, changes: Values): void {
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === null || value === '') delete route.parameters[name];
    else route.parameters[name] = String(value);
  history.replaceState(null, '', address(route.view, route.parameters));
}
