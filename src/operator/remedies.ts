import type { EndCode, ProgressCode, SelfEndingCode, WaitCode } from '../pass/wait-reasons.ts';

/** The remedies of several reasons. A page of the runbook has more. */
const LATER = 'Nothing. After an hour, redrive the pass.';
const KMS = 'Repair the key or the credentials of the KMS (runbook: The KMS does not sign).';
const OTHER_SENDER = 'Find out who else uses the key (runbook: A key has leaked).';
const ADDRESS = 'Run the doctor. Create the contract, or correct NETWORKS or the endpoints.';
const FEES = 'Wait, or raise the cap in NETWORKS.';
const ERROR = 'Find the cause of the error (runbook: A signer refuses to work).';
const AUTHORITY = 'Have the authority of the gatekeeper network authorize the key (runbook: A key is not authorized).';
const HELD = 'Remove the cause that the reason names, then redrive the pass (runbook: A step is held).';
const BEHIND = 'Compare the endpoints if it stays.';
const ENDPOINT = 'Find the endpoint that is wrong, and replace it in RPC_ENDPOINTS.';
const CEILING = 'Wait until midnight UTC, or raise the ceiling (runbook: A partner spends too much).';
const UNREACHABLE = 'Try again. If it stays, look at the log for signer.unreachable and pass.unreachable.';
/** Once a reason that should end by itself has lasted ten times as long as usual, or the nodes withhold something. */
const WITHHELD =
  'Look the transaction up in a block explorer. If the chain has it, replace the endpoint that withholds it in RPC_ENDPOINTS, or add ' +
  'one of another provider (runbook: A node withholds what the chain has).';

/** The remedy of each reason, progress and end of a pass: a sentence for the operator. The runbook has the same ones. */
const REMEDIES: Readonly<Record<Exclude<WaitCode | ProgressCode | EndCode, SelfEndingCode>, string>> = {
  'not-configured':
    'Put its network, its endpoints and its key back into the configuration (runbook: A signer refuses to work).',
  'key-compromised': 'Wait until the nonces of the key are final. Compare the endpoints if it stays.',
  'no-funds': 'Send funds to the address of the signer (runbook: A key has no funds).',
  'kms-wrong-answer': KMS,
  'kms-denied': KMS,
  'kms-throttled': KMS,
  'kms-unanswered': KMS,
  'nodes-unanswered':
    'Repair the endpoints, or add one of another provider (runbook: The RPC provider is down for a day).',
  'foreign-transactions': OTHER_SENDER,
  'nonces-far-ahead': OTHER_SENDER,
  'no-program': ADDRESS,
  'gas-price-too-high': FEES,
  'l1-fee-too-high': FEES,
  'unknown-contract-error': ERROR,
  'not-authorized': AUTHORITY,
  'network-missing': AUTHORITY,
  'no-gatekeeper-network': ADDRESS,
  'no-contract': ADDRESS,
  held: HELD,
  'effect-not-shown': HELD,
  'client-suspended': 'Resume the client, or withdraw its steps.',
  'contract-code-unknown': 'Find out who changed the code (runbook: A contract has changed hands or code).',
  'contract-code-unread': 'Look at the watcher if it stays (runbook: A watcher lags).',
  'suspensions-unread': 'Look at D1 if it stays.',
  'earlier-store': 'Wait until the nonces are final (runbook: A signer loses its store).',
  'signing-forbidden': 'Correct the endpoint or the cap that the reason names (runbook: A signer refuses to work).',
  'unknown-step-error': ERROR,
  'state-behind': BEHIND,
  'nodes-behind': BEHIND,
  'out-of-gas': ENDPOINT,
  'too-many-tokens': 'Ask the authority of the gatekeeper network to do that.',
  'answer-unreadable': ADDRESS,
  'account-unreadable': ADDRESS,
  'endpoints-disagree': ENDPOINT,
  'absence-not-final': ENDPOINT,
  'absence-unconfirmed': ENDPOINT,
  'lane-ceiling': CEILING,
  'lane-reserve': CEILING,
  'signer-ceiling': CEILING,
  'signer-reserve': CEILING,
  'object-unreachable': UNREACHABLE,
  'object-lost': 'Have the partner issue the pass again (runbook: The reconciliation reports differences).',
  'not-begun': LATER,
  'signer-unanswered': UNREACHABLE,
  'not-added': LATER,
  'no-room': 'Nothing, or slow the partner down (runbook: A partner spends too much).',
  turn: LATER,
  confirmed: LATER,
  final: LATER,
  active: 'Nothing.',
  unpublished: LATER,
  'loss-pending': 'Find out who did it (runbook: Others change many passes).',
  'gatekeeper-removed': 'Find out who removed it (runbook: A gatekeeper has been removed).',
  frozen: 'Nothing: the partner unfreezes it with PATCH.',
  expired: 'Nothing: the partner renews it with POST.',
  revoked: 'Nothing: a revocation is final.',
  rejected: 'Correct the cause. The partner then issues the pass again with POST.',
};

/** Returns what the operator does about it. The reasons without a row, and those of a later release, end by themselves. */
export function remedyOf({ code, isLasting = false }: { readonly code: string; readonly isLasting?: boolean }): string {
  if (isLasting) return WITHHELD;
  return Object.hasOwn(REMEDIES, code) ? REMEDIES[code as keyof typeof REMEDIES] : 'Nothing: it ends by itself.';
}
