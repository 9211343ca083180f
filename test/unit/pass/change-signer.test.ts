import { expect, it } from 'vitest';
import type { SignerName } from '../../../src/network/network.ts';
import { recordAnswer } from '../../../src/pass/answers.ts';
import { changeSigner } from '../../../src/pass/next-step.ts';
import { isReorged, type PastStep, vanishedSteps } from '../../../src/pass/pass.ts';
import { anActivePass, NOW } from './a-pass.ts';

const [OLD, NEW] = ['solana/devnet/old', 'solana/devnet/new'] as SignerName[] as [SignerName, SignerName];
const NONE = { state: 'NONE' } as const;
const ACTIVE = { state: 'ACTIVE', asOf: 7 } as const;
const MINT: PastStep = { id: 'p:1', revision: 2, kind: 'issue', transaction: '0x1', before: NONE, after: ACTIVE };

it('asks the new signer only about its own steps, and still records announcements of the old signer about its steps', () => {
  const moved = changeSigner(anActivePass({ signer: OLD, past: [MINT] }), NEW);
  const gone = recordAnswer(moved, { step: 'p:1', revision: 3, status: { type: 'vanished', transaction: '0x1' } }, NOW);
  expect([isReorged(gone), vanishedSteps(gone)]).toEqual([true, []]);
  const status = { type: 'confirmed', transaction: '0x1', onChain: { ...ACTIVE, asOf: 9 } } as const;
  const back = recordAnswer(gone, { step: 'p:1', revision: 4, status }, NOW);
  expect([isReorged(back), back.signer, back.onChain.state]).toEqual([false, NEW, 'ACTIVE']);
});

it.each`
  chain         | state       | foreign
  ${'solana'}   | ${'ACTIVE'} | ${true}
  ${'solana'}   | ${'NONE'}   | ${undefined}
  ${'ethereum'} | ${'ACTIVE'} | ${undefined}
`('sets foreign to $foreign for the $state token on $chain', ({ chain, state, foreign }) => {
  const { onChain } = changeSigner(anActivePass({ key: { chain }, signer: OLD, onChain: { state } }), NEW);
  expect(onChain.foreign).toBe(foreign);
  expect(onChain.issuer).toBe(foreign ? 'old' : undefined);
});
