import { join } from 'node:path';
import { diagramsIn, faultIn, MALFORMED } from '../unit/documents/diagrams.ts';
import { DOCUMENTS } from '../unit/documents/markdown.ts';
import type { Proof } from './proof.ts';

const SCRIPT = join(import.meta.dirname, 'mermaid/node_modules/mermaid/dist/mermaid.min.js');

/** Compares our small grammar of diagrams with Mermaid: it parses each diagram, and no malformed one that our grammar accepts. */
export const compareDiagrams: Proof = async ({ browser }) => {
  const page = await browser.newPage();
  await page.addScriptTag({ path: SCRIPT });
  const parses = (source: string) =>
    page.evaluate<true | string>(`mermaid.parse(${JSON.stringify(source)}).then(() => true, (error) => error.message)`);
  const differences: string[] = [];
  for (const { file, source } of DOCUMENTS.flatMap(diagramsIn)) {
    const outcome = await parses(source);
    if (outcome !== true) differences.push(`${file}: Mermaid refuses a diagram: ${outcome}`);
  }
  for (const source of MALFORMED)
    if ((await parses(source)) === true && faultIn(source) === undefined) differences.push(`Mermaid parses ${source}`);
  await page.close();
  return differences;
};
