import { expect, it } from 'vitest';
import type { PassRecord } from '../../../../tools/localnet/partner/partner-client.ts';
import { isSettled } from '../../../../tools/localnet/partner/settlement.ts';

const ISSUED = 'TOKEN_ISSUED_INITIATED TOKEN_ISSUED';
/** A full record lacks the events after its first one. */
const FULL = `TOKEN_ISSUED_INITIATED ${Array.from({ length: 99 }, () => 'TOKEN_UNFROZEN').join(' ')}`;
const UNSIGNED = 'TOKEN_ISSUED_INITIATED TOKEN_ISSUED_FAILED';

type States = Pick<PassRecord, 'state' | 'onChainState'>;

function aRecord(chain: string, { state, onChainState }: States, events: string): PassRecord {
  return {
    id: 'id',
    chain: { type: chain, network: 'any' },
    gatekeeperNetwork: 'any',
    walletAddress: 'any',
    contract: 'any',
    events: events.split(' ').map((eventType) => ({ eventType, timestamp: 0 }) as PassRecord['events'][number]),
    onChainState,
    state,
  };
}

it.each`
  chain         | state          | onChain      | events                                                     | settled
  ${'ethereum'} | ${'REQUESTED'} | ${'NONE'}    | ${'TOKEN_ISSUED_INITIATED'}                                | ${false}
  ${'ethereum'} | ${'ACTIVE'}    | ${'ACTIVE'}  | ${ISSUED}                                                  | ${true}
  ${'ethereum'} | ${'ACTIVE'}    | ${'ACTIVE'}  | ${FULL}                                                    | ${true}
  ${'ethereum'} | ${'REJECTED'}  | ${'NONE'}    | ${'TOKEN_ISSUED_INITIATED TOKEN_ISSUED_FAILED'}            | ${true}
  ${'ethereum'} | ${'FROZEN'}    | ${'ACTIVE'}  | ${ISSUED}                                                  | ${false}
  ${'ethereum'} | ${'ACTIVE'}    | ${'ACTIVE'}  | ${`${ISSUED} TOKEN_FROZEN_INITIATED`}                      | ${false}
  ${'ethereum'} | ${'ACTIVE'}    | ${'ACTIVE'}  | ${`${ISSUED} TOKEN_FROZEN_INITIATED TOKEN_FROZEN_FAILED`}  | ${true}
  ${'ethereum'} | ${'ACTIVE'}    | ${'ACTIVE'}  | ${`${ISSUED} TOKEN_EXPIRY_CHANGED_INITIATED`}              | ${false}
  ${'ethereum'} | ${'FROZEN'}    | ${'FROZEN'}  | ${`${ISSUED} TOKEN_EXPIRY_CHANGED_INITIATED TOKEN_FROZEN`} | ${true}
  ${'solana'}   | ${'FROZEN'}    | ${'FROZEN'}  | ${`${ISSUED} TOKEN_EXPIRY_CHANGED_INITIATED TOKEN_FROZEN`} | ${false}
  ${'solana'}   | ${'REVOKED'}   | ${'NONE'}    | ${'TOKEN_ISSUED_INITIATED'}                                | ${false}
  ${'solana'}   | ${'REVOKED'}   | ${'NONE'}    | ${UNSIGNED}                                                | ${false}
  ${'solana'}   | ${'REVOKED'}   | ${'NONE'}    | ${`${UNSIGNED} TOKEN_REVOKED_INITIATED`}                   | ${false}
  ${'solana'}   | ${'REVOKED'}   | ${'NONE'}    | ${`${UNSIGNED} TOKEN_REVOKED_INITIATED TOKEN_REVOKED`}     | ${true}
  ${'solana'}   | ${'REVOKED'}   | ${'ACTIVE'}  | ${ISSUED}                                                  | ${false}
  ${'solana'}   | ${'REVOKED'}   | ${'REVOKED'} | ${`${ISSUED} TOKEN_REVOKED_INITIATED TOKEN_REVOKED`}       | ${true}
`(
  'returns $settled for $state on $chain with $onChain on chain and the events $events',
  ({ chain, state, onChain, events, settled }) => {
    expect(isSettled(aRecord(chain, { state, onChainState: onChain }, events))).toBe(settled);
  },
);
