import jsTokens from 'js-tokens';

/** A stretch of prose: its text on one line, and the line of the file where it starts. */
export interface Prose {
  readonly line: number;
  readonly text: string;
}

/** Fewer words are names, keys or SQL fragments. */
const STRING_MIN_WORDS = 4;

/** Returns the prose of a file by its type: paragraphs of Markdown, comments and sentences in code, comments of TOML and SQL. */
export function proseOf(file: string, content: string): Prose[] {
  if (file.endsWith('.md')) return paragraphsOf(content);
  if (/\.(?:ts|mjs|js)$/.test(file)) return proseOfCode(content);
  if (file.endsWith('.toml')) return commentLines(content, /^\s*#+ ?(.*)/);
  if (file.endsWith('.sql')) return commentLines(content, /^\s*--+ ?(.*)/);
  if (file.endsWith('.html')) return paragraphsOf(content.replace(/<[^>]*>/g, ''));
  return [];
}

/** Code blocks and code spans hold names and output, not prose. */
function paragraphsOf(content: string): Prose[] {
  const blank = (text: string) => text.replace(/[^\n]/g, '');
  const text = content.replace(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, blank);
  const lines = text.split('\n').map((line, index) => ({ line: index + 1, text: line }));
  return joined(lines, (line) => /^\s*(?:[-*|#>]|\d+\.|$)/.test(line)).map(({ line, text }) => ({
    line,
    text: text
      .replace(/`[^`]*`/g, '`…`')
      .replace(/\]\([^)]*\)/g, ']')
      .replace(/^\s*(?:[-*#>|]+|\d+\.)\s*/, '')
      .replace(/[*_]{2}/g, ''),
  }));
}

function proseOfCode(content: string): Prose[] {
  const found: Prose[] = [];
  let comments: Prose[] = [];
  let line = 1;
  for (const { type, value } of jsTokens(content)) {
    if (type === 'SingleLineComment') comments.push({ line, text: value.replace(/^\/\/ ?/, '') });
    else if (!/^(?:WhiteSpace|LineTerminatorSequence)$/.test(type)) {
      found.push(...joined(comments, () => false));
      comments = [];
      if (type === 'MultiLineComment') found.push(...paragraphsOfComment(value, line));
      if (/^(?:StringLiteral|NoSubstitutionTemplate|Template)/.test(type)) {
        const text = value.slice(1, -1).replace(/\s+/g, ' ');
        if (text.split(' ').length >= STRING_MIN_WORDS) found.push({ line, text });
      }
    }
    line += value.split('\n').length - 1;
  }
  return [...found, ...joined(comments, () => false)];
}

function paragraphsOfComment(comment: string, start: number): Prose[] {
  const lines = comment
    .replace(/^\/\*+|\*+\/$/g, '')
    .split('\n')
    .map((text, index) => ({
      line: start + index,
      text: text.replace(/^\s*\* ?/, '').replace(/^@\w+ (?:\w+ )?/, '\n'),
    }));
  return joined(lines, (text) => /^\s*(?:-|\d+\.|$)/.test(text) || text.startsWith('\n')).map((prose) => ({
    ...prose,
    text: prose.text.trim().replace(/`[^`]*`/g, '`…`'),
  }));
}

function commentLines(content: string, comment: RegExp): Prose[] {
  const lines = content.split('\n').map((line, index) => ({ line: index + 1, text: comment.exec(line)?.[1] ?? '' }));
  return joined(lines, (text) => text === '');
}

/** Joins wrapped lines; a line for which `starts` holds begins a stretch of its own. */
function joined(lines: readonly Prose[], starts: (text: string) => boolean): Prose[] {
  const stretches: Prose[] = [];
  let last = -1;
  for (const { line, text } of lines) {
    const open = stretches.at(-1);
    if (open === undefined || starts(text) || line !== last + 1) stretches.push({ line, text: text.trim() });
    else stretches[stretches.length - 1] = { line: open.line, text: `${open.text} ${text.trim()}`.trim() };
    last = line;
  }
  return stretches.filter(({ text }) => text !== '');
}

/** Returns the words of each identifier of a script, in lower case. A name in capitals has its words between underscores. */
export function identifiersOf(file: string, content: string): Prose[] {
  if (!/\.(?:ts|mjs|js)$/.test(file)) return [];
  const found: Prose[] = [];
  let line = 1;
  for (const { type, value } of jsTokens(content)) {
    if (type === 'IdentifierName' || type === 'PrivateIdentifier')
      found.push({
        line,
        text: value
          .replace(/([a-z\d])([A-Z])/g, '$1 $2')
          .replace(/[_#$]+/g, ' ')
          .trim()
          .toLowerCase(),
      });
    line += value.split('\n').length - 1;
  }
  return found;
}
