import type { Asker } from './asker.ts';
import type { Belief, Wish } from './pass-model.ts';
import type { Random } from './random.ts';
import type { Subject } from './subject.ts';

/** Something that a partner asks of a pass. */
export type Operation = (asker: Asker, subject: Subject) => Promise<void>;

const wish =
  (what: Wish): Operation =>
  (asker, subject) =>
    asker.wish(subject, what);
const look =
  (how: 'fetch' | 'search' | 'sync'): Operation =>
  (asker, subject) =>
    asker.look(subject, how);

const ISSUE = wish({ to: 'issue' });
const FREEZE = wish({ to: 'change', state: 'FROZEN' });
const UNFREEZE = wish({ to: 'change', state: 'ACTIVE' });
const REVOKE = wish({ to: 'change', state: 'REVOKED' });
/** Two that come at once, as of a partner whose own queue delivers twice. */
const ISSUE_TWICE: Operation = async (asker, subject) => {
  await Promise.all([ISSUE(asker, subject), ISSUE(asker, subject)]);
};

type Weighted = readonly (readonly [weight: number, what: 'look' | 'expiry' | 'both' | Operation])[];

/** What is asked of a pass that should be so. */
const ASKED: Readonly<Record<Belief['state'], Weighted>> = {
  NONE: [
    [12, ISSUE],
    [2, ISSUE_TWICE],
    [1, FREEZE],
    [2, 'look'],
  ],
  ACTIVE: [
    [8, FREEZE],
    [5, 'expiry'],
    [2, 'both'],
    [2, ISSUE],
    [1, ISSUE_TWICE],
    [1, UNFREEZE],
    [1, REVOKE],
    [4, 'look'],
  ],
  FROZEN: [
    [8, UNFREEZE],
    [3, 'expiry'],
    [2, 'both'],
    [1, ISSUE],
    [1, FREEZE],
    [1, REVOKE],
    [4, 'look'],
  ],
  REVOKED: [
    [2, ISSUE],
    [2, UNFREEZE],
    [2, REVOKE],
    [4, 'look'],
  ],
};

/** The next thing that is asked of that pass. */
export function nextOperation(random: Random, { model }: Subject): Operation {
  // Of a pass of which nothing is believed any more, one can still look what becomes.
  const state = model.beliefs.length === 0 ? 'REVOKED' : random.pick(model.beliefs).state;
  const what = random.weighted(ASKED[state]);
  if (what === 'look') return look(random.pick(['fetch', 'search', 'sync']));
  // Of a few only, so that one is sometimes wished for that holds already; none is near.
  const expiry = 2_000_000_000 + random.below(20);
  if (what === 'expiry') return wish({ to: 'change', expiry });
  if (what === 'both') return wish({ to: 'change', state: random.pick(['ACTIVE', 'FROZEN']), expiry });
  return what;
}
