import { setTimeout as sleep } from 'node:timers/promises';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { openContractNode } from '../../localnet/ethereum/contract-node.ts';
import { GATEKEEPERS } from '../../localnet/ethereum/gatekeepers.ts';
import { PARTNER } from '../dataset.ts';
import { startCaller } from '../load.ts';
import type { Measure } from '../measure.ts';
import { compareInTurn } from '../rounds.ts';
import { issueAll } from '../settlement/issue-all.ts';
import { startSettlementLocalnet } from '../settlement/localnet.ts';
import { buildService, startService } from '../settlement/service.ts';
import { mintAsStranger, type Stranger } from '../settlement/stranger.ts';

const NETWORK = 'sepolia';
const WARM_UP_PASSES_COUNT = 100;
/** The time until the transactions of a round are final, and until the watcher has read them. */
const PAUSE_MS = 12_000;

/**
 * The rate of settlement while another gatekeeper mints tokens in the partner's slot, beside the rate alone. Over all rounds, the
 * stranger mints ten thousand tokens. The node that executes the mints runs on the same machine, so the ratio includes its work.
 */
export const strangerMeasure: Measure = {
  name: 'stranger',
  async run(context) {
    const { passes, tokens, rounds } = context.quick
      ? { passes: 500, tokens: 1_000, rounds: 2 }
      : { passes: 1_000, tokens: 2_000, rounds: 5 };
    const built = await buildService(context);
    const localnet = await startSettlementLocalnet(context, NETWORK);
    const service = await startService(context, { built, localnet });
    const caller = await startCaller();
    context.atEnd(caller.stop);
    const rpcUrl = localnet.rpc[NETWORK] as string;
    const { gatekeeperNetwork } = PARTNER;
    const stranger: Stranger = { rpcUrl, contract: OWNERLESS_CONTRACT, gatekeeperNetwork, account: GATEKEEPERS[3] };
    await openContractNode(rpcUrl).impersonateAccount({ address: stranger.account });
    await issueAll(service, caller, NETWORK, WARM_UP_PASSES_COUNT);
    await mintAsStranger(stranger, WARM_UP_PASSES_COUNT);

    const settle = async () => passes / (await issueAll(service, caller, NETWORK, passes)).seconds;
    const rate = (minted: number) => async () => {
      await sleep(PAUSE_MS);
      const [settled] = await Promise.all([settle(), minted > 0 && mintAsStranger(stranger, minted)]);
      context.say(
        `${passes} passes at ${settled.toFixed(0)} per second${minted > 0 ? ` beside ${minted} tokens` : ''}`,
      );
      return settled;
    };
    const contenders = { 'beside a stranger': rate(tokens), alone: rate(0) };
    const { medians, ratios, rounds: all } = await compareInTurn(contenders, rounds);
    return [
      {
        what: `first POST → last ACTIVE, beside a stranger who mints ${tokens.toLocaleString('en')} tokens in the slot`,
        unit: 'passes/s',
        value: medians['beside a stranger'],
        peers: { alone: medians.alone },
        ratios: { alone: ratios.alone },
        rounds: all,
        targets: [{ of: 'alone', atLeast: 0.9 }],
      },
    ];
  },
};
