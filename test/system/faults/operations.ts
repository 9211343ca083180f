import type { ModelClient } from './model-client.ts';
import type { ChangeRequest, ExpectedPass } from './pass-model.ts';
import type { Random } from './random.ts';
import type { TestedPass } from './tested-pass.ts';

/** Runs one operation of a partner on a pass. */
export type Operation = (modelClient: ModelClient, pass: TestedPass) => Promise<void>;

const change =
  (what: ChangeRequest): Operation =>
  (modelClient, pass) =>
    modelClient.change(pass, what);
const read =
  (how: 'fetch' | 'search' | 'sync'): Operation =>
  (modelClient, pass) =>
    modelClient.read(pass, how);

const ISSUE = change({ to: 'issue' });
const FREEZE = change({ to: 'change', state: 'FROZEN' });
const UNFREEZE = change({ to: 'change', state: 'ACTIVE' });
const REVOKE = change({ to: 'change', state: 'REVOKED' });
/** Sends two requests at once, like a partner whose own queue delivers a message twice. */
const ISSUE_TWICE: Operation = async (modelClient, pass) => {
  await Promise.all([ISSUE(modelClient, pass), ISSUE(modelClient, pass)]);
};

type Weighted = readonly (readonly [weight: number, what: 'read' | 'expiry' | 'both' | Operation])[];

/** The possible operations for each expected state. */
const OPERATIONS: Readonly<Record<ExpectedPass['state'], Weighted>> = {
  NONE: [
    [12, ISSUE],
    [2, ISSUE_TWICE],
    [1, FREEZE],
    [2, 'read'],
  ],
  ACTIVE: [
    [8, FREEZE],
    [5, 'expiry'],
    [2, 'both'],
    [2, ISSUE],
    [1, ISSUE_TWICE],
    [1, UNFREEZE],
    [1, REVOKE],
    [4, 'read'],
  ],
  FROZEN: [
    [8, UNFREEZE],
    [3, 'expiry'],
    [2, 'both'],
    [1, ISSUE],
    [1, FREEZE],
    [1, REVOKE],
    [4, 'read'],
  ],
  REVOKED: [
    [2, ISSUE],
    [2, UNFREEZE],
    [2, REVOKE],
    [4, 'read'],
  ],
};

/** Returns the next random operation on a pass. */
export function nextOperation(random: Random, { model }: TestedPass): Operation {
  // After a contradiction the model expects no state. The operations on a revoked pass include reads, which still work.
  const state = model.candidates.length === 0 ? 'REVOKED' : random.pick(model.candidates).state;
  const what = random.weighted(OPERATIONS[state]);
  if (what === 'read') return read(random.pick(['fetch', 'search', 'sync']));
  // There are only a few values, so that some requests ask for the present expiry. All of them are far in the future.
  const expiry = 2_000_000_000 + random.below(20);
  if (what === 'expiry') return change({ to: 'change', expiry });
  if (what === 'both') return change({ to: 'change', state: random.pick(['ACTIVE', 'FROZEN']), expiry });
  return what;
}
