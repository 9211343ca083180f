import { describe, expect, it } from 'vitest';
import { expectProblem } from '../../problem.ts';
import { aPassKey } from './a-pass.ts';
import { QUEUE_THAT_FAILS, WITHOUT_LIMITS, workerWith } from './api.ts';
import { itemOf } from './bulk.ts';
import { aPartner, newGatekeeperNetwork, TRUSTING } from './issuer.ts';

/** How large a bulk request may be. */

const gatekeeperNetwork = newGatekeeperNetwork();
const quiet = workerWith({ ...TRUSTING, ...WITHOUT_LIMITS, PASS_QUEUE: QUEUE_THAT_FAILS });
const ours = await aPartner({ gatekeeperNetwork, send: quiet });

describe('a bulk request', () => {
  it('is refused above 320 KiB, in one piece and in chunks', async () => {
    const padded = (length: number) => JSON.stringify({ items: ['x'] }).padEnd(length);
    const chunks = (length: number) => new Blob([padded(length)]).stream().pipeThrough(new TransformStream());
    for (const body of [padded, chunks]) {
      expect((await ours.postText('/passes', body(327_680))).status).toBe(200);
      expectProblem(await ours.postText('/passes', body(327_681)), 'body_too_large', { detail: '320 KiB' });
    }
  });
});

describe('a hundred items of the largest form', () => {
  const reference = '\u{1f600}'.repeat(128);
  const reason = '\u4e00'.repeat(200);
  /** The form of programs that send ASCII only, in which such a letter takes six or twelve bytes. */
  const toAscii = (json: string) =>
    json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

  it.each([
    ['UTF-8', (json: string) => json],
    ['ASCII', toAscii],
  ])('fit into one request in %s, to issue and to change', async (_, write) => {
    const all = Array.from({ length: 100 }, () => aPassKey({ gatekeeperNetwork }));
    const issued = all.map((key) => ({ ...itemOf(key), reference, expiryTimestamp: 253_402_300_799 }));
    const first = await ours.postText('/passes', write(JSON.stringify({ items: issued })));
    expect(first.status).toBe(200);
    const records = (JSON.parse(first.text) as { results: { record?: { reference?: string } }[] }).results;
    expect(records.filter(({ record }) => record?.reference === reference)).toHaveLength(100);
    const changed = all.map((key) => ({
      ...itemOf(key),
      reference: `${reference.slice(2)}x`,
      state: 'REVOKED',
      reason,
    }));
    const second = await ours.patchText('/passes', write(JSON.stringify({ items: changed })));
    expect(second.status).toBe(200);
    const { results } = JSON.parse(second.text) as { results: { status: number }[] };
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set([200]));
  });
});
