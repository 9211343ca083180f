import { afterAll, beforeAll, expect } from 'vitest';
import { Rehearsal, wallet } from './rehearsal.ts';
import { rehearse } from './rehearse.ts';

const NETWORK = 'sepolia';

let service: Rehearsal;
beforeAll(async () => {
  service = await Rehearsal.open();
});
afterAll(() => service?.close());

rehearse(
  'Restore D1',
  'the passes and suspensions from after the restored moment are back, and the service continues',
  async (page) => {
    const acme = service.partner('acme');
    const [before, after, later] = [wallet(), wallet(), wallet()];
    await acme.issue(NETWORK, before);
    await acme.untilSettled(NETWORK, before);
    await service.copyDatabase();
    await acme.issue(NETWORK, after);
    await acme.untilSettled(NETWORK, after);
    expect(await service.run('npm run partner -- suspend globex --env ENV')).toMatchObject({ code: 0 });

    const exported = await service.run(page.next('npm run partner -- export'));
    expect(exported.code, exported.printed).toBe(0);
    const restored = await service.run(page.next('npm run restore'), { TIME: '2026-07-01T00:00:00Z' });
    expect(restored.code, restored.printed).toBe(0);
    expect(restored.printed).toContain('DB: open again. Now run `npm run rebuild` for DB.');
    const list = 'npm run partner -- list --env ENV';
    expect((await service.run(list)).printed).not.toContain('suspended');

    const imported = await service.run(page.next('npm run partner -- import'));
    expect(imported.code, imported.printed).toBe(0);
    expect((await service.run(list)).printed).toMatch(/globex .*suspended/);
    const rebuilt = await service.run(page.next('npm run rebuild'), { URL: service.baseUrl });
    expect(rebuilt.code, rebuilt.printed).toBe(0);
    expect(rebuilt.printed).toContain('2 hold a pass of this shard');

    const found = await acme.search();
    expect(found.map(({ walletAddress }) => walletAddress)).toEqual(expect.arrayContaining([before, after]));
    await acme.issue(NETWORK, later);
    expect(await acme.untilSettled(NETWORK, later)).toMatchObject({ state: 'ACTIVE' });
  },
);
