import { describe, expect, it } from 'vitest';
import type { Pass } from '../../../src/pass/pass.ts';
import { requestIssuance } from '../../../src/pass/request-issuance.ts';
import { anActivePass, aPass, NOW, STEP_ID } from './a-pass.ts';

const HOUR = 3600;
/** The last second of the year 9999. */
const LAST = 253_402_300_799;

/** The wish of a partner whose passes live that long. */
const wish = (lifetime?: number, now = NOW) =>
  [{ key: aPass().key, id: 'a-new-id', signer: 'a-new-signer', lifetime }, now] as const;

/** What the request made of the pass; a refusal fails the test. */
function granted(pass: Pass | undefined, lifetime?: number, now = NOW): { pass: Pass; changed: boolean } {
  const answer = requestIssuance(pass, ...wish(lifetime, now));
  if ('refused' in answer) throw new Error(`refused: ${answer.refused}`);
  return answer;
}

describe('a wallet without a pass', () => {
  it('gets one that is asked for, not on chain, and announced', () => {
    const { pass, changed } = granted(undefined);
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
  `('lives $lifetime seconds: until $expiry, never beyond the year 9999', ({ lifetime, expiry }) => {
    expect(granted(undefined, lifetime).pass.wanted.expiry).toBe(expiry);
  });
});

describe('a repeated request', () => {
  const asked = aPass({ wanted: { expiry: NOW + HOUR } });
  const pinned = aPass({ step: { kind: 'issue', held: true, revision: 4 } });
  const active = anActivePass({ wanted: { expiry: NOW + HOUR } });
  const renewing = anActivePass({ wanted: { expiry: NOW + HOUR }, onChain: { expiry: NOW - HOUR } });

  it.each`
    what                 | pass
    ${'asked for'}       | ${asked}
    ${'on its way'}      | ${pinned}
    ${'issued'}          | ${active}
    ${'issued for ever'} | ${anActivePass()}
    ${'being renewed'}   | ${renewing}
  `('changes nothing of a pass that is $what, whatever the partner’s lifetime is by now', ({ pass }) => {
    for (const lifetime of [undefined, 1, 10 * HOUR]) {
      const answer = granted(pass, lifetime);
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
  `('of a pass that should be $state (on chain $onChain) is refused: $refused', ({ state, onChain, refused }) => {
    for (const expiry of [undefined, NOW - HOUR, NOW + HOUR]) {
      const pass = anActivePass({ wanted: { state, expiry }, onChain: { state: onChain } });
      expect(requestIssuance(pass, ...wish(HOUR))).toEqual({ refused });
    }
  });

  it('tries a rejected pass again: the same record, the same signer, a new announcement, a new lifetime', () => {
    const failure = { eventType: 'TOKEN_ISSUED_FAILED', timestamp: NOW - 10, reason: 'no' } as const;
    const events = [...aPass().events, failure];
    const rejected = aPass({ rejected: true, version: 4, steps: 1, wanted: { expiry: NOW - 1 }, events });
    const { pass, changed } = granted(rejected, HOUR);
    expect(changed).toBe(true);
    expect(pass).toMatchObject({ id: rejected.id, signer: rejected.signer, rejected: false, version: 5, steps: 1 });
    expect(pass.wanted).toEqual({ state: 'ACTIVE', expiry: NOW + HOUR });
    expect(pass.events).toEqual([...events, { eventType: 'TOKEN_ISSUED_INITIATED', timestamp: NOW }]);
  });

  it.each`
    signer                      | takes    | pass                                                | given
    ${'takes new passes'}       | ${true}  | ${aPass({ rejected: true })}                        | ${aPass().signer}
    ${'takes none any more'}    | ${false} | ${aPass({ rejected: true })}                        | ${'a-new-signer'}
    ${'has what may come back'} | ${false} | ${anActivePass({ rejected: true })}                 | ${aPass().signer}
    ${'takes none any more'}    | ${false} | ${aPass({ step: { kind: 'issue' } })}               | ${aPass().signer}
    ${'takes none any more'}    | ${false} | ${anActivePass({ wanted: { expiry: NOW - HOUR } })} | ${aPass().signer}
  `('a pass whose signer $signer goes on with $given', ({ takes, pass, given }) => {
    const answer = requestIssuance(pass, ...wish(HOUR), () => takes);
    expect(answer).toMatchObject({ pass: { signer: given } });
  });
});

describe('an expired pass', () => {
  const until = (expiry: number) => anActivePass({ wanted: { expiry } });

  it('is renewed from now, as the same record', () => {
    const expired = until(NOW - 1);
    const { pass, changed } = granted(expired, HOUR);
    expect(changed).toBe(true);
    const wanted = { state: 'ACTIVE', expiry: NOW + HOUR };
    expect(pass).toEqual({ ...expired, version: expired.version + 1, wanted, askedExpiry: NOW + HOUR });
  });

  it('is refused where passes of this partner have no lifetime to renew it by', () => {
    expect(requestIssuance(until(NOW - 1), ...wish())).toEqual({ refused: 'pass_expired' });
  });

  it('is still valid in the second of its expiry, as the contract has it', () => {
    expect(granted(until(NOW), HOUR).changed).toBe(false);
    expect(granted(until(NOW)).changed).toBe(false);
    expect(granted(until(NOW), HOUR, NOW + 1).changed).toBe(true);
  });

  it('is renewed no further than the year 9999', () => {
    expect(granted(until(NOW - 1), LAST).pass.wanted.expiry).toBe(LAST);
  });

  it('keeps the step that is pinned: the new wish waits', () => {
    const expiry = NOW - 1;
    const pinned = aPass({ wanted: { expiry }, step: { kind: 'issue', expiry, revision: 2, held: true } });
    const { pass } = granted(pinned, HOUR);
    expect(pass.step).toEqual({ id: STEP_ID, kind: 'issue', expiry, revision: 2, held: true });
    expect(pass.wanted.expiry).toBe(NOW + HOUR);
  });
});
