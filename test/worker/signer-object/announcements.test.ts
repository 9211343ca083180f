import { expect, it } from 'vitest';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { Announcements } from '../../../src/signer-object/schedule.ts';
import type { StepEntry } from '../../../src/signer-object/schema.ts';
import * as queries from '../../../src/signer-object/step-queries.ts';
import { aStep } from '../chain/ethereum/node.ts';
import { withSigner } from './with-signer.ts';

/** Outcomes that no pass acknowledges, as during an outage of the database. */

const [MINUTE, DAY] = [60_000, 24 * 3_600_000];

it('announces an outcome at once, again after 30 seconds, and then at growing intervals of up to an hour', async () => {
  await withSigner('unheard', async (signer, { sql }) => {
    const step = aStep();
    addSteps(signer, [step]);
    const [entry] = queries.waitingSteps(sql, signer.network, { ...step.key, rank: 1 }, Date.now(), 1);
    signer.steps.setEnded(entry as StepEntry, { type: 'withdrawn' });
    const announcements = new Announcements();
    const start = Date.now();
    const times: number[] = [];
    for (let now = start; now < start + DAY; now += 30_000) {
      if (announcements.takeDue(signer, new Set(), now).length > 0) times.push(now - start);
    }
    expect(times.slice(0, 4)).toEqual([0, 30_000, 1.5 * MINUTE, 3.5 * MINUTE]);
    expect(times.length).toBeLessThanOrEqual(31);
    expect(times.at(-1)).toBeGreaterThan(DAY - 61 * MINUTE);

    announcements.forget(step.id);
    expect(announcements.takeDue(signer, new Set(), start + DAY)).toHaveLength(1);
    expect(announcements.takeDue(signer, new Set(), start + DAY + 30_000)).toHaveLength(1);
  });
});
