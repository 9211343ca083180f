import { afterAll, beforeAll, expect } from 'vitest';
import { LONG } from '../../form.ts';
import { LocalDatabase } from '../ops/local-database.ts';
import { pollUntil } from '../poll-until.ts';
import { Rehearsal, wallet } from './rehearsal.ts';
import { rehearse } from './rehearse.ts';

const NETWORK = 'sepolia';
/** Much more than the tables of an empty database. */
const FILLER_BYTES = 2_000_000;

let service: Rehearsal;
beforeAll(async () => {
  service = await Rehearsal.open();
});
afterAll(() => service?.close());

rehearse(
  'A shard is full',
  'a gatekeeper network moves to another database, and gets new passes there',
  async (page) => {
    const acme = service.partner('acme');
    const [held, fresh] = [wallet(), wallet()];
    await acme.issue(NETWORK, held);
    const record = await acme.untilSettled(NETWORK, held);
    await service.stopWorker();
    const database = new LocalDatabase(service.state.folder);
    database.write(`INSERT INTO dead_letters VALUES ('filler', 1, '', '${'x'.repeat(FILLER_BYTES)}')`);
    const [size] = database.rows('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size');
    service.edit({ DATABASE_MAX_BYTES: String(size?.bytes) });
    await service.addDatabase();

    const issue = async () => {
      await acme.search();
      return acme.issue(NETWORK, fresh);
    };
    await expect(issue()).rejects.toMatchObject({ status: 503, problem: { code: 'temporarily_unavailable' } });
    const moved = await service.run(page.next('npm run shard -- move'), { KEY: acme.gatekeeperNetwork });
    expect(moved.code, moved.printed).toBe(0);
    expect(moved.printed).toContain(`${acme.gatekeeperNetwork} from DB to DB_1: has moved (1 passes`);
    expect((await acme.search()).map(({ walletAddress }) => walletAddress)).toContain(held);
    expect(await acme.fetch(NETWORK, held)).toMatchObject({ id: record.id, state: 'ACTIVE' });
    // An isolate remembers the database of a partner for a minute. A new one reads it at once.
    if (!LONG) await service.restartWorker();
    await pollUntil(
      () => issue().catch(() => undefined),
      (issued) => issued !== undefined,
    );
    expect(await acme.untilSettled(NETWORK, fresh)).toMatchObject({ state: 'ACTIVE' });
  },
);
