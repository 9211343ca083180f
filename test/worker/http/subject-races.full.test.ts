import { env } from 'cloudflare:test';
import { beforeAll, expect, it, vi } from 'vitest';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { aPass, aPassKey, UNSENT } from './a-pass.ts';
import { QUEUE_THAT_FAILS, WITHOUT_LIMITS, workerWith } from './api.ts';
import { itemOf, resultsOf } from './bulk.ts';
import { aPartner, TRUSTING } from './issuer.ts';

/** Races in the real runtime for the only pass that a rule allows to a subject. */

const { DB, PASSES } = env as unknown as Env;
const send = workerWith({ ...TRUSTING, ...WITHOUT_LIMITS, PASS_QUEUE: QUEUE_THAT_FAILS });
const RACES = 500;
beforeAll(() => void vi.spyOn(console, 'error').mockReturnValue());

it(`of ${RACES} races of two to eight issuances, each has exactly one winner`, { timeout: 600_000 }, async () => {
  const api = await aPartner({ send });
  const { gatekeeperNetwork } = api;
  await DB.prepare(`UPDATE gatekeeper_networks SET rules = '{"subjectMaxPasses":1}' WHERE key = ?`)
    .bind(gatekeeperNetwork)
    .run();
  const on = ({ chain, network }: PassKey) => `${chain}/${network}`;
  const wrong: string[] = [];
  for (let race = 0; race < RACES; race += 1) {
    const subject = `race/${race}`;
    const aKey = (index: number) =>
      aPassKey({ gatekeeperNetwork, chain: (race + index) % 3 === 0 ? 'solana' : 'ethereum' });
    const keys = Array.from({ length: 2 + (race % 7) }, (_, index) => aKey(index));
    // Every tenth race has a pass that exists already, and gets the subject.
    const existing = race % 10 === 0 ? await aPass({ gatekeeperNetwork, ...UNSENT }) : undefined;
    const issue = async (key: PassKey, index: number): Promise<number> => {
      if (index % 4 !== 3) return (await api.issue(on(key), key.wallet, { subject })).status;
      const [item] = await resultsOf(api, 'POST', [itemOf(key, { subject })]);
      return item?.status ?? 0;
    };
    const statuses = await Promise.all([
      ...keys.map(issue),
      ...(existing
        ? [api.update(on(existing), existing.wallet, { subject }).then(({ status }) => (status === 200 ? 202 : status))]
        : []),
    ]);
    const won = statuses.filter((status) => status === 202).length;
    const others = statuses.filter((status) => status !== 202 && status !== 409).length;
    const all = existing === undefined ? keys : [...keys, existing];
    const standings = await Promise.all(all.map((key) => PASSES.getByName(passName(key)).standing()));
    const valid = standings.filter((standing) => standing?.subject === subject && standing.counts).length;
    if (won !== 1 || valid !== 1 || others > 0) wrong.push(`${subject}: ${statuses.join()} and ${valid} passes`);
  }
  expect(wrong).toEqual([]);
});
