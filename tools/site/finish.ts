import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import jsTokens from 'js-tokens';
import { PLACEHOLDER } from './config.ts';

/** Makes the files of the generator fit for a strict content policy, and for any base path. */

/** The scripts that the generator puts into each page. They run before the page is drawn, from this file instead. */
const EARLY = 'early.js';
const INLINE_SCRIPT = /<script id="(?:check-dark-mode|check-mac-os)">([\s\S]*?)<\/script>/g;
/** Styles that the generator also sets by script, which the policy allows, or that `style.css` has. */
const KNOWN_STYLES = / style="(?:--vp-vh:0px;|position:relative;)"/g;

/** Changes the files in the folder. Throws if a page would need more than the policy allows. */
export function finishSite(folder: string): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  let early = '';
  for (const file of files) {
    if (file.endsWith('.html')) {
      const page = finishPage(readFileSync(file, 'utf8'));
      early = page.early;
      writeFileSync(file, page.html);
    } else if (file.endsWith('.js'))
      writeFileSync(file, finishModule(readFileSync(file, 'utf8'), depthOf(file, folder)));
    else if (file.endsWith('.css') && readFileSync(file, 'utf8').includes(PLACEHOLDER))
      throw new Error(`${file} names the base path`);
  }
  writeFileSync(join(folder, EARLY), early);
  // The generator fetches it for a page that it does not know, and has the same in a module.
  rmSync(join(folder, 'package.json'), { force: true });
}

const depthOf = (file: string, folder: string) => file.slice(folder.length + 1).split('/').length - 1;

function finishPage(page: string): { html: string; early: string } {
  const scripts = [...page.matchAll(INLINE_SCRIPT)].map(([, code]) => code);
  let isFirst = true;
  const html = page
    .replaceAll(INLINE_SCRIPT, () => {
      const tag = isFirst ? `<script src="./${EARLY}"></script>` : '';
      isFirst = false;
      return tag;
    })
    .replaceAll(KNOWN_STYLES, '')
    .replaceAll(`"${PLACEHOLDER}`, '"./');
  const forbidden = /<script(?![^>]*\ssrc=)[^>]*>|<style[\s>]|\sstyle="|\son\w+="/.exec(
    html.replaceAll(/<pre[\s\S]*?<\/pre>/g, ''),
  );
  if (forbidden !== null) throw new Error(`the policy forbids ${html.slice(forbidden.index, forbidden.index + 200)}`);
  if (html.includes(PLACEHOLDER)) throw new Error('a page names the base path');
  return { html, early: scripts.join(';\n') };
}

/** A module knows its own address, and so the address of the site. */
function finishModule(code: string, depth: number): string {
  if (!code.includes(PLACEHOLDER)) return code;
  const base = `new URL("${'../'.repeat(depth) || './/'}",import.meta.url).pathname`;
  const tokens = [...jsTokens(code)].map(({ type, value }) => {
    if (!value.includes(PLACEHOLDER)) return value;
    if (type === 'StringLiteral') {
      const quote = value.charAt(0);
      return `(${value.replaceAll(PLACEHOLDER, `${quote}+${base}+${quote}`)})`;
    }
    if (/Template/.test(type)) return value.replaceAll(PLACEHOLDER, `\${${base}}`);
    throw new Error(`a module names the base path in a ${type}`);
  });
  return tokens.join('');
}
