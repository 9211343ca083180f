import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { textOf } from './markdown.ts';
import { guideBlock } from './pass-guide.ts';

/** The outcome of `npm run test:packages -- pass-guide`, which runs the guide's examples for ethers and wagmi. */

const FOLDER = 'test/packages/pass-guide';
const { versions, examples, admitted, ethersAsks, wagmiAsks } = JSON.parse(textOf(`${FOLDER}/outcomes.json`));
const { dependencies } = JSON.parse(textOf(`${FOLDER}/package.json`));
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

describe('the recorded run of the examples for ethers and wagmi', () => {
  it('ran the examples that the guide has now, with the packages of the lockfile', () => {
    expect(examples).toEqual({ ethers: hashOf(guideBlock('ts', 'ethers')), wagmi: hashOf(guideBlock('tsx', 'wagmi')) });
    const { ethers, wagmi } = dependencies;
    expect(versions).toEqual({ ethers, wagmi });
  });

  it.each`
    state           | isAdmitted
    ${'none'}       | ${false}
    ${'issue'}      | ${true}
    ${'freeze'}     | ${false}
    ${'unfreeze'}   | ${true}
    ${'no answer'}  | ${false}
    ${'new expiry'} | ${true}
    ${'revoke'}     | ${false}
  `('admitted the wallet after "$state": $isAdmitted', ({ state, isAdmitted }) => {
    expect(admitted[state]).toEqual({ ethers: isAdmitted, wagmi: isAdmitted });
    expect(Object.keys(admitted)).toHaveLength(7);
  });

  it('asked one question per check, and only on the chain that the example names', () => {
    expect([ethersAsks, wagmiAsks]).toEqual([['eth_call'], ['/rpc']]);
  });
});
