import { env } from 'cloudflare:workers';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { passName } from '../../../src/pass/pass.ts';
import { workerWith } from '../http/api.ts';
import { TRUSTING } from '../http/issuer.ts';
import { anOperator } from '../http/operator.ts';
import { openEthereum } from '../lies/ethereum-chain.ts';
import { beginLife, passTime } from '../lies/life.ts';
import { issueUnderLies } from '../lies/live.ts';
import { serveEndpoints } from '../lies/lying-endpoints.ts';
import { ETHEREUM_ATTACK } from '../lies/rows.ts';
import { beginSimulatedTime } from '../lies/simulated-time.ts';
import { rehearse, send } from './rehearse.ts';

const HOUR_MS = 3_600_000;
/** In Unix seconds. */
const EXPIRY = Math.floor(Date.now() / 1000) + 1000 * 86_400;
const ATTACK_TURNS = 16;

let chain: Awaited<ReturnType<typeof openEthereum>>;
beforeAll(async () => {
  for (const level of ['log', 'warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => {});
  serveEndpoints();
  beginSimulatedTime(Date.now() + HOUR_MS);
  chain = await openEthereum(EXPIRY + 86_400, EXPIRY);
});
afterAll(async () => {
  await chain?.close();
  vi.restoreAllMocks();
});

rehearse(
  'A step is held',
  'the step adopts the token at once after a redrive, when the endpoint no longer hides it',
  async (page) => {
    const life = await beginLife(chain, ETHEREUM_ATTACK);
    const { stuckReason } = await issueUnderLies(chain, life, ATTACK_TURNS);
    expect(stuckReason).toContain('nonces were signed for it');
    const before = await chain.tokensOf(life.key);
    life.lies = [];
    const operator = await anOperator({}, workerWith(TRUSTING));
    const redrive = page.next('curl -X POST $GATEPASS_URL/admin/redrive');
    const { gatekeeperNetwork, network, wallet } = life.key;
    const answer = await send(operator, redrive, { KEY: gatekeeperNetwork, NETWORK: network, WALLET: wallet });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([202, { redriven: 1, more: false }]);
    for (let turn = 0; turn < 4; turn += 1) await passTime(chain, [life], turn);
    expect(await chain.tokensOf(life.key)).toEqual(before);
    const inspected = await (env as Env).PASSES.getByName(passName(life.key)).inspect();
    expect(inspected).toMatchObject({ isSettled: true, question: { known: { state: 'ACTIVE' } } });
  },
  { timeout: 600_000 },
);
