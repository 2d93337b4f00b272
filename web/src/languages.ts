// How a file is read, by the end of its name: tokens are enough to colour text and to underline places,
// and take a tenth of the room that grammars do.

import { StreamLanguage } from '@codemirror/language';
import { cpp } from '@codemirror/legacy-modes/mode/clike';
import { haskell } from '@codemirror/legacy-modes/mode/haskell';
import { rust } from '@codemirror/legacy-modes/mode/rust';
import { scheme } from '@codemirror/legacy-modes/mode/scheme';
import type { Extension } from '@codemirror/state';

export function languageOf(file: string): Extension[] {
  const end = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  if (end === 'rs') return [StreamLanguage.define(rust)];
  if (['scm', 'ss', 'sld', 'sls'].includes(end)) return [StreamLanguage.define(scheme)];
  if (['hs', 'hsc'].includes(end)) return [StreamLanguage.define(haskell)];
  if (['f', 'f90', 'f95', 's', 'go'].includes(end)) return [];
  return [StreamLanguage.define(cpp)]; // headers of C++ often have no ending
}
