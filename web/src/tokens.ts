// Words, numbers, texts and comments of programs, line by line: what a line begins inside of (a comment, a
// text over several lines) is its state, so any line can be coloured when its state is known.

import type { Lines } from './lines';

export type Kind = 'keyword' | 'type' | 'name' | 'text' | 'number' | 'comment' | 'meta';
export type Token = { from: number; to: number; kind: Kind };
// 0: nothing is open. Else what is, as the language has it.
export type State = number | string;

export interface Language {
  // Whether a line that begins in state 0 and has nothing of this ends in state 0.
  opens: RegExp;
  // Adds tokens, if there is a list for them. What the next line begins in.
  read(line: string, state: State, tokens: Token[] | null): State;
}

const set = (words: string) => new Set(words.split(' '));

const C_KEYWORDS = set('alignas alignof and asm auto break case catch class co_await co_return co_yield concept const const_cast consteval constexpr constinit continue decltype default delete do dynamic_cast else enum explicit export extern false final for friend goto if import inline module mutable namespace new noexcept not nullptr operator or override private protected public register reinterpret_cast requires restrict return sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union using virtual volatile while NULL _Atomic _Generic _Noreturn _Static_assert _Thread_local __attribute__ __asm__ __inline __restrict __typeof__ typeof');
const C_TYPES = set('void bool char char8_t char16_t char32_t wchar_t short int long float double signed unsigned _Bool _Complex __int128 FILE va_list auto');
const RUST_KEYWORDS = set('as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type union unsafe use where while');
const RUST_TYPES = set('bool char str i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 String Vec Option Result Box');

// States: 0; -1 a comment of one line that goes on; -2 a text that goes on; n > 0 that many open comments; a string: ends a raw text.
function clike(keywords: Set<string>, types: Set<string>, rust: boolean): Language {
  const word = /[A-Za-z_$\u00a0-\uffff][\w$\u00a0-\uffff]*/.source, number = /\.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])*/.source;
  const raw = rust ? /\bb?r(#*)"/.source : /\b(?:u8|[uUL])?R"([^()\\\s]{0,16})\(/.source;
  const next = new RegExp(`(//|/\\*)|${raw}|(${word})|(${number})|(")|'(?:[^'\\\\]|\\\\(?:x[\\da-fA-F]*|u\\{?[\\da-fA-F]*\\}?|[0-7]{1,3}|.))+?'|^\\s*#\\s*\\w+(?:(?<=include\\s*)\\s*<[^>]*>)?`, 'g');
  const textEnd = /(?:[^"\\]|\\.)*(?:"|(\\)?$)/y, comment = rust ? /\*\/|\/\*/g : /\*\//g;
  return {
    opens: rust ? /["]|\/\*/ : /\/\*|["\\]/,
    read(line, state, tokens) {
      let at = 0;
      const add = (from: number, to: number, kind: Kind) => { if (to > from) tokens?.push({ from, to, kind }); };
      // Each reads from `at`, where it may have begun before, and says what is open behind it.
      const block = (from: number, depth: number): State => {
        comment.lastIndex = at;
        while (depth > 0) {
          const found = comment.exec(line);
          if (!found) { at = line.length; break; }
          depth += found[0] === '/*' ? 1 : -1;
          at = comment.lastIndex;
        }
        add(from, at, 'comment');
        return depth;
      };
      const text = (from: number): State => {
        textEnd.lastIndex = at;
        const found = textEnd.exec(line);
        at = found ? textEnd.lastIndex : line.length;
        const open = !found || found[1] !== undefined || (rust && !found[0].endsWith('"'));
        add(from, at, 'text');
        return open ? -2 : 0;
      };
      const rawText = (from: number, end: string): State => {
        const found = line.indexOf(end, at);
        at = found < 0 ? line.length : found + end.length;
        add(from, at, 'text');
        return found < 0 ? end : 0;
      };
      const rest = (from: number): State => {
        at = line.length;
        add(from, at, 'comment');
        return !rust && line.endsWith('\\') ? -1 : 0;
      };
      let open: State = state === 0 ? 0 : typeof state === 'string' ? rawText(0, state) : state === -1 ? rest(0) : state === -2 ? text(0) : block(0, state);
      while (open === 0 && at < line.length) {
        next.lastIndex = at;
        const found = next.exec(line);
        if (!found) break;
        const from = found.index, [all, slashes, delimiter, name, digits, quote] = found;
        at = from + all.length;
        if (slashes) open = slashes === '//' ? rest(from) : block(from, 1);
        else if (delimiter !== undefined) open = rawText(from, rust ? '"' + delimiter : ')' + delimiter + '"');
        else if (name) {
          if (!tokens) continue;
          const kind = keywords.has(name) ? 'keyword' : types.has(name) || name.endsWith('_t') ? 'type' : line[at] === '(' || (rust && line[at] === '!') ? 'name' : null;
          if (kind) add(from, at, kind);
        } else if (digits) add(from, at, 'number');
        else if (quote) open = text(from);
        else add(from, at, all[0] === "'" ? 'text' : 'meta');
      }
      return open;
    },
  };
}

const SCHEME = set('define define-syntax define-record-type define-values lambda case-lambda let let* letrec letrec* let-values let*-values let-syntax letrec-syntax named-lambda if cond case when unless and or not do begin set! else quote quasiquote unquote delay delay-force parameterize guard call/cc call-with-current-continuation dynamic-wind import export module library define-library use include syntax-rules assert fluid-let receive match => foreign-lambda foreign-lambda* declare define-inline define-constant set-car! set-cdr! error raise values');

// States: 0; -2 a text; n > 0 that many open comments.
const scheme: Language = {
  opens: /["|]/,
  read(line, state, tokens) {
    let at = 0, open: State = state;
    const add = (from: number, to: number, kind: Kind) => { if (to > from) tokens?.push({ from, to, kind }); };
    const next = /(;.*)|(#\|)|(")|#\\(?:[A-Za-z][\w-]*|.)|(#;)|#[tfTF](?:rue|alse)?(?![\w-])|\|[^|]*\||([^\s()[\]{}"';`,|#]|#(?![|;\\]))[^\s()[\]{}"';`,|]*/g;
    const within = (from: number) => {
      const edge = /\|#|#\|/g;
      edge.lastIndex = at;
      let depth = Number(open);
      for (let found; depth > 0 && (found = edge.exec(line));) {
        depth += found[0] === '#|' ? 1 : -1;
        at = edge.lastIndex;
      }
      if (depth > 0) at = line.length;
      add(from, at, 'comment');
      open = depth;
    };
    const text = (from: number) => {
      const end = /(?:[^"\\]|\\.)*(")?/y;
      end.lastIndex = at;
      const found = end.exec(line)!;
      at = found[1] ? end.lastIndex : line.length;
      add(from, at, 'text');
      open = found[1] ? 0 : -2;
    };
    if (Number(open) > 0) within(0);
    else if (open === -2) text(0);
    while (open === 0 && at < line.length) {
      next.lastIndex = at;
      const found = next.exec(line);
      if (!found) break;
      const from = found.index, [all, comment, begins, quote, datum, symbol] = found;
      at = from + all.length;
      if (comment || datum) add(from, at, 'comment');
      else if (begins) { open = 1; within(from); }
      else if (quote) text(from);
      else if (symbol === undefined) { if (all[0] === '#') add(from, at, 'text'); }
      else if (/^[-+]?\.?\d/.test(all) || /^#[xXbBoOdDeEiI]/.test(all)) add(from, at, 'number');
      else if (SCHEME.has(all)) add(from, at, 'keyword');
      else if (/\((?:define[^\s()]*\s+\(?)?$/.test(line.slice(Math.max(0, from - 40), from))) add(from, at, 'name');
    }
    return open;
  },
};

const HASKELL = set('case class data default deriving do else family forall foreign if import in infix infixl infixr instance let mdo module newtype of pattern proc qualified rec then type where hiding as');

// States: 0; -2 a text whose gap goes on; n > 0 that many open comments.
const haskell: Language = {
  opens: /\{-|"/,
  read(line, state, tokens) {
    let at = 0, open: State = state;
    const add = (from: number, to: number, kind: Kind) => { if (to > from) tokens?.push({ from, to, kind }); };
    const next = /(\{-)|(--+(?![!#$%&*+./<=>?@\\^|~:]).*)|(")|'(?:[^'\\]|\\(?:[\w^]+|.))'|([A-Za-z_\u00c0-\uffff][\w'\u00c0-\uffff]*)|(\d(?:[eE][-+]?\d|[\w]|\.\d)*)|^#\w.*|[!#$%&*+./<=>?@\\^|~:-]+/g;
    const within = (from: number) => {
      const edge = /\{-|-\}/g;
      edge.lastIndex = at;
      let depth = Number(open);
      for (let found; depth > 0 && (found = edge.exec(line));) {
        depth += found[0] === '{-' ? 1 : -1;
        at = edge.lastIndex;
      }
      if (depth > 0) at = line.length;
      add(from, at, line.startsWith('{-#', from) ? 'meta' : 'comment');
      open = depth;
    };
    const text = (from: number) => {
      const end = /(?:[^"\\]|\\.)*("|\\$)?/y;
      end.lastIndex = at;
      const found = end.exec(line)!;
      at = found[1] ? end.lastIndex : line.length;
      add(from, at, 'text');
      open = found[1] === '\\' ? -2 : 0;
    };
    if (Number(open) > 0) within(0);
    else if (open === -2) text(0);
    while (open === 0 && at < line.length) {
      next.lastIndex = at;
      const found = next.exec(line);
      if (!found) break;
      const from = found.index, [all, begins, comment, quote, name, digits] = found;
      at = from + all.length;
      if (begins) { open = 1; within(from); }
      else if (comment) add(from, at, 'comment');
      else if (quote) text(from);
      else if (name) {
        if (HASKELL.has(name)) add(from, at, 'keyword');
        else if (/^[A-Z]/.test(name)) add(from, at, 'type');
        else if (from === 0) add(from, at, 'name');
      } else if (digits) add(from, at, 'number');
      else if (all[0] === "'") add(from, at, 'text');
      else if (all[0] === '#' && from === 0 && /^#\w/.test(all)) add(from, at, 'meta');
    }
    return open;
  },
};

export const plainText: Language = { opens: /(?!)/, read: () => 0 };

const cpp = clike(C_KEYWORDS, C_TYPES, false), rust = clike(RUST_KEYWORDS, RUST_TYPES, true);

// How a file is read, by the end of its name: headers of C++ often have none.
export function languageOf(file: string): Language {
  const end = file.slice(file.lastIndexOf('.') + 1).toLowerCase();
  if (end === 'rs') return rust;
  if (['scm', 'ss', 'sld', 'sls'].includes(end)) return scheme;
  if (['hs', 'hsc', 'lhs'].includes(end)) return haskell;
  return ['f', 'f90', 'f95', 's', 'go', 'py', 'txt', 'cmm'].includes(end) ? plainText : cpp;
}

const STEP = 128, LONGEST = 20000; // lines from one kept state to the next; characters of a line that is coloured
const GUESSED = 300, SLICE_MS = 4, CHECKED = 64; // lines before one whose state is not known yet; time for a step in the background; lines between two looks at the clock

// States of lines. From the first line on they are found in the background; where that has not come to yet, a line's
// state is guessed from the lines before it.
export class Tokens {
  private states: State[] = [0]; // of lines 1, 1 + STEP, ...
  private reached = 1; // the first line whose state is not known
  private state: State = 0; // of it
  private guessed = Infinity; // the first line that was guessed
  private last = { line: 0, state: 0 as State }; // the line behind the one that was read last
  private timer = 0;

  // `found`: lines from this one on may have other colours now.
  constructor(private lines: Lines, private language: Language, private found: (from: number) => void) { this.goOn(); }

  close(): void { clearTimeout(this.timer); }

  private goOn(): void {
    if (this.language !== plainText) this.timer = window.setTimeout(() => {
      this.advance(this.lines.count + 1, performance.now() + SLICE_MS);
      if (this.guessed < this.reached) {
        const from = this.guessed;
        this.guessed = Infinity;
        this.last.line = 0;
        this.found(from);
      }
      if (this.reached <= this.lines.count) this.goOn();
    }, 0);
  }

  private after(line: number, state: State): State {
    const { lines, language } = this, { opens } = language, text = lines.line(line);
    return state === 0 && !opens.test(text) ? 0 : language.read(text, state, null);
  }

  private advance(to: number, until: number): void {
    for (; this.reached < to; this.reached++) {
      if ((this.reached - 1) % STEP === 0) this.states[(this.reached - 1) / STEP] = this.state;
      if (this.reached > this.lines.count) break;
      if (this.reached % CHECKED === 0 && performance.now() > until) return;
      this.state = this.after(this.reached, this.state);
    }
  }

  private stateOf(line: number): State {
    let from: number, state: State;
    if (line <= this.reached) {
      if (line === this.reached) return this.state;
      const step = Math.floor((line - 1) / STEP);
      [from, state] = [1 + step * STEP, this.states[step]];
    } else if (line - this.reached <= GUESSED) [from, state] = [this.reached, this.state];
    else {
      [from, state] = [line - GUESSED, 0];
      this.guessed = Math.min(this.guessed, line);
    }
    for (; from < line; from++) state = this.after(from, state);
    return state;
  }

  // Of one line, in order.
  of(line: number): Token[] {
    const text = this.lines.line(line), tokens: Token[] = [];
    if (this.language === plainText || text.length > LONGEST) return tokens;
    const known = this.last.line === line ? this.last.state : this.stateOf(line);
    this.last = { line: line + 1, state: this.language.read(text, known, tokens) };
    return tokens;
  }

  // What stands at an index of a line: a token, a word, a character.
  at(line: number, index: number): [number, number] {
    const token = this.of(line).find(({ from, to }) => from <= index && to > index);
    if (token) return [token.from, token.to];
    const word = /[\w$\u00a0-\uffff]+|./y;
    word.lastIndex = index;
    return word.exec(this.lines.line(line)) ? [index, word.lastIndex] : [index, index + 1];
  }
}
