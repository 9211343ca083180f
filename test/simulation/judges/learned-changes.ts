import type { ModelledPass } from './pass-model.ts';

/** The changes of a pass that no request makes: others have changed its token, or the chain has refused a change. Each has an event in the record. */

/** An event of the record. */
export interface RecordEvent {
  readonly eventType: string;
  readonly timestamp: number;
  readonly transaction?: { readonly identifier: string; readonly status: string };
  readonly reason?: string;
  readonly requestId?: string;
  readonly byOthers?: object;
}

/** Returns the possible states after the service has learned something from the chain. Undefined: the event changes no wanted state. */
export function learnFrom(
  event: RecordEvent,
  mayReturn: boolean,
): ((pass: ModelledPass) => ModelledPass[]) | undefined {
  const { eventType, byOthers, reason } = event;
  const failed = eventType.endsWith('_FAILED') && reason !== 'superseded' ? eventType.slice(0, -7) : undefined;
  if (failed !== undefined) return (pass) => afterFailure(pass, failed);
  if (byOthers !== undefined) return (pass) => afterOthers(pass, eventType);
  // A reading during a reorg took a token for one that others have revoked.
  return mayReturn && !/_(INITIATED|FAILED|REORGED)$/.test(eventType) ? returned : undefined;
}

const returned = (pass: ModelledPass): ModelledPass[] =>
  pass.state === 'REVOKED' && !pass.isFinal
    ? [pass, { ...pass, state: 'ACTIVE', expiry: 'any' }, { ...pass, state: 'FROZEN', expiry: 'any' }]
    : [pass];

/** After a failed change, the wanted state is that of the chain again, unless the partner has changed it since. */
function afterFailure(pass: ModelledPass, change: string): ModelledPass[] {
  const { isFinal: _, ...open } = pass;
  switch (change) {
    case 'TOKEN_ISSUED':
      return pass.state === 'REVOKED' ? [pass] : [pass, { ...pass, state: 'REJECTED', expiry: 'any' }];
    case 'TOKEN_FROZEN':
      return pass.state === 'FROZEN' ? [pass, { ...pass, state: 'ACTIVE' }] : [pass];
    case 'TOKEN_UNFROZEN':
      return pass.state === 'ACTIVE' ? [pass, { ...pass, state: 'FROZEN' }] : [pass];
    case 'TOKEN_REVOKED':
      return pass.state === 'REVOKED'
        ? [pass, open, { ...open, state: 'ACTIVE' }, { ...open, state: 'FROZEN' }]
        : [pass];
    default:
      return [pass, { ...pass, expiry: 'any' }];
  }
}

/** The pass follows others, unless a change of the partner is open. A revoked or burned token counts in any case. */
function afterOthers(pass: ModelledPass, eventType: string): ModelledPass[] {
  if (pass.state === 'REVOKED') return pass.isFinal ? [pass] : returned(pass);
  switch (eventType) {
    case 'TOKEN_REVOKED':
      return [{ ...pass, state: 'REVOKED', expiry: 'any' }];
    case 'TOKEN_FROZEN':
      return pass.state === 'ACTIVE' ? [pass, { ...pass, state: 'FROZEN' }] : [pass];
    case 'TOKEN_UNFROZEN':
      return pass.state === 'FROZEN' ? [pass, { ...pass, state: 'ACTIVE' }] : [pass];
    case 'TOKEN_ISSUED':
      return [
        pass,
        { ...pass, expiry: 'any' },
        ...(pass.state === 'REJECTED' ? [{ ...pass, state: 'ACTIVE' as const, expiry: 'any' as const }] : []),
      ];
    default:
      return [pass, { ...pass, expiry: 'any' }];
  }
}
