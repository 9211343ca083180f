import { renderMermaidSVG } from 'beautiful-mermaid';
import { expect, it } from 'vitest';
import { codeBlocks, DOCUMENTS, textOf } from './markdown.ts';

/** `npm run test:packages` has Mermaid itself parse the diagrams. */

const diagrams = DOCUMENTS.flatMap((file) => codeBlocks(textOf(file), 'mermaid').map((source) => ({ file, source })));

it('every diagram of the documents can be drawn', () => {
  expect(diagrams.length).toBeGreaterThan(9);
  for (const { file, source } of diagrams) expect(renderMermaidSVG(source), file).toMatch(/^<svg /);
});
