import { join } from 'node:path';
import { codeBlocks, DOCUMENTS, textOf } from '../unit/documents/markdown.ts';
import type { Proof } from './proof.ts';

const SCRIPT = join(import.meta.dirname, 'mermaid/node_modules/mermaid/dist/mermaid.min.js');

/** Has Mermaid parse each diagram of the documents. */
export const parseDiagrams: Proof = async ({ browser }) => {
  const page = await browser.newPage();
  await page.addScriptTag({ path: SCRIPT });
  const parses = (source: string) =>
    page.evaluate<true | string>(`mermaid.parse(${JSON.stringify(source)}).then(() => true, (error) => error.message)`);
  const differences: string[] = [];
  for (const file of DOCUMENTS)
    for (const source of codeBlocks(textOf(file), 'mermaid')) {
      const outcome = await parses(source);
      if (outcome !== true) differences.push(`${file}: Mermaid refuses a diagram: ${outcome}`);
    }
  if ((await parses('flowchart LR\n  a[Router --> b')) === true)
    differences.push('Mermaid parses a malformed diagram.');
  await page.close();
  return differences;
};
