import { renderMermaidSVG } from 'beautiful-mermaid';
import type { MarkdownOptions } from 'vitepress';
import { codeInCell, extendTables } from './tables.ts';

/** How the Markdown of the documents becomes a page. Everything here reads well on a code host too. */

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0];
type Token = ReturnType<MarkdownIt['parse']>[number];

/** The maximum length of code in a text that stays on one line: a browser would break an option after its hyphens. */
const SHORT_CODE_MAX = 22;

/** The maximum width of a diagram, in pixels, that a phone shows as a whole. */
const PHONE_DIAGRAM_MAX = 420;

const LIGHT = { bg: '#ffffff', fg: '#3c3c43', muted: '#3c3c43' };
const DARK = { bg: '#1b1b1f', fg: '#dfdfd6', muted: '#c9c9c2' };

/** Returns the anchor of a heading as GitHub makes it, so that a link works there and here. */
export const slugify = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');

export function extendMarkdown(md: MarkdownIt): void {
  // VitePress joins the tokens between these two to tabs.
  md.core.ruler.push('code-tabs', ({ tokens, Token: Made }) => {
    for (const [first, last] of runsOfLabeledCode(tokens).toReversed()) {
      const open = new Made('container_code-group_open', 'div', 1);
      const close = new Made('container_code-group_close', 'div', -1);
      open.info = ' code-group ';
      open.block = close.block = true;
      tokens.splice(last + 1, 0, close);
      tokens.splice(first, 0, open);
    }
  });
  // The policy of the pages allows no style of an element.
  md.core.ruler.push('aligned-cells', ({ tokens }) => {
    for (const token of tokens) {
      const side = /^text-align:(\w+)$/.exec(token.attrGet('style') ?? '')?.[1];
      if (side === undefined) continue;
      token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style');
      token.attrJoin('class', `align-${side}`);
    }
  });
  const { fence, code_inline: inline } = md.renderer.rules;
  md.renderer.rules.code_inline = (tokens, index, ...rest) => {
    const token = tokens[index];
    if (token === undefined) return '';
    if (token.meta?.isInTable) return codeInCell(token.content, md.utils.escapeHtml);
    if (token.content.length <= SHORT_CODE_MAX) token.attrJoin('class', 'short-code');
    return inline?.(tokens, index, ...rest) ?? '';
  };
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const token = tokens[index];
    if (token?.info.trim() === 'mermaid') return diagramOf(token.content);
    const [, tab] = /\[([^\]]+)\]/.exec(token?.info ?? '') ?? [];
    const block = fence?.(tokens, index, ...rest) ?? '';
    // On paper, all tabs are below each other, each with its name.
    return tab === undefined ? block : block.replace('<div ', `<div data-tab="${md.utils.escapeHtml(tab)}" `);
  };
  extendTables(md);
}

/** Returns the first and the last index of each run of two or more code blocks that follow each other and have a label: ```` ```sh [curl] ````. */
function runsOfLabeledCode(tokens: readonly Token[]): (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'fence' || !/\[[^\]]+\]\s*$/.test(token.info)) continue;
    const run = runs.at(-1);
    if (run !== undefined && run[1] === index - 1) run[1] = index;
    else runs.push([index, index]);
  }
  return runs.filter(([first, last]) => last > first);
}

/**
 * Returns the diagram as an image for each theme, because the page's policy allows no inline styles. An image loads nothing. A wide one
 * scrolls on a phone, because its words would be too small.
 */
function diagramOf(source: string): string {
  let isWide = false;
  const image = (colors: typeof LIGHT, theme: string) => {
    const svg = renderMermaidSVG(source, colors).replaceAll(/@import url\([^)]*\);/g, '');
    isWide = Number(/<svg [^>]*\bwidth="([\d.]+)"/.exec(svg)?.[1]) > PHONE_DIAGRAM_MAX;
    const data = Buffer.from(svg).toString('base64');
    return `<img class="${theme}-only" src="data:image/svg+xml;base64,${data}" alt="${escapeHtml(source)}">`;
  };
  const images = image(LIGHT, 'light') + image(DARK, 'dark');
  return `<figure class="diagram${isWide ? ' wide-diagram' : ''}" tabindex="0">${images}</figure>\n`;
}

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll('\n', '&#10;');
