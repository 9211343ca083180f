import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, vi } from 'vitest';
import type { Wallet } from '../../../src/network/wallet.ts';
import { passName } from '../../../src/pass/pass.ts';
import { eventually } from '../../eventually.ts';
import { withOwnTimers } from '../own-timers.ts';
import { answering, hanging, UnreliableDatabase } from '../store/unreliable.ts';
import type { Answer } from './answer.ts';
import { seededPartner, WITHOUT_LIMITS, workerWith } from './api.ts';
import { aPartner, TRUSTING } from './issuer.ts';
import { aWallet } from './wallets.ts';

const SEPOLIA = 'ethereum/sepolia';
/** The time within which the limits promise an answer (`docs/partners/limits.md`). */
const ANSWER_MS = 5_000;
/** How long a request waits for the database, and for the queue. */
const SERVICE_MS = 2_000;
const QUEUE_HANGS_MS = 57_000;
const DATABASE_SILENT_MS = 80_000;

/** A queue that hangs, and then says that it is overloaded. */
class HangingQueue {
  hangs = false;
  asked = 0;

  async sendBatch(): Promise<void> {
    if (!this.hangs) return;
    this.asked += 1;
    await new Promise((resolve) => setTimeout(resolve, QUEUE_HANGS_MS));
    throw new Error('Queue sendBatch failed: Queue is overloaded. Please back off.');
  }
}

/**
 * Sends that many issuances while D1 is silent for 80 seconds and each message hangs for 57. The services are silent for the Worker; time
 * passes only when every request waits for them, so the machine's own time does not count. Then both answer again, and the alarms of the
 * passes do the rest.
 */
export async function issueDuringSilence(requests: number): Promise<void> {
  const { gatekeeperNetwork } = seededPartner('acme');
  const [database, queue] = [new UnreliableDatabase(), new HangingQueue()];
  const send = workerWith({ ...TRUSTING, ...WITHOUT_LIMITS, DB: database, PASS_QUEUE: queue });
  const partner = (await aPartner({ gatekeeperNetwork })).through(send);
  // The isolate knows the row of this partner, and not that of the stranger.
  expect((await partner.issue(SEPOLIA, aWallet())).status).toBe(202);
  const stranger = (await aPartner()).through(send);
  const wallets = Array.from({ length: requests }, () => aWallet());
  const late = aWallet();
  const answers: { readonly answer: Answer; readonly afterMs: number }[] = [];

  await withOwnTimers(async () => {
    database.manner = hanging;
    queue.hangs = true;
    const began = Date.now();
    const answered = async (asking: Promise<Answer>) => {
      const answer = await asking;
      answers.push({ answer, afterMs: Date.now() - began });
      return answer;
    };
    const refused = answered(stranger.issue(SEPOLIA, late));
    const issued = wallets.map((wallet) => answered(partner.issue(SEPOLIA, wallet)));
    const searched = answered(partner.search({}));
    // No time passes in here, so no timeout ends a request early.
    while (queue.asked < requests) await scheduler.wait(20);
    // Then it passes at once: each request waits for nothing else.
    vi.advanceTimersByTime(SERVICE_MS);
    while (answers.length < requests + 2) await scheduler.wait(20);
    expect(await Promise.all(issued.map(async (each) => (await each).status))).toEqual(wallets.map(() => 202));
    expect([(await refused).status, (await searched).status]).toEqual([503, 503]);
    expect(Math.max(...answers.map(({ afterMs }) => afterMs))).toBeLessThanOrEqual(ANSWER_MS);
    vi.advanceTimersByTime(DATABASE_SILENT_MS - (Date.now() - began));
    database.manner = answering;
    queue.hangs = false;
    // The caller of a 503 may repeat the request, and so may those of a 202.
    const { record } = await stranger.issue(SEPOLIA, late);
    expect((await stranger.issue(SEPOLIA, late)).record.id).toBe(record.id);
  });
  const passOf = (wallet: Wallet) =>
    (env as Env).PASSES.getByName(passName({ gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet }));
  await Promise.all(wallets.map((wallet) => runDurableObjectAlarm(passOf(wallet))));
  const ids = new Map(
    answers.flatMap(({ answer }) => (answer.status === 202 ? [[answer.record.walletAddress, answer.record.id]] : [])),
  );
  for (const wallet of wallets)
    await eventually(async () => {
      const found = await passOf(wallet).readPublication();
      expect(JSON.parse(found?.record ?? '{}')).toMatchObject({ id: ids.get(wallet), state: 'ACTIVE' });
    });
}
