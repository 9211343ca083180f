import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { isSandbox, newSandbox } from '../../../src/network/sandbox.ts';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { expectProblem } from '../../problem.ts';
import { aPass, aPassKey, NETWORK, STATES } from './a-pass.ts';
import type { Answer } from './answer.ts';
import { QUEUE_THAT_FAILS, WITHOUT_LIMITS, workerWith } from './api.ts';
import { aPartner, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { callsAbout, sendCall } from './route-calls.ts';

/** A pass of another gatekeeper network is indistinguishable from a missing pass. */

const quiet = workerWith({ ...TRUSTING, ...WITHOUT_LIMITS, PASS_QUEUE: QUEUE_THAT_FAILS });

const partners = (gatekeeperNetworkOf: () => GatekeeperNetwork) =>
  Promise.all([1, 2, 3].map(() => aPartner({ gatekeeperNetwork: gatekeeperNetworkOf(), send: quiet })));
const [real, sandboxes] = await Promise.all([partners(newGatekeeperNetwork), partners(newSandbox)]);
type Client = Awaited<ReturnType<typeof aPartner>>;
const [ours, theirs, beside] = real as [Client, Client, Client];
const [ourSandbox, theirSandbox, besideSandbox] = sandboxes as [Client, Client, Client];

/** The partner that asks, the owner of the pass, and a partner of the same kind as the first one, which issues one for the same wallet. */
const SEEN = {
  'a pass of another gatekeeper network': [ours, theirs, beside],
  'a pass of a sandbox, by a real client': [ours, theirSandbox, beside],
  'a real pass, by a client in a sandbox': [ourSandbox, theirs, besideSandbox],
  'a pass of another sandbox, by a client in a sandbox': [ourSandbox, theirSandbox, besideSandbox],
} as const;
const CASES = Object.entries(SEEN).flatMap(([seen, clients]) =>
  (['ethereum', 'solana'] as const).map((chain) => ({ seen, chain, clients })),
);

const passOf = (key: PassKey) => (env as unknown as Env).PASSES.getByName(passName(key)).readPublication();

/** Returns the reply without the request ids and the bookmark, which changes with every write to the database. */
const comparable = ({ status, headers, text }: Answer) => {
  const body = JSON.parse(text, (name, value) => (name === 'requestId' ? undefined : value));
  const compared = [...headers].filter(([name]) => name !== 'x-request-id');
  return { status, headers: compared.map(([name, value]) => [name, name === 'gatepass-bookmark' ? '' : value]), body };
};
/** Returns the parts of a new pass that do not depend on the wallet. */
const fresh = ({ status, record: { id: _, walletAddress, events, ...rest } }: Answer) => ({
  status,
  rest,
  events: events.map(({ eventType }) => eventType),
});

describe.each(CASES)('$seen on $chain', ({ chain, clients: [ours, theirs, beside] }) => {
  const on = `${chain}/${NETWORK[chain]}`;
  const aboutNone = aPassKey({ gatekeeperNetwork: ours.gatekeeperNetwork, chain });
  /** Issuances have a test of their own, and webhooks and rules belong to the gatekeeper network of the caller. */
  const withoutIssue = (key: PassKey) =>
    callsAbout(key).filter(({ route: { scope } }) => !['issue', 'webhook', 'rules'].includes(scope));
  let toldOfNone: Answer[];
  let issued: Answer;

  beforeAll(async () => {
    toldOfNone = await Promise.all(withoutIssue(aboutNone).map((call) => sendCall(ours, call)));
    issued = await beside.issue(on, aboutNone.wallet);
  });

  it.each([{ state: 'ACTIVE', place: 'object' } as const, ...STATES.map((state) => ({ state, place: 'D1' }) as const)])(
    'hides a $state pass of another gatekeeper network in $place on every route, and issues a separate pass for its wallet',
    async ({ state, place }) => {
      const { gatekeeperNetwork } = theirs;
      const signer = isSandbox(gatekeeperNetwork) && { signer: `${on}/${gatekeeperNetwork}` };
      const key = await aPass({ gatekeeperNetwork, chain, state, place, ...signer });
      // A fetch would write the row that D1 may lack.
      const before = await passOf(key);
      expect(before?.state).toBe(state);
      const calls = withoutIssue(key);
      const answers = await Promise.all(calls.map((call) => sendCall(ours, call)));
      expect(answers.map(comparable)).toEqual(toldOfNone.map(comparable));
      for (const [index, answer] of answers.entries()) {
        expect(answer.text).not.toContain(key.wallet);
        if (calls[index]?.route.path.includes('/:wallet')) expectProblem(answer, 'pass_not_found');
      }
      expect(fresh(await beside.issue(on, key.wallet))).toEqual(fresh(issued));
      expect(await passOf(key)).toEqual(before);
      const record = JSON.parse(before?.record ?? '');
      expect(JSON.parse((await theirs.fetch(on, key.wallet)).text)).toEqual({ ...record, valid: state === 'ACTIVE' });
    },
  );
});
