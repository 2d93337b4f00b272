// A program that still runs: the page follows it, turn by turn. Ids are of one turn only, so a turn ends when the page asks for
// the next; the overview does so by itself, other views when they are told to.

import type { Data } from './data';
import { el } from './dom';
import { amount } from './format';

const EVERY_MS = 1000, SOON_MS = 100;

const status = el('span', { class: 'live', role: 'status' });
let follows = true, timer = 0;

// The view that is shown; `ready`: it has asked all that it has to ask about its turn.
type Current = () => { name: string; ready?: Promise<void> } | null;
let current: Current = () => null;

function moves(): boolean {
  return follows && document.visibilityState === 'visible' && current()?.name === 'overview' && !document.querySelector('dialog[open]');
}

// What stands in the head of the page; null: no program runs, or did.
export function liveStatus(data: Data): HTMLElement | null {
  return data.turn ? status : null;
}

// `refresh` shows the turn that there is now.
export function follow(data: Data, view: Current, refresh: () => Promise<void>): void {
  current = view;
  if (!data.turn) return;
  clearTimeout(timer);
  let asked = false; // for one turn that is made from now on
  const look = async (once = false) => {
    clearTimeout(timer);
    asked ||= once;
    try {
      await current()?.ready;
      const wants = asked || moves(), live = await data.live(wants);
      if (live.turn !== data.turn && (wants || !live.running || data.past)) {
        asked = false;
        await refresh();
      }
      tell(live.running ? `running, ${amount(live.age_ns, 'ns')}` : live.note, Boolean(live.running), look);
      if (!live.running && live.turn === data.turn) return;
    } catch (error) {
      tell((error as Error).message, false, look);
      return;
    }
    timer = window.setTimeout(look, asked ? SOON_MS : EVERY_MS);
  };
  look();
}

function tell(text: string, running: boolean, look: (once: boolean) => void): void {
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.live : undefined;
  const button = (name: string, label: string, title: string, click: () => void) => el('button', { type: 'button', 'data-live': name, title, click }, label);
  status.title = running ? '' : text;
  status.replaceChildren(el('span', { class: running ? 'beat' : '' }), text + ' ', !running ? '' : moves() || !follows
    ? button('follow', follows ? 'pause' : 'follow', follows ? 'keep these figures; the program goes on' : 'move every second', () => { follows = !follows; look(follows); })
    : button('now', 'update', 'show the figures of now', () => look(true)));
  if (focused) status.querySelector<HTMLElement>(`[data-live="${focused}"]`)?.focus();
}
