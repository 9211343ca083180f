import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** No command decides by the text of an error: codes decide, and texts only speak to people. */

const PROJECT = join(import.meta.dirname, '../../..');

/** The names of variables and properties that have the text of an error. */
const TEXT = String.raw`(?:[\w()]+\??\.)*(?:message|why|reason|detail|complaint|said)\b`;
const DECISIONS = [
  // /too wide/.test(fault.message), and the same with a name instead of the expression.
  new RegExp(String.raw`\.(?:test|exec)\(\s*(?:String\()?${TEXT}`),
  new RegExp(String.raw`\b${TEXT}\??\.(?:includes|startsWith|endsWith|match|matchAll|search|indexOf)\(`),
  // `typeof` and `undefined` ask whether there is a text.
  new RegExp(String.raw`(?<!typeof\s+)\b${TEXT}\s*[!=]==?\s*['"\`]`),
  new RegExp(String.raw`['"\`]\s*[!=]==\s*${TEXT}`),
  new RegExp(String.raw`switch \(${TEXT}\)`),
];

/** Each file that may read such a text, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'ops/nodes/node-error.ts': "a fault of the Worker's JSON-RPC has no code",
  'scripts/wrangler.ts': "wrangler's message has SQLite's code",
};

const isDecision = (line: string) => DECISIONS.some((pattern) => pattern.test(line));

/** Returns `file:line` for each decision in the files of these folders. */
function decisionsIn(...folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file))
      .flatMap((file) => {
        const lines = readFileSync(join(PROJECT, file), 'utf8').split('\n');
        return lines.flatMap((line, index) => (isDecision(line) ? [`${file}:${index + 1}`] : []));
      }),
  );
}

describe('decisions by the text of an error', () => {
  it('do not exist in the commands, except in reviewed files', () => {
    const files = decisionsIn('ops', 'cli/src', 'scripts').map((place) => place.split(':')[0] ?? '');
    expect(files.filter((file) => EXCEPTIONS[file] === undefined)).toEqual([]);
    expect(Object.keys(EXCEPTIONS).filter((file) => !files.includes(file))).toEqual([]);
  });

  it.each([
    'if (/no such table/.test(message)) return;',
    'const isTooWide = ({ message }: RpcFault) => /range/i.test(message);',
    'if (/another chain/.test(fault.message)) return;',
    'const [, cap] = /maxFee/.exec(trial.result.why) ?? [];',
    'if (error.message.includes("funds")) return;',
    'return answer.error.message?.startsWith("no ");',
    'if (reason === "issued by another gatekeeper") return;',
    "return why !== 'no connection';",
    "if ('no connection' === why) return;",
    'switch (fault.message) {',
    'if (!/no history/.test(Object(fault).message)) throw fault;',
  ])('are found: %s', (line) => {
    expect(isDecision(line)).toBe(true);
  });

  it.each([
    'throw new Failure(message);',
    'if (reason !== undefined) return;',
    "if (typeof message === 'string') return;",
    "if (code === 'no-funds') return;",
    "return message.replaceAll('a', 'b');",
  ])('are not: %s', (line) => {
    expect(isDecision(line)).toBe(false);
  });
});
