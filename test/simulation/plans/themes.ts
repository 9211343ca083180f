/**
 * Kinds of steps that meet. Most faults lie where two capabilities touch, and random kinds meet too seldom there: three certain kinds of
 * fifty come in the right order in one world of some thousands.
 */
export const THEMES: readonly (readonly string[])[] = [
  // Rights on chain, and what they do to checks and to the coverage.
  ['role', 'voiding', 'keys', 'verify', 'verify often'],
  ['role', 'voiding', 'stranger', 'stranger lives', 'verify', 'upgrade'],
  ['others', 'others in version 1', 'verify often', 'lag', 'ethereum-fault', 'solana-fault', 'truth'],
  // Steps that wait in a signer while it stops and starts.
  ['issue many', 'revoke', 'withdraw', 'abandon', 'silence', 'crash', 'crash-later'],
  ['many changes', 'revoke', 'update', 'room', 'crash', 'crash-later', 'gas price'],
  ['key used', 'lost store', 'gas price', 'room', 'update', 'redrive', 'withdraw'],
  // Signatures that take long, fail, or must not be sent.
  ['suspend', 'slow KMS', 'KMS fault', 'issue many', 'update', 'redrive'],
  ['emergency', 'slow KMS', 'update', 'revoke', 'keys', 'crash'],
  ['ceiling', 'gas price', 'revoke', 'update', 'emergency', 'KMS fault'],
  // Transactions that leave the chain, or do not show.
  ['reorg', 'forget', 'others', 'lag', 'silence', 'speech', 'update'],
  ['forget', 'room', 'price', 'gas price', 'revoke', 'expiry', 'crash'],
  ['solana-fault', 'ethereum-fault', 'lost index', 'silence', 'speech', 'truth', 'others'],
  // The platform loses, repeats and delays.
  ['weather', 'calm', 'issue many', 'update many', 'many changes', 'wait for the chain', 'kill'],
  ['database', 'full', 'away', 'crash', 'webhook', 'receiver', 'feed', 'search'],
  ['copy', 'restore', 'revoke', 'update', 'row', 'feed', 'webhook'],
  ['weather', 'row', 'schedule', 'redrive', 'redrive one', 'look up'],
  // Requests that meet at one pass.
  ['expiry', 'reference', 'issue with a reference', 'repeat', 'sync', 'many changes', 'wait for the chain'],
  ['quota', 'suspend', 'reference', 'update', 'staff', 'issue many'],
];
