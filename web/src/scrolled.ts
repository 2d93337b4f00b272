// Where tables and views were scrolled to, by their address, for this tab of the browser.

export const scrolled = {
  key: (what: string) => what + ' ' + location.hash,
  get(what: string): [number, number] { try { return JSON.parse(sessionStorage.getItem(this.key(what)) ?? '[0,0]'); } catch { return [0, 0]; } },
  set(what: string, top: number, rows = 0): void { try { sessionStorage.setItem(this.key(what), JSON.stringify([top, rows])); } catch { /* nothing is kept */ } },
};

// A view is as far down as it was, once there is so much of it: until then, or until it is touched.
export function scrollAgain(view: HTMLElement): void {
  let [wanted] = scrolled.get('view');
  const watcher = new MutationObserver(() => {
    if (!view.isConnected) return ended();
    view.scrollTop = wanted;
    if (view.scrollTop >= wanted - 1) ended();
  });
  const ended = () => { wanted = 0; watcher.disconnect(); };
  if (wanted) watcher.observe(view, { childList: true, subtree: true });
  for (const event of ['wheel', 'pointerdown', 'keydown']) view.addEventListener(event, ended, { once: true, passive: true });
  view.addEventListener('scroll', () => { if (!wanted) scrolled.set('view', view.scrollTop); }, { passive: true });
}
