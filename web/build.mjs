// Writes dist/: one script, one style sheet, and the licences of what is in them.
//   node build.mjs [FOLDER]
import { build } from 'esbuild';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? join(here, 'dist');
mkdirSync(folder, { recursive: true });

const result = await build({
  absWorkingDir: here,
  entryPoints: ['src/main.ts', 'src/viewer.css'],
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  charset: 'ascii',
  format: 'iife',
  target: 'es2021',
  legalComments: 'none',
  outdir: 'out',
});

for (const file of result.outputFiles) {
  const name = file.path.endsWith('.css') ? 'viewer.css' : 'viewer.js';
  // A page that stands alone has the script in it: nothing in it may end it.
  writeFileSync(join(folder, name), file.text.replace(/<\/(script|style)/gi, '<\\/$1').replace(/<!--/g, '<\\!--'));
}

const packages = new Set();
for (const input of Object.keys(result.metafile.inputs)) {
  const match = input.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//);
  if (match) packages.add(match[1]);
}
let text = 'Parts of viewer.js are of these packages.\n';
for (const name of [...packages].sort()) {
  const at = join(here, 'node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
  const file = readdirSync(at).find((entry) => /^licen[cs]e/i.test(entry));
  text += `\n---- ${name} ${version} (${license}) ----\n\n`;
  if (file) text += readFileSync(join(at, file), 'utf8').trim() + '\n';
}
writeFileSync(join(folder, 'LICENSES.txt'), text);
