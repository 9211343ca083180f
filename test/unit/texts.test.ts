import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Codes decide, texts only speak: no branch in src/ and in the commands depends on a sentence. */

const PROJECT = join(import.meta.dirname, '../..');
/** The searched folders, by the prefix of their files below. */
const FOLDERS: Readonly<Record<string, string>> = { '': 'src', 'ops/': 'ops', 'packages/cli/': 'packages/cli/src' };

/** Members whose values are sentences, of the service or of others. */
const TEXT = String.raw`\b(?:why|message|detail|title)`;
const SENTENCE = String.raw`(['"\`])[^'"\`\n]*[a-z] [a-z][^'"\`\n]*\1`;
const DECISIONS: readonly RegExp[] = [
  // Compares a text, or asks what it contains.
  new RegExp(String.raw`${TEXT}\)? *[!=]==(?! *(?:undefined|null)\b)`),
  new RegExp(String.raw`[!=]== *[\w.?]*\.${TEXT}\b`),
  new RegExp(
    String.raw`(?:${TEXT}|\breason)\)?\??\.(?:includes|startsWith|endsWith|match|search|indexOf|split|slice)\(`,
  ),
  // Looks it up, or applies a pattern to it.
  new RegExp(String.raw`\.(?:includes|has|get)\([^)]*${TEXT}\b`),
  new RegExp(String.raw`/[dgimsuy]*\.(?:test|exec)\([^)]*(?:${TEXT}|\breason|\bline)\b`),
  /\btext\?\.test\(/,
  // Compares with a sentence, or looks it up.
  new RegExp(String.raw`(?:[!=]==|\bcase) *${SENTENCE}`),
  new RegExp(String.raw`\.(?:includes|startsWith|endsWith|indexOf|has|get)\(${SENTENCE}`),
  new RegExp(String.raw`^\s*\[${SENTENCE}, `),
  // A pattern of several words.
  /\/(?:[^/\n\\]|\\.)*[a-z] \??[a-z](?:[^/\n\\]|\\.)*\/[a-z]*[.,;)]/,
];

/** The tables that classify texts of others, who give no code. Each line of `lines` contains one of these. */
const REVIEWED: readonly { readonly file: string; readonly lines: readonly string[] }[] = [
  // Nodes word their errors differently, and most have the codes -32000 and -32603.
  { file: 'chain/rpc-answer.ts', lines: ['text?.test(message)'] },
  { file: 'chain/ethereum/node-answers.ts', lines: ['text:', 'revert|invalid opcode', 'block|(block|header)'] },
  // OpenZeppelin's contract has texts instead of error types.
  { file: 'chain/ethereum/gateway.ts', lines: ["['ERC3525: "] },
  // Only the log of a program says which program failed.
  { file: 'chain/solana/gateway.ts', lines: ['/^Program 1{32} failed/.test(line)'] },
  // D1 names its errors at the beginning of the message.
  { file: 'http/router.ts', lines: ["fault.message.startsWith('D1_ERROR')"] },
  { file: 'store/d1-circuit-breaker.ts', lines: ["fault.message.startsWith('D1_')"] },
  // A refused call and most HTTP statuses have no code. The other line removes words for a reader.
  { file: 'ops/nodes/node-error.ts', lines: ['the call was refused', 'no endpoint answered'] },
  // The file of results has a code in front of each detail.
  { file: 'packages/cli/run/result-file.ts', lines: ["detail.split(':')"] },
];

interface Decision {
  readonly file: string;
  readonly line: string;
}

function decisionsIn(file: string, source: string): Decision[] {
  return source
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !/^(?:\*|\/\*\*|\/\/)/.test(line) && !line.includes('typeof'))
    .filter((line) => DECISIONS.some((decision) => decision.test(line)))
    .map((line) => ({ file, line }));
}

const decisions = Object.entries(FOLDERS).flatMap(([prefix, folder]) =>
  readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => decisionsIn(prefix + file, readFileSync(join(PROJECT, folder, file), 'utf8'))),
);

const isReviewed = ({ file, line }: Decision) =>
  REVIEWED.some((each) => each.file === file && each.lines.some((part) => line.includes(part)));

describe('a text', () => {
  it('decides nothing in src/ and in the commands outside the reviewed tables', () => {
    expect(decisions.filter((decision) => !isReviewed(decision))).toEqual([]);
  });

  it.each(REVIEWED.flatMap(({ file, lines }) => lines.map((part) => ({ file, part }))))(
    'still decides in a reviewed place: $file, $part',
    ({ file, part }) => {
      expect(decisions.filter((each) => each.file === file && each.line.includes(part))).not.toEqual([]);
    },
  );

  it.each([
    'if (pause.why !== FAR_AHEAD.why) return FAR_AHEAD;',
    'return /funds/.test(result.why) ? 0 : undefined;',
    "if (fault.message.includes('timeout')) return;",
    "if (issue.message.startsWith('must')) return;",
    "const isLate = said === 'no answer in time';",
    "case 'the gatekeeper has no funds':",
    "if (why?.startsWith('the step')) return;",
    'const isKnown = REASONS.includes(result.why);',
    "if (reasons.has('the step waits')) return;",
    'return KNOWN_TEXTS.get(fault.message);',
    "if ((fault as Error).message === 'gone') return;",
    'return /insufficient funds|no balance/.test(said);',
  ])('is found where it decides: %s', (line) => {
    expect(decisionsIn('a.ts', line)).toHaveLength(1);
  });

  it.each([
    "if (result.code === 'no-funds') return 0;",
    "if (row.reason === 'abandoned') return;",
    "throw new RpcFault('no answer in time');",
    "// if (why === 'x') the text would decide",
    "sql.exec('UPDATE step SET why = ? WHERE id = ?', why, id);",
  ])('is not found where it only speaks: %s', (line) => {
    expect(decisionsIn('a.ts', line)).toEqual([]);
  });
});
