// How long the first view takes: node first_view.mjs PLAYWRIGHT BROWSER ADDRESS. Prints JSON: milliseconds from opening
// the page to the picture with the first table's rows, and from opening the flame graph to the picture with its frames.
import { createRequire } from 'node:module';

const [playwright, executablePath, address] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(playwright);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const page = await (await browser.newContext({ viewport: { width: 1600, height: 900 } })).newPage();

// Until what has come is painted: the second frame after it.
async function painted(begin, there) {
  await there();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return performance.now() - begin;
}

let begin = performance.now();
await page.goto(address);
const table = await painted(begin, () => page.locator('tbody tr td').first().waitFor());
begin = performance.now();
await page.evaluate(() => { location.hash = '#/flame'; });
const flame = await painted(begin, () => page.locator('.detail', { hasText: 'frames' }).waitFor());
console.log(JSON.stringify({ table, flame }));
await browser.close();
