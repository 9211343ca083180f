import { PartnerClient, type PassRecord, Refused } from '../../../localnet/partner/partner-client.ts';
import type { LocalnetFacts } from '../../../localnet/state/localnet-facts.ts';
import type { Wish } from './pass-model.ts';
import { nameOf, type Subject } from './subject.ts';

/** How often what came of what was asked. */
export interface Tally {
  operations: number;
  /** Wishes and readings without an answer, or with a 5xx. */
  unanswered: number;
}

/** Asks for passes as partners do, and keeps their models up to date. */
export interface Asker {
  readonly tally: Tally;
  /** What was answered that cannot be. */
  readonly contradictions: string[];
  wish(subject: Subject, wish: Wish): Promise<void>;
  /** Reads the pass in one of the ways there are. */
  look(subject: Subject, how: 'fetch' | 'search' | 'sync'): Promise<void>;
  /** Reads it without a word on what comes; undefined: there is none. Throws where there is no answer. */
  recordOf(subject: Subject): Promise<PassRecord | undefined>;
}

/** Tokens last an hour. */
const CLIENT_MS = 30 * 60_000;

export function asker(facts: LocalnetFacts): Asker {
  const tally: Tally = { operations: 0, unanswered: 0 };
  const contradictions: string[] = [];
  const clients = new Map<string, { since: number; client: PartnerClient }>();

  const clientOf = ({ partner }: Subject): PartnerClient => {
    const known = clients.get(partner);
    if (known !== undefined && Date.now() - known.since < CLIENT_MS) return known.client;
    const client = new PartnerClient(facts, partner);
    clients.set(partner, { since: Date.now(), client });
    return client;
  };
  const tell = (subject: Subject, contradiction: string | undefined) => {
    if (contradiction !== undefined) contradictions.push(`${nameOf(subject)}: ${contradiction}`);
  };
  const recordOf = (subject: Subject) =>
    clientOf(subject)
      .fetch(subject.network, subject.wallet)
      .catch((failure: unknown) => {
        if (codeOf(failure) === 'pass_not_found') return undefined;
        throw failure;
      });

  return {
    tally,
    contradictions,
    recordOf,
    async wish(subject, wish) {
      const { network, wallet, model } = subject;
      const client = clientOf(subject);
      tally.operations += 1;
      try {
        const { to, ...change } = wish;
        const { expiry: expiryTimestamp, ...state } = change as Partial<Extract<Wish, { to: 'change' }>>;
        const update = { ...state, ...(expiryTimestamp !== undefined && { expiryTimestamp }) };
        const record = await (to === 'issue' ? client.issue(network, wallet) : client.update(network, wallet, update));
        tell(subject, model.granted(wish, record));
      } catch (failure) {
        const code = codeOf(failure);
        if (code !== undefined) return tell(subject, model.refused(wish, code));
        tally.unanswered += 1;
        model.unanswered(wish);
      }
    },
    async look(subject, how) {
      const { network, wallet, model } = subject;
      const client = clientOf(subject);
      tally.operations += 1;
      try {
        if (how === 'search') {
          const found = await client.search({ filter: { walletAddress: wallet } });
          if (found.length > 1) tell(subject, `a search finds it ${found.length} times`);
          return tell(subject, model.seen(found[0]));
        }
        const record = how === 'fetch' ? await recordOf(subject) : await client.sync(network, wallet);
        tell(subject, model.seen(record));
      } catch (failure) {
        const code = codeOf(failure);
        if (code === 'pass_not_found') return tell(subject, model.seen(undefined));
        if (code !== undefined) return tell(subject, `${how} was refused with ${code}`);
        tally.unanswered += 1;
      }
    },
  };
}

/** The code of a refusal; undefined where there was no answer, or one that says that it is our fault. */
function codeOf(failure: unknown): string | undefined {
  if (!(failure instanceof Refused) || failure.status >= 500) return undefined;
  return String(Object(failure.problem).code);
}
