// What leaves the viewer: files, and texts for the clipboard.

import type { App } from './app';
import { el } from './dom';
import { baseName } from './format';

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content), link = el('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

// Named after what is shown.
export function fileName(app: App, ending: string): string {
  return baseName(app.profiles[0].about.path).replace(/\.ascribe(@.*)?$/, '') + ending;
}

// For pages whose address gives no access to the clipboard.
function copyOld(text: string): boolean {
  const area = el('textarea', { class: 'hidden' });
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}

export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyOld(text);
  }
}

// All of what is shown as one page, which needs no server.
export function shareButton(app: App): HTMLElement | '' {
  if (app.data.alone) return '';
  const button = el('button', { type: 'button', class: 'go', title: 'save all of this as one HTML page, to send to somebody', click: async () => {
    button.disabled = true;
    button.textContent = 'writing\u2026';
    try {
      saveFile(fileName(app, '.html'), new Blob([await app.data.page()], { type: 'text/html' }));
      button.textContent = 'Share';
    } catch (error) {
      button.textContent = 'Share failed';
      button.title = (error as Error).message;
    }
    button.disabled = false;
  } }, 'Share');
  return button;
}
