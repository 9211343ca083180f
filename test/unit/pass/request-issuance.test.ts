import { describe, expect, it } from 'vitest';
import { pinNextStep } from '../../../src/pass/next-step.ts';
import type { Pass } from '../../../src/pass/pass.ts';
import { requestIssuance, requestUpdate } from '../../../src/pass/requests.ts';
import { anActivePass, anIssueRequest, anUpdateRequest, aPass, NOW, STEP_ID } from './a-pass.ts';

const HOUR = 3600;
/** The last second of the year 9999. */
const LAST = 253_402_300_799;

/** Returns the arguments of a request by a partner whose passes have this lifetime in seconds. */
const argumentsFor = (lifetime?: number, now = NOW) => [anIssueRequest({ lifetime }), now] as const;

/** Returns the pass after the request. A refusal fails the test. */
function accept(pass: Pass | undefined, lifetime?: number, now = NOW): { pass: Pass; changed: boolean } {
  const answer = requestIssuance(pass, ...argumentsFor(lifetime, now));
  if (answer.type === 'refused') throw new Error(`refused: ${answer.reason}`);
  return answer;
}

describe('requestIssuance for a wallet without a pass', () => {
  it('creates an announced pass with the wanted state ACTIVE and the on-chain state NONE', () => {
    const { pass, changed } = accept(undefined);
    expect(changed).toBe(true);
    expect(pass).toMatchObject({
      id: 'a-new-id',
      signer: 'a-new-signer',
      key: aPass().key,
      wanted: { state: 'ACTIVE' },
      onChain: { state: 'NONE' },
      rejected: false,
      steps: 0,
    });
    expect(pass.step).toBeUndefined();
    expect(pass.wanted.expiry).toBeUndefined();
    expect(pass.events).toEqual([{ eventType: 'TOKEN_ISSUED_INITIATED', timestamp: NOW }]);
  });

  it.each`
    lifetime      | expiry
    ${1}          | ${NOW + 1}
    ${HOUR}       | ${NOW + HOUR}
    ${LAST - NOW} | ${LAST}
    ${LAST}       | ${LAST}
    ${undefined}  | ${undefined}
  `(
    'gives a new pass with a lifetime of $lifetime seconds the expiry $expiry, at most the year 9999',
    ({ lifetime, expiry }) => {
      expect(accept(undefined, lifetime).pass.wanted.expiry).toBe(expiry);
    },
  );
});

describe('requestIssuance and the rank of the issuance', () => {
  const BULK = { ...anIssueRequest({}), rank: 2 } as const;
  const request = (pass: Pass | undefined, order: Parameters<typeof requestIssuance>[1]) => {
    const answer = requestIssuance(pass, order, NOW);
    if (answer.type === 'refused') throw new Error(`refused: ${answer.reason}`);
    return answer;
  };

  it('keeps the rank of a bulk issuance until a single request raises it, and does not change the version of the record', () => {
    const bulk = request(undefined, BULK).pass;
    expect(pinNextStep(bulk, NOW)?.step.rank).toBe(2);
    const { pass, changed } = request(bulk, anIssueRequest({}));
    expect([changed, pass.version]).toEqual([true, bulk.version]);
    expect(pinNextStep(pass, NOW)?.step.rank).toBe(1);
    expect(request(pass, anIssueRequest({})).changed).toBe(false);
  });

  it('raises the rank of an issuance that is already pinned', () => {
    const pinned = pinNextStep(request(undefined, BULK).pass, NOW)?.pass;
    const { pass } = request(pinned, anIssueRequest({}));
    expect(pinNextStep(pass, NOW)?.step).toMatchObject({ id: pinned?.step?.id, rank: 1 });
  });

  it('gives a renewal the rank of its request, and a later change the rank of its kind', () => {
    const expired = anActivePass({ wanted: { expiry: NOW - HOUR }, onChain: { expiry: NOW - HOUR } });
    const renewed = request(expired, { ...BULK, expiry: NOW + HOUR }).pass;
    expect(pinNextStep(renewed, NOW)?.step).toMatchObject({ kind: 'set-expiry', rank: 2 });
    expect(pinNextStep(request(renewed, anIssueRequest({})).pass, NOW)?.step.rank).toBe(1);
    const changed = requestUpdate(renewed, anUpdateRequest({ expiry: NOW + 2 * HOUR }), NOW);
    expect(changed.type === 'applied' && pinNextStep(changed.pass, NOW)?.step.rank).toBe(1);
  });

  it('never lowers the rank of an issuance', () => {
    const single = request(undefined, anIssueRequest({})).pass;
    expect(request(single, BULK)).toMatchObject({ changed: false });
    expect(request(anActivePass({ wanted: { expiry: NOW + HOUR } }), BULK)).toMatchObject({ changed: false });
  });
});

describe('requestIssuance for a wallet with a pass', () => {
  const asked = aPass({ wanted: { expiry: NOW + HOUR } });
  const pinned = aPass({ step: { kind: 'issue', isSubmitted: true, revision: 4 } });
  const active = anActivePass({ wanted: { expiry: NOW + HOUR } });
  const renewing = anActivePass({ wanted: { expiry: NOW + HOUR }, onChain: { expiry: NOW - HOUR } });

  it.each`
    what                       | pass
    ${'requested'}             | ${asked}
    ${'being issued'}          | ${pinned}
    ${'issued'}                | ${active}
    ${'issued without expiry'} | ${anActivePass()}
    ${'being renewed'}         | ${renewing}
  `('changes nothing for a pass that is $what, even if the lifetime of the partner has changed', ({ pass }) => {
    for (const lifetime of [undefined, 1, 10 * HOUR]) {
      const answer = accept(pass, lifetime);
      expect(answer.changed).toBe(false);
      expect(answer.pass).toBe(pass);
    }
  });

  it.each`
    state        | onChain      | refused
    ${'FROZEN'}  | ${'NONE'}    | ${'pass_frozen'}
    ${'FROZEN'}  | ${'ACTIVE'}  | ${'pass_frozen'}
    ${'FROZEN'}  | ${'FROZEN'}  | ${'pass_frozen'}
    ${'REVOKED'} | ${'NONE'}    | ${'pass_revoked'}
    ${'REVOKED'} | ${'ACTIVE'}  | ${'pass_revoked'}
    ${'REVOKED'} | ${'REVOKED'} | ${'pass_revoked'}
  `(
    'refuses with $refused a pass with the wanted state $state and the on-chain state $onChain',
    ({ state, onChain, refused }) => {
      for (const expiry of [undefined, NOW - HOUR, NOW + HOUR]) {
        const pass = anActivePass({ wanted: { state, expiry }, onChain: { state: onChain } });
        expect(requestIssuance(pass, ...argumentsFor(HOUR))).toEqual({ type: 'refused', reason: refused });
      }
    },
  );

  it('tries a rejected pass again in its record and with its signer, with a new announcement and a new lifetime', () => {
    const failure = { eventType: 'TOKEN_ISSUED_FAILED', timestamp: NOW - 10, reason: 'no' } as const;
    const events = [...aPass().events, failure];
    const rejected = aPass({ rejected: true, version: 4, steps: 1, wanted: { expiry: NOW - 1 }, events });
    const { pass, changed } = accept(rejected, HOUR);
    expect(changed).toBe(true);
    expect(pass).toMatchObject({ id: rejected.id, signer: rejected.signer, rejected: false, version: 5, steps: 1 });
    expect(pass.wanted).toEqual({ state: 'ACTIVE', expiry: NOW + HOUR });
    expect(pass.events).toEqual([...events, { eventType: 'TOKEN_ISSUED_INITIATED', timestamp: NOW }]);
  });

  it.each`
    what                           | accepts  | pass                                                | signer
    ${'rejected'}                  | ${true}  | ${aPass({ rejected: true })}                        | ${aPass().signer}
    ${'rejected'}                  | ${false} | ${aPass({ rejected: true })}                        | ${'a-new-signer'}
    ${'rejected with a past step'} | ${false} | ${anActivePass({ rejected: true })}                 | ${aPass().signer}
    ${'being issued'}              | ${false} | ${aPass({ step: { kind: 'issue' } })}               | ${aPass().signer}
    ${'expired'}                   | ${false} | ${anActivePass({ wanted: { expiry: NOW - HOUR } })} | ${aPass().signer}
  `(
    'assigns $signer to a pass that is $what if its signer accepts new passes: $accepts',
    ({ accepts, pass, signer }) => {
      const answer = requestIssuance(pass, ...argumentsFor(HOUR), () => accepts);
      expect(answer).toMatchObject({ pass: { signer } });
    },
  );
});

describe('requestIssuance for an expired pass', () => {
  const expiringAt = (expiry: number) => anActivePass({ wanted: { expiry } });

  it('renews an expired pass from the present time, in the same record', () => {
    const expired = expiringAt(NOW - 1);
    const { pass, changed } = accept(expired, HOUR);
    expect(changed).toBe(true);
    const expiry = NOW + HOUR;
    const renewed = { wanted: { state: 'ACTIVE', expiry }, requested: { expiry, isDefault: true } };
    expect(pass).toEqual({ ...expired, ...renewed, version: expired.version + 1 });
  });

  it('refuses to renew an expired pass if the passes of the partner have no lifetime', () => {
    expect(requestIssuance(expiringAt(NOW - 1), ...argumentsFor())).toEqual({
      type: 'refused',
      reason: 'pass_expired',
    });
  });

  it('treats a pass as valid in the second of its expiry, as the contract does', () => {
    expect(accept(expiringAt(NOW), HOUR).changed).toBe(false);
    expect(accept(expiringAt(NOW)).changed).toBe(false);
    expect(accept(expiringAt(NOW), HOUR, NOW + 1).changed).toBe(true);
  });

  it('renews an expired pass at most until the year 9999', () => {
    expect(accept(expiringAt(NOW - 1), LAST).pass.wanted.expiry).toBe(LAST);
  });

  it('keeps the pinned step of an expired pass that it renews', () => {
    const expiry = NOW - 1;
    const pinned = aPass({ wanted: { expiry }, step: { kind: 'issue', expiry, revision: 2, isSubmitted: true } });
    const { pass } = accept(pinned, HOUR);
    expect(pass.step).toEqual({ id: STEP_ID, kind: 'issue', expiry, revision: 2, isSubmitted: true });
    expect(pass.wanted.expiry).toBe(NOW + HOUR);
  });
});
