import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import type { Answer } from './answer.ts';
import { Api, QUEUE_THAT_FAILS, register, workerWith } from './api.ts';
import { ALL_SCOPES, aToken, newClientId, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { aKeyOf, aPassOf, NETWORK, STATES } from './passes-of.ts';
import { callsAbout, make } from './route-calls.ts';

/** A pass of another gatekeeper network answers like one that does not exist. */

const quiet = workerWith({ ...TRUSTING, LOOKS: QUEUE_THAT_FAILS });

async function aTenant() {
  const row = { clientId: newClientId(), gatekeeperNetwork: newGatekeeperNetwork() };
  await register(row);
  return { ...row, api: new Api(await aToken({ client_id: row.clientId, scope: ALL_SCOPES }), quiet) };
}
const [ours, theirs, issuing] = await Promise.all([aTenant(), aTenant(), aTenant()]);

const passOf = (key: PassKey) => (env as unknown as Env).PASSES.getByName(passName(key)).readPublication();

/** All of it, but for the request id, and the value of the bookmark: it moves on with whatever is written to the database. */
const comparable = ({ status, headers, text }: Answer) => {
  const { requestId: _, ...body } = JSON.parse(text) as Record<string, unknown>;
  const compared = [...headers].filter(([name]) => name !== 'x-request-id');
  return { status, headers: compared.map(([name, value]) => [name, name === 'gatepass-bookmark' ? '' : value]), body };
};
/** A pass that was just asked for, but for what makes it one of its own. */
const fresh = ({ status, record: { id: _, walletAddress, events, ...rest } }: Answer) => ({
  status,
  rest,
  events: events.map(({ eventType }) => eventType),
});

describe.each(['ethereum', 'solana'] as const)('on %s', (chain) => {
  const on = `${chain}/${NETWORK[chain]}`;
  const aboutNone = aKeyOf(ours.gatekeeperNetwork, chain);
  const withoutIssue = (key: PassKey) => callsAbout(key).filter(({ route }) => route.scope !== 'issue');
  let toldOfNone: Answer[];
  let issued: Answer;

  beforeAll(async () => {
    toldOfNone = await Promise.all(withoutIssue(aboutNone).map((call) => make(ours.api, call)));
    issued = await issuing.api.issue(on, aboutNone.wallet);
  });

  it.each([{ state: 'ACTIVE', place: 'object' } as const, ...STATES.map((state) => ({ state, place: 'D1' }) as const)])(
    '$state, as its $place has it: to be seen and changed on no route, and to be issued beside',
    async ({ state, place }) => {
      const key = await aPassOf(theirs.gatekeeperNetwork, { chain, state, place });
      // Fetching it would give D1 the row that it may lack.
      const before = await passOf(key);
      expect(before?.state).toBe(state);
      const calls = withoutIssue(key);
      const answers = await Promise.all(calls.map((call) => make(ours.api, call)));
      expect(answers.map(comparable)).toEqual(toldOfNone.map(comparable));
      for (const [index, answer] of answers.entries()) {
        expect(answer.text).not.toContain(key.wallet);
        if (calls[index]?.route.path.includes('/:wallet')) expect(answer.problem.code).toBe('pass_not_found');
      }
      expect(fresh(await issuing.api.issue(on, key.wallet))).toEqual(fresh(issued));
      expect(await passOf(key)).toEqual(before);
      expect((await theirs.api.fetch(on, key.wallet)).text).toBe(before?.record);
    },
  );
});
