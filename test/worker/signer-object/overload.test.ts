import { afterEach, expect, inject, it } from 'vitest';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import * as ledger from '../../../src/signer-object/step-table.ts';
import { trackInFlight } from '../../../src/signer-object/track-in-flight.ts';
import { aStep, mine } from '../chain/ethereum/node.ts';
import { withSigner } from './with-signer.ts';

/** More work than the chain takes, on the real node. */

afterEach(async () => {
  // Nothing may be pending when the next signer starts with an empty store.
  await mine(4);
});

/** The short form exceeds the 10,000 steps that a lane holds. The long form shows that a far larger crowd costs no more. */
const CROWD = inject('isLong') ? 100_000 : 12_000;
const UNMINED = 16;
const [acme = '', globex = ''] = inject('localnet').partners.map(({ gatekeeperNetwork }) => gatekeeperNetwork);

const TITLE = `${CROWD.toLocaleString('en')} steps of one partner do not delay another partner, and the step table stays bounded`;

it(TITLE, { timeout: 60_000 }, async () => {
  const crowd = Array.from({ length: CROWD }, () => aStep({ gatekeeperNetwork: acme }));
  const few = Array.from({ length: 20 }, () => aStep({ gatekeeperNetwork: globex }));
  await withSigner(
    'overloaded',
    async (signer, { sql }) => {
      const taken = ledger.addSteps(sql, crowd);
      // First come first served; what does not fit is asked for again by its passes.
      expect(taken.map(({ id }) => id)).toEqual(crowd.slice(0, 10_000).map(({ id }) => id));
      expect(ledger.addSteps(sql, few)).toHaveLength(20);
      expect(sql.exec('SELECT count(*) AS n FROM step').one().n).toBe(10_020);

      const isOfFew = ({ key }: (typeof few)[number]) => key.gatekeeperNetwork === globex;
      const rounds: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        const sent = await sendWaiting(signer);
        expect(sent.length).toBe(UNMINED);
        expect(ledger.countUnmined(sql)).toBe(UNMINED);
        rounds.push(sent.filter(isOfFew).length);
        await mine();
        await trackInFlight(signer);
        // What is mined and waits for finality does not count.
        expect(ledger.countUnmined(sql)).toBe(0);
      }
      // In turn, so half of each block is theirs, and after the third they are all sent.
      expect(rounds).toEqual([8, 8, 4]);
    },
    { unmined: UNMINED },
  );
});
