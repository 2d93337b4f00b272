// How a file is read, by the end of its name.

import { cpp } from '@codemirror/lang-cpp';
import { rust } from '@codemirror/lang-rust';
import { StreamLanguage } from '@codemirror/language';
import { haskell } from '@codemirror/legacy-modes/mode/haskell';
import { scheme } from '@codemirror/legacy-modes/mode/scheme';
import type { Extension } from '@codemirror/state';

export function languageOf(file: string): Extension[] {
  const end = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  if (end === 'rs') return [rust()];
  if (['scm', 'ss', 'sld', 'sls'].includes(end)) return [StreamLanguage.define(scheme)];
  if (['hs', 'hsc'].includes(end)) return [StreamLanguage.define(haskell)];
  if (['f', 'f90', 'f95', 's', 'go'].includes(end)) return [];
  return [cpp()]; // headers of C++ often have no ending
}
