import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REASONS } from '../../../src/chain/reasons.ts';

/** Every reason that an operator reads in /admin/stuck and /admin/signers is in the runbook, word for word. */

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const filesIn = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

/** A text in the code: in quotes, or several joined by `+`. */
const QUOTED = String.raw`(?:'[^'\n]+'|"[^"\n]+"|\`[^\`]+\`)`;
const TEXT = `(${QUOTED}(?:\\s*\\+\\s*${QUOTED})*)`;
/** The places of reasons: the member `why`, constants, and the texts of the function that chooses one. */
const PLACES = [
  `\\bwhy:\\s*${TEXT}`,
  `\\bconst [A-Z_]*(?:WHY|HELD|FUNDS|COMPROMISED|VANISHED|FINAL|DISAGREEMENT)[A-Z_]*\\s*=\\s*${TEXT}`,
  `\\bconst why\\s*=\\s*${TEXT}`,
  `pauseSigner\\(\\w+, ${TEXT}`,
];
const PLACES_OF_VIEWS = [`(?:return|\\?\\?|\\?|:)\\s*${TEXT}(?=\\s*(?:[;):\\]]|$))`];

function textsIn(source: string, places: readonly string[]): string[] {
  return places.flatMap((place) => [...source.matchAll(new RegExp(place, 'gm'))].map((match) => match[1] ?? ''));
}

/** Returns the fixed parts of the text. An expression in it is another reason, a number or a name. */
function partsOf(text: string): string[] {
  const joined = [...text.matchAll(/'([^']*)'|"([^"]*)"|`([^`]*)`/g)]
    .map((match) => match[1] ?? match[2] ?? match[3])
    .join('');
  return joined
    .replace(/\$\{STEP_MAX_NONCES\}/g, '3')
    .split(/\$\{[^}]*\}/)
    .map((part) => part.replace(/^[:.,\s]+|[:.,\s]+$/g, ''))
    .filter((part) => part.includes(' '));
}

const VIEWS = ['src/signer-object/stuck-reason.ts', 'src/signer-object/status.ts', 'src/http/routes/admin/stuck.ts'];

const reasons = new Set([
  ...Object.values(REASONS).map(({ text }) => text),
  ...[
    ...['src/signer-object', 'src/chain'].flatMap((folder) =>
      filesIn(folder).flatMap((file) => textsIn(read(`${folder}/${file}`), PLACES)),
    ),
    ...VIEWS.flatMap((file) => textsIn(read(file), [...PLACES, ...PLACES_OF_VIEWS])),
  ].flatMap(partsOf),
]);
const runbook = read('docs/operators/runbook.md').replace(/\s+/g, ' ');

it('finds the reasons of every kind in the code', () => {
  for (const known of [
    'the nodes do not answer',
    'the gatekeeper has no funds',
    'the gatekeeper is not authorized on the gatekeeper network',
    'the step waits for its turn',
    'its signer is not configured',
    'its signer does not answer',
    'the step is held: 3 nonces were signed for it',
    'no second endpoint confirms that the wallet has no valid token',
    "the wallet has more than 20 tokens of the gatekeeper network: the network's authority must burn or revoke some of them",
  ])
    expect([...reasons]).toContain(known);
});

it.each([...reasons].toSorted())('the runbook has the reason "%s"', (reason) => {
  expect(runbook).toContain(reason);
});
