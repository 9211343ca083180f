import { renderMermaidSVG } from 'beautiful-mermaid';
import { expect, it } from 'vitest';
import { diagramsIn, faultIn, MALFORMED } from './diagrams.ts';
import { DOCUMENTS } from './markdown.ts';

/** The diagrams of the documents. `npm run test:packages` has Mermaid parse them, and compares it with the grammar here. */

const diagrams = DOCUMENTS.flatMap(diagramsIn);

it('every diagram has only statements of the grammar, and can be drawn', () => {
  expect(diagrams.length).toBeGreaterThan(9);
  for (const { file, source } of diagrams) {
    expect([file, faultIn(source)]).toEqual([file, undefined]);
    expect(renderMermaidSVG(source), file).toMatch(/^<svg /);
  }
});

it.each(MALFORMED)('a malformed diagram is found: %j', (source) => {
  expect(faultIn(source)).toBeDefined();
});
