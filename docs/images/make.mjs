// Takes the pictures of docs/images: node make.mjs PLAYWRIGHT BROWSER DIRECTORY < JSON (see make.py)
// PICTURES: a regular expression for the names of those to take.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const [playwright, executablePath, directory] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(playwright);
const given = JSON.parse(readFileSync(0, 'utf8'));
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const context = await browser.newContext({ viewport: { width: 1180, height: 640 }, colorScheme: 'light' });

// address: where the page is, or a function that finds it.
async function picture(name, address, ready, prepare = async () => {}) {
  if (process.env.PICTURES && !new RegExp(process.env.PICTURES).test(name)) return;
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  await page.goto(typeof address === 'string' ? address : await address());
  await page.locator(ready).first().waitFor();
  await prepare(page);
  await page.waitForTimeout(500); // what is drawn after it is there: canvas, columns
  await page.screenshot({ path: `${directory}/${name}.png` });
  await page.close();
}

async function idOf(address, name) {
  const table = await (await context.request.get(`${address}api/table?kind=functions&filter=${name}&limit=200`)).json();
  const column = (title) => table.columns.indexOf(title);
  return table.rows.find((row) => row[column('name')] === name)[column('id')];
}

const source = encodeURIComponent(given.source);
await picture('overview', given.one, '.top tbody tr', (page) => page.locator('.track canvas').first().waitFor());
await picture('summary', given.two + '#/summary', '.rows tbody tr');
await picture('source', given.two + `#/source?file=${source}&line=523`, '.panel tbody tr');
await picture('calls', async () => given.two + '#/calls?id=' + await idOf(given.two, 'luaV_lessthan'), '.graph .node.own', (page) => page.locator('.listing').nth(1).waitFor());
await picture('cycle', given.levels + '#/calls?cycle=1', '.calls-view h2');
await picture('dial', async () => given.open + '#/calls?id=' + await idOf(given.open, 'many'), '.dial tbody tr', async (page) => {
  const line = page.locator('.dial tbody tr', { hasText: 'green' });
  await line.locator('input[type=number]').fill(await line.locator('input[type=range]').getAttribute('min'));
  await line.locator('input[type=number]').press('Enter');
  await line.getByRole('button', { name: 'take back' }).waitFor();
});
await picture('flame', given.two + '#/flame', '.detail');
await picture('tutorial', given.orders + '#/flame', '.detail', (page) =>
  page.setViewportSize({ width: 1180, height: 460 }));
await picture('time', async () => {
  const { end_ns } = await (await context.request.get(`${given.one}api/time`)).json();
  return given.one + '#/time?part=' + [0.35, 0.6].map((share) => (share * end_ns / 1e9).toFixed(1)).join('-');
}, '.time .bands li');
await picture('compare', given.two + '#/compare', '.rows tbody tr');
await picture('differences', given.two + '#/flame?other=2', '.diff-legend');
await picture('growth', given.growing, '.rows tbody tr');
await picture('growth-source', given.growing + `#/source?file=${source}&colour=growth&line=376`, '.text-line');
await picture('scheme-fft', given.fft + `#/source?file=${encodeURIComponent(given.work + '/fft.ss')}&line=19`, '.panel tbody tr');
await picture('scheme-compare', given.fibonacci + `#/source?file=${encodeURIComponent(given.work + '/fibonacci.ss')}&line=2&colour=value&other=2&by=${encodeURIComponent('b.calls - 2 * a.calls')}`, '.text-line');
await picture('scheme-calls', async () => given.queens + '#/calls?id=' + await idOf(given.queens, 'try'), '.graph .node.own', (page) =>
  page.locator('.graph').first().scrollIntoViewIfNeeded());
await browser.close();
