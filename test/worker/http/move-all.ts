import { forgetShards } from '../../../src/store/placements.ts';
import { second } from '../setup/second-database.ts';
import { jsonOf } from './managed-partners.ts';
import type { anOperator } from './operator.ts';

/** Moves a gatekeeper network. Every isolate has learned the new database as soon as the move waits for that. */
export async function moveAll(body: object, by: Awaited<ReturnType<typeof anOperator>>) {
  for (;;) {
    const answer = await by.post('/admin/moves', body);
    const { phase } = jsonOf(answer) as { phase: string };
    if (phase !== 'settle') return answer;
    await second.prepare('UPDATE moves SET updated = 0').run();
    forgetShards();
  }
}
