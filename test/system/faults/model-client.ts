import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { type PassRecord, Refused } from '../../../tools/localnet/partner/partner-client.ts';
import type { LocalnetFacts } from '../../../tools/localnet/state/localnet-facts.ts';
import type { ChangeRequest } from './pass-model.ts';
import { nameOf, type TestedPass } from './tested-pass.ts';

export interface Tally {
  operations: number;
  /** The number of changes and reads that got no answer or a 5xx. */
  unanswered: number;
}

/** Calls the service like a partner, and checks each answer against the model of the pass. */
export interface ModelClient {
  readonly tally: Tally;
  /** Descriptions of the answers that contradict a model. */
  readonly contradictions: string[];
  change(pass: TestedPass, request: ChangeRequest): Promise<void>;
  /** Reads the pass by a fetch, a search or a sync. */
  read(pass: TestedPass, how: 'fetch' | 'search' | 'sync'): Promise<void>;
  /** Resolves to the record without checking it, or to undefined if no pass exists. Throws if no answer comes. */
  recordOf(pass: TestedPass): Promise<PassRecord | undefined>;
}

/** The time after which a client is replaced, because its access token expires after an hour. */
const CLIENT_MAX_MS = 30 * 60_000;

export function createModelClient(facts: LocalnetFacts): ModelClient {
  const tally: Tally = { operations: 0, unanswered: 0 };
  const contradictions: string[] = [];
  const clients = new Map<string, { since: number; client: LocalnetPartner }>();

  const clientFor = ({ partner }: TestedPass): LocalnetPartner => {
    const known = clients.get(partner);
    if (known !== undefined && Date.now() - known.since < CLIENT_MAX_MS) return known.client;
    const client = new LocalnetPartner(facts, partner);
    clients.set(partner, { since: Date.now(), client });
    return client;
  };
  const addContradiction = (pass: TestedPass, contradiction: string | undefined) => {
    if (contradiction !== undefined) contradictions.push(`${nameOf(pass)}: ${contradiction}`);
  };
  const recordOf = (pass: TestedPass) =>
    clientFor(pass)
      .fetch(pass.network, pass.wallet)
      .catch((failure: unknown) => {
        if (refusalCodeOf(failure) === 'pass_not_found') return undefined;
        throw failure;
      });

  return {
    tally,
    contradictions,
    recordOf,
    async change(pass, request) {
      const { network, wallet, model } = pass;
      const client = clientFor(pass);
      tally.operations += 1;
      try {
        const { to, ...change } = request;
        const { expiry: expiryTimestamp, ...state } = change as Partial<Extract<ChangeRequest, { to: 'change' }>>;
        const update = { ...state, ...(expiryTimestamp !== undefined && { expiryTimestamp }) };
        const record = await (to === 'issue' ? client.issue(network, wallet) : client.update(network, wallet, update));
        addContradiction(pass, model.checkAccepted(request, record));
      } catch (failure) {
        const code = refusalCodeOf(failure);
        if (code !== undefined) return addContradiction(pass, model.checkRefused(request, code));
        tally.unanswered += 1;
        model.addUnanswered(request);
      }
    },
    async read(pass, how) {
      const { network, wallet, model } = pass;
      const client = clientFor(pass);
      tally.operations += 1;
      try {
        if (how === 'search') {
          const found = await client.search({ filter: { walletAddress: wallet } });
          if (found.length > 1) addContradiction(pass, `a search returned it ${found.length} times`);
          return addContradiction(pass, model.checkRead(found[0]));
        }
        const record = how === 'fetch' ? await recordOf(pass) : await client.sync(network, wallet);
        addContradiction(pass, model.checkRead(record));
      } catch (failure) {
        const code = refusalCodeOf(failure);
        if (code === 'pass_not_found') return addContradiction(pass, model.checkRead(undefined));
        if (code !== undefined) return addContradiction(pass, `the service refused the ${how} with ${code}`);
        tally.unanswered += 1;
      }
    },
  };
}

/** Returns the problem code of a refusal, or undefined for a 5xx or a missing answer. */
function refusalCodeOf(failure: unknown): string | undefined {
  if (!(failure instanceof Refused) || failure.status >= 500) return undefined;
  return String(Object(failure.problem).code);
}
