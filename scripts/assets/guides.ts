import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderMermaidSVG } from 'beautiful-mermaid';
import { Marked, type Tokens } from 'marked';
import { gfmHeadingId } from 'marked-gfm-heading-id';
import { DOCS_GUIDES, type DocsGuide } from '../../src/http/pages/files.ts';

const PROJECT = join(import.meta.dirname, '../..');
const GUIDES = join(PROJECT, 'docs', 'partners');
const DIAGRAM_COLORS = { bg: '#ffffff', fg: '#3b4151', muted: '#3b4151' };

/** Returns the page of a guide: the Markdown of `docs/partners` in the template of `pages/docs`. */
export function guidePage(name: DocsGuide): string {
  const markdown = readFileSync(join(GUIDES, `${name}.md`), 'utf8');
  const template = readFileSync(join(PROJECT, 'pages', 'docs', 'guide.html'), 'utf8');
  return fill(template, { title: titleOf(markdown), nav: navigation(name), content: htmlOf(markdown) });
}

/** Returns the page of the API reference with its navigation. */
export function referencePage(): string {
  return fill(readFileSync(join(PROJECT, 'pages', 'docs', 'index.html'), 'utf8'), { nav: navigation(undefined) });
}

/** Links are relative, because the service may have a base path. Guides are files in `docs/`, the API reference is `docs`. */
function navigation(current: DocsGuide | undefined): string {
  const folder = current === undefined ? 'docs/' : '';
  const guides = DOCS_GUIDES.map((name) => ({
    href: `${folder}${name}`,
    title: titleOf(readFileSync(join(GUIDES, `${name}.md`), 'utf8')),
    isCurrent: name === current,
  }));
  const reference = { href: current === undefined ? 'docs' : '../docs', title: 'API reference', isCurrent: !current };
  const links = [...guides, reference].map(
    ({ href, title, isCurrent }) =>
      `<a href="${href}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>`,
  );
  return `<nav aria-label="Documentation">${links.join('\n')}</nav>`;
}

function titleOf(markdown: string): string {
  const title = /^# (.+)$/m.exec(markdown)?.[1];
  if (title === undefined) throw new Error('a guide needs a heading of the first level');
  return title;
}

/** Anchors are those of GitHub, so that a link works there and here. */
function htmlOf(markdown: string): string {
  const marked = new Marked(gfmHeadingId(), {
    renderer: {
      code: ({ lang, text }: Tokens.Code) => (lang === 'mermaid' ? diagramOf(text) : false),
      link(token: Tokens.Link) {
        const href = token.href.replace(/^([\w-]+)\.md(?=#|$)/, '$1');
        return `<a href="${escapeHtml(href)}">${this.parser.parseInline(token.tokens)}</a>`;
      },
    },
  });
  // Wide tables scroll by themselves: a phone shows the rest of the page at its width.
  return marked.parse(markdown, { async: false }).replace(/<table>[\s\S]*?<\/table>/g, '<div class="table">$&</div>');
}

/** Returns the diagram as an image, because the page's content policy allows no inline styles. The image loads nothing. */
function diagramOf(source: string): string {
  const svg = renderMermaidSVG(source, DIAGRAM_COLORS).replace(/@import url\([^)]*\);/g, '');
  const data = Buffer.from(svg).toString('base64');
  return `<figure><img src="data:image/svg+xml;base64,${data}" alt="${escapeHtml(source)}"></figure>\n`;
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the template has the placeholder ${name}, which has no value`);
    return value;
  });
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
