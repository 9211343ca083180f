import * as v from 'valibot';
import { ClockBody, TRIGGER_TYPES, TriggerBody } from '../../../src/http/schemas/managing.ts';
import { describe, object } from '../describe.ts';
import { annotate, EXAMPLE, extensibleEnum, stringField, unixSecondsField } from '../fields.ts';
import { Chain, ChainName, NetworkName } from './passes.ts';

/** Requests and replies about a sandbox. */

const NOW = 1_795_258_800;

export const SandboxClock = v.pipe(
  v.object({ now: unixSecondsField('The time of the sandbox.', NOW) }),
  v.description('The clock of the sandbox.'),
);

export const ClockRequest = describe(ClockBody, 'The time by which the clock advances.', {
  advanceSeconds: annotate('The number of seconds.', 691_200),
});

export const TriggerRequest = describe(TriggerBody, 'The event to cause.', {
  type: annotate('The type of the event.', 'pass.rejected'),
  chain: object('The chain and the network of the new pass. Default: `ethereum`, `sepolia`.', {
    type: ChainName,
    network: NetworkName,
  }),
});

export const TriggeredPass = v.pipe(
  v.object({
    chain: Chain,
    walletAddress: stringField('The wallet of the pass.', EXAMPLE.ethereumWallet, { minLength: 1 }),
  }),
  v.description('The new pass that gets the event.'),
);

export const TriggeredEvent = v.pipe(
  v.object({
    type: extensibleEnum(TRIGGER_TYPES, 'The type of the event.', 'pass.rejected'),
    pass: v.optional(TriggeredPass),
  }),
  v.description('The event that follows. A notice has no pass.'),
);
