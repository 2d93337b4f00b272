// How fast the flame graph zooms: node zoom.mjs PLAYWRIGHT BROWSER ADDRESS ROUNDS. Prints JSON: how many rectangles
// there are, and the milliseconds between the pictures while it moves, of each round.
import { createRequire } from 'node:module';

const [playwright, executablePath, address, rounds] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(playwright);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const page = await (await browser.newContext({ viewport: { width: 1600, height: 900 } })).newPage();
await page.goto(address + '#/flame');
const detail = page.locator('.detail', { hasText: 'frames' });
await detail.waitFor();
const rectangles = Number((await detail.innerText()).match(/^(\d+) frames/)[1]);
const first = await page.evaluate(() => performance.timing.domContentLoadedEventEnd - performance.timing.navigationStart);

// Only the pictures that are painted while the canvas moves.
async function moving(act) {
  await page.evaluate(() => {
    const times = [], paint = CanvasRenderingContext2D.prototype.clearRect;
    window.painted = times;
    CanvasRenderingContext2D.prototype.clearRect = function (...places) { times.push(performance.now()); return paint.apply(this, places); };
    window.restore = () => { CanvasRenderingContext2D.prototype.clearRect = paint; };
  });
  await act();
  await page.waitForTimeout(1500);
  return page.evaluate(() => { window.restore(); return window.painted.slice(1).map((time, i) => time - window.painted[i]).filter((step) => step < 200); });
}

const zooms = [];
for (let round = 0; round < Number(rounds); round++) {
  const depth = 2 + (round % 3);
  zooms.push(await moving(() => page.locator('canvas').click({ position: { x: 60, y: 19 * depth + 8 } })));
  zooms.push(await moving(() => page.evaluate(() => { location.hash = '#/flame'; })));
}
console.log(JSON.stringify({ rectangles, first, zooms }));
await browser.close();
