import { codeBlocks, textOf } from './markdown.ts';

/** The statements of the documents' diagrams. Mermaid knows many more, and in a malformed one it may draw something else. */

const WORD = '\\w+';
/** Text without the characters that Mermaid reads as its own signs. */
const TEXT = '[^\\[\\](){}|<>;#"]+';
const NODE = `${WORD}(?:\\[${TEXT}\\]|\\["${TEXT}"\\]|\\[\\(${TEXT}\\)\\])?`;
const STATE = `(?:${WORD}|\\[\\*\\])`;

const FLOW = [`${NODE}(?: -->(?:\\|${TEXT}\\|)? ${NODE})+`];

const STATEMENTS: Readonly<Record<string, readonly string[]>> = {
  'flowchart LR': FLOW,
  'flowchart TD': FLOW,
  sequenceDiagram: [
    `participant ${WORD} as ${TEXT}`,
    `Note over ${WORD}: [^;#]+`,
    `${WORD}(?:->>|-->>)${WORD}: [^;#]+`,
  ],
  'stateDiagram-v2': [`${STATE} --> ${STATE}(?:: [^;#:]+)?`],
};

/** Texts that Mermaid refuses, and our grammar too. */
export const MALFORMED: readonly string[] = [
  'flowchart LR\n  a[Router --> b',
  'flowhart LR\n  a --> b',
  'flowchart LR\n  a -->|text b',
  'sequenceDiagram\n  A->>B text',
  'stateDiagram-v2\n  A -> B',
];

/** Returns the diagrams of a document. */
export const diagramsIn = (file: string) => codeBlocks(textOf(file), 'mermaid').map((source) => ({ file, source }));

/** Returns the first line that is not a statement of its type of diagram, or undefined. */
export function faultIn(source: string): string | undefined {
  const [type = '', ...lines] = source.trimEnd().split('\n');
  const statements = STATEMENTS[type];
  if (statements === undefined) return type;
  return lines.find((line) => !statements.some((statement) => RegExp(`^  ${statement}$`).test(line)));
}
