import type { CallNotice } from '@gatepass/client';
import { expect, it } from 'vitest';
import { warnOfEnd } from '../../../../packages/cli/src/warn-of-end.ts';

/** The command says that a network ends. */

const URL = 'https://passes.example/base/pass/ethereum/fantomMainnet';
const answer = (more: object): CallNotice => ({
  ...{ type: 'answer', to: 'service', method: 'POST', url: URL, attempt: 1, status: 202, requestId: 'r' },
  ...{ sunset: 'Sun, 31 Dec 2090 00:00:00 GMT', durationMs: 1, ...more },
});

/** Returns the lines that the command prints about the notices. */
function linesFor(...notices: readonly CallNotice[]): string[] {
  const lines: string[] = [];
  const heard: CallNotice[] = [];
  const listener = warnOfEnd(
    { print: (...printed) => lines.push(...printed) > 0, printJson: () => true, stream: process.stderr },
    (notice) => heard.push(notice),
  );
  for (const notice of notices) listener(notice);
  expect(heard).toEqual(notices);
  return lines;
}

it('once for each network, also for a pass of it', () => {
  const other = URL.replace('fantomMainnet', 'fantomTestnet/0x52908400098527886E0F7030069857D2E4169EE7');
  expect(linesFor(answer({}), answer({}), answer({ url: other }))).toEqual([
    'From 2090-12-31 on, the service issues no new pass on fantomMainnet: the network ends.',
    'From 2090-12-31 on, the service issues no new pass on fantomTestnet: the network ends.',
  ]);
});

it.each([
  ['a network without an end', { sunset: undefined }],
  ['a text that is no date', { sunset: 'soon' }],
  ['a refusal, which says it itself', { status: 400 }],
  ['no answer', { status: undefined, sunset: undefined }],
  ['a path without a network', { url: 'https://passes.example/base/passes' }],
])('not for %s', (_, more) => {
  expect(linesFor(answer(more))).toEqual([]);
});
