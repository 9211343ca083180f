import type { MarkdownOptions } from 'vitepress';

/** Tables that fit: code breaks where a person would break it, an address is shortened, and on a narrow screen a row becomes a card. */

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0];
type Token = ReturnType<MarkdownIt['parse']>[number];

/** The maximum length of code in a cell that stays on one line, and of a part of it without a place to break. */
const CODE_PART_MAX = 16;

/** An address or a hash, of which people read the start and the end. */
const ADDRESS = /^(?:0x[\da-f]{40,}|(?=.*\d)[1-9a-z]{32,44})$/i;
const ADDRESS_START = 6;
const ADDRESS_END = 4;

/** The width in pixels of a letter in a cell, and of the padding of a cell and of code. */
const LETTER = 8;
const CELL_PADDING = 26;
const CODE_PADDING = 12;
/** The width of the text on a screen of 320 pixels. A table that fits stays a table there. */
const PHONE_WIDTH = 256;

export function extendTables(md: MarkdownIt): void {
  md.core.ruler.push('tables', ({ tokens }) => {
    for (const [start, token] of tokens.entries()) {
      if (token.type !== 'table_open') continue;
      const end = tokens.findIndex(({ type }, index) => index > start && type === 'table_close');
      prepareTable(token, tokens.slice(start, end));
    }
  });
  md.renderer.rules.table_open = (tokens, index) => {
    const isNarrow = tokens[index]?.meta?.isNarrow;
    return `<div class="table-frame${isNarrow ? ' narrow-table' : ''}"><table role="table">\n`;
  };
  md.renderer.rules.table_close = () => '</table></div>\n';
}

/** The roles of the parts. Otherwise a browser forgets that cards are rows of a table. */
const ROLES: Readonly<Record<string, string>> = {
  thead_open: 'rowgroup',
  tbody_open: 'rowgroup',
  tr_open: 'row',
  th_open: 'columnheader',
  td_open: 'cell',
};

function prepareTable(table: Token, parts: readonly Token[]): void {
  const labels: string[] = [];
  const widths: number[] = [];
  let column = 0;
  for (const [index, token] of parts.entries()) {
    const role = ROLES[token.type];
    if (role !== undefined) token.attrSet('role', role);
    if (token.type === 'tr_open') column = 0;
    if (token.type !== 'th_open' && token.type !== 'td_open') continue;
    const children = parts[index + 1]?.children ?? [];
    if (token.type === 'th_open') labels[column] = children.map(({ content }) => content).join('');
    else token.attrSet('data-label', labels[column] ?? '');
    for (const child of children) if (child.type === 'code_inline') child.meta = { isInTable: true };
    widths[column] = Math.max(widths[column] ?? 0, ...children.map(longestPart));
    column += 1;
  }
  table.meta = { isNarrow: widths.reduce((sum, width) => sum + width + CELL_PADDING, 0) <= PHONE_WIDTH };
}

/** Returns the width of the longest part that stays on one line, in pixels. */
function longestPart({ type, content }: Token): number {
  const isCode = type === 'code_inline';
  const words = isCode && isShort(content) ? [content] : content.split(/\s/);
  return Math.max(...words.map((word) => word.length * LETTER)) + (isCode ? CODE_PADDING : 0);
}

const isShort = (code: string) => code.length <= CODE_PART_MAX && !/\s/.test(code);

/** Returns the HTML of code in a cell. */
export function codeInCell(content: string, escapeHtml: (text: string) => string): string {
  if (isShort(content)) return `<code v-pre class="short-code">${escapeHtml(content)}</code>`;
  if (ADDRESS.test(content)) return shortAddress(escapeHtml(content));
  return `<code v-pre>${breakable(content).map(escapeHtml).join('<wbr>')}</code>`;
}

/** The middle has no width, but people find and copy it with the rest. */
function shortAddress(address: string): string {
  const [start, middle, end] = [
    address.slice(0, ADDRESS_START),
    address.slice(ADDRESS_START, -ADDRESS_END),
    address.slice(-ADDRESS_END),
  ];
  const code = `<code class="address" title="${address}">${start}<span class="middle">${middle}</span>${end}</code>`;
  return `<span class="copyable">${code}<button type="button" class="copy-code" aria-label="Copy ${start}…${end}"></button></span>`;
}

/** Cuts code behind separators, and long parts before a capital letter too. */
function breakable(content: string): string[] {
  return content
    .split(/(?<=[/.,_?&=:|)}\]-])(?=[^\s/.,_?&=:|)}\]-])|(?=[({[])/)
    .flatMap((part) => (part.length > CODE_PART_MAX ? part.split(/(?<=[a-z\d])(?=[A-Z])/) : part));
}
