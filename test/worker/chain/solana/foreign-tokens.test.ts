import { describe, expect, inject, it } from 'vitest';
import { refused } from '../../../../src/chain/reasons.ts';
import type { EnabledSolana } from '../../../../src/config/signers.ts';
import type { Step } from '../../../../src/pass/step.ts';
import type { StepKind } from '../../../../src/pass/step-kinds.ts';
import { readAll } from '../ask.ts';
import { chain, findingOf, flown, issueAnother, issued, tokenOf } from './issuing.ts';
import { anotherGatekeeper, aStep, byGatekeeper, change, untilFinal } from './node.ts';

/** Tokens that another gatekeeper of the same gatekeeper network issued: only that one can freeze and unfreeze them. */

const EXPIRY = 2_000_000_000;
const LATER = 2_100_000_000;
const [ACTIVE, FROZEN] = [0, 1] as const;
const REFUSED = refused('issued-by-another');

const theOther = () => anotherGatekeeper(inject('localnet').partners[0]?.gatekeeperNetwork as string);

const as = (step: Step, kind: StepKind): Step => ({ ...step, kind, expiry: kind === 'set-expiry' ? LATER : undefined });

/** Another gatekeeper's token is the wallet's only one. */
async function aForeignToken(by: EnabledSolana, state: 0 | 1 = ACTIVE): Promise<Step> {
  const step = aStep();
  await issueAnother(step, 0, EXPIRY, by);
  if (state === FROZEN) await byGatekeeper(await change(step, FROZEN, { by }), by);
  await untilFinal();
  return step;
}

/** One token is ours, in that state, and another one is not. */
async function twoTokens(ours: 0 | 1, theirs: 0 | 1): Promise<Step> {
  const step = aStep({ expiry: EXPIRY });
  const by = await theOther();
  await issued(step);
  await issueAnother(step, 1, LATER, by);
  if (ours === FROZEN) await byGatekeeper(await change(step, FROZEN));
  if (theirs === FROZEN) await byGatekeeper(await change(step, FROZEN, { index: 1, by }), by);
  await untilFinal();
  return step;
}

describe('another gatekeeper’s token', () => {
  it('finds and reads another gatekeeper’s token, together with its issuer', async () => {
    const by = await theOther();
    const step = await aForeignToken(by);
    expect(await tokenOf(step)).toMatchObject({ issuer: by.gatekeeper.address });
    const onChain = { state: 'ACTIVE', expiry: EXPIRY, foreign: true, issuer: by.gatekeeper.address };
    expect(await findingOf(step)).toMatchObject({ type: 'found', onChain });
    expect(await readAll(chain, [step])).toMatchObject([{ type: 'read', onChain }]);
  });

  it.each`
    kind          | state
    ${'freeze'}   | ${ACTIVE}
    ${'unfreeze'} | ${FROZEN}
  `('refuses to $kind another gatekeeper’s token', async ({ kind, state }) => {
    const step = await aForeignToken(await theOther(), state);
    expect(await findingOf(as(step, kind))).toEqual(REFUSED);
  });

  it.each`
    kind            | state     | after
    ${'revoke'}     | ${ACTIVE} | ${{ state: 'REVOKED', expiry: EXPIRY }}
    ${'revoke'}     | ${FROZEN} | ${{ state: 'REVOKED', expiry: EXPIRY }}
    ${'set-expiry'} | ${ACTIVE} | ${{ state: 'ACTIVE', expiry: LATER }}
    ${'set-expiry'} | ${FROZEN} | ${{ state: 'FROZEN', expiry: LATER }}
  `('our $kind brings a foreign token to $after.state until $after.expiry', async ({ kind, state, after }) => {
    const step = as(await aForeignToken(await theOther(), state), kind);
    expect(await findingOf(step)).toMatchObject({ type: 'ready', expectedOnChain: { ...after, foreign: true } });
    await flown(step);
    expect(await tokenOf(step)).toMatchObject(after);
  });

  it('finds another gatekeeper’s token as its issuer left it, frozen or active again', async () => {
    const by = await theOther();
    const step = await aForeignToken(by, FROZEN);
    const frozen = { state: 'FROZEN', foreign: true };
    expect(await findingOf(as(step, 'freeze'))).toMatchObject({ type: 'found', onChain: frozen });
    await byGatekeeper(await change(step, ACTIVE, { by }), by);
    await untilFinal();
    const active = { state: 'ACTIVE', foreign: true };
    expect(await findingOf(as(step, 'unfreeze'))).toMatchObject({ type: 'found', onChain: active });
  });
});

describe('another gatekeeper’s token beside one of ours', () => {
  it('refuses to freeze our token while another gatekeeper’s token is active', async () => {
    const step = await twoTokens(ACTIVE, ACTIVE);
    expect(await findingOf(as(step, 'freeze'))).toEqual(REFUSED);
  });

  it('freezes our token when another gatekeeper’s token is frozen', async () => {
    const step = as(await twoTokens(ACTIVE, FROZEN), 'freeze');
    expect(await findingOf(step)).toMatchObject({ type: 'ready', expectedOnChain: { state: 'FROZEN' } });
    await flown(step);
    expect([await tokenOf(step, 0), await tokenOf(step, 1)]).toMatchObject([{ state: 'FROZEN' }, { state: 'FROZEN' }]);
  });

  it('unfreezes our token, and leaves another gatekeeper’s token frozen', async () => {
    const step = as(await twoTokens(FROZEN, FROZEN), 'unfreeze');
    expect(await findingOf(step)).toMatchObject({
      type: 'ready',
      expectedOnChain: { state: 'ACTIVE', foreign: undefined },
    });
    await flown(step);
    expect([await tokenOf(step, 0), await tokenOf(step, 1)]).toMatchObject([{ state: 'ACTIVE' }, { state: 'FROZEN' }]);
  });

  it('revokes our token and another gatekeeper’s token, one after the other', async () => {
    const step = as(await twoTokens(ACTIVE, ACTIVE), 'revoke');
    expect(await findingOf(step)).toMatchObject({
      expectedOnChain: { state: 'ACTIVE', expiry: EXPIRY, foreign: undefined },
    });
    const { block } = await flown(step);
    const next: Step = { ...step, id: `${step.id}2`, known: { state: 'ACTIVE', asOf: block } };
    expect(await findingOf(next)).toMatchObject({ expectedOnChain: { state: 'REVOKED' } });
    await flown(next);
    const tokens = [await tokenOf(step, 0), await tokenOf(step, 1)];
    expect(tokens).toMatchObject([{ state: 'REVOKED' }, { state: 'REVOKED' }]);
  });
});
