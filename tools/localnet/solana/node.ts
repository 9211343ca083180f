/** The Solana node of the localnet: `node tools/localnet/solana/node.ts --network devnet --port 8899`. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findNetwork, NETWORKS } from '../../../src/network/networks.ts';
import { Failure, reportFailure } from '../../../terminal/failure.ts';
import { createChain } from './chain/blocks.ts';
import { genesisAccounts } from './chain/genesis.ts';
import { type Ledger, makeBlock } from './chain/ledger.ts';
import { restoreChain, saveChain } from './chain/state-file.ts';
import { startRpcServer } from './rpc/server.ts';
import type { SolanaNode } from './rpc/solana-node.ts';
import { createEmulation } from './runtime/emulation.ts';
import { GATEWAY_PROGRAM } from './runtime/gateway-addresses.ts';
import { FIRST_RENT } from './runtime/rent.ts';
import type { Runtime } from './runtime/runtime.ts';

/** Different values, so that code that confuses slot and height fails. Both are after the first epoch. */
const FIRST_BLOCK = { slot: 1_000_000, height: 900_000 };
const SAVE_INTERVAL_MS = 1000;
/** Older blocks are deleted. */
const FINALIZED_MAX_BLOCKS = 400;

try {
  await run();
} catch (error) {
  process.exit(reportFailure(error));
}

async function run(): Promise<void> {
  const { network, port, state, program, slotMs, depths } = parseOptions();
  const file = state === undefined ? undefined : join(state, `${network}.json`);
  const kept = file === undefined ? undefined : await restoreChain(file, slotMs);
  const ledger: Ledger = {
    runtime: await openRuntime(program),
    chain: createChain(depths, kept ?? FIRST_BLOCK),
    accounts: new Map(),
    waiting: new Map(),
    landed: new Map(kept?.landed),
    lamportsPerByte: FIRST_RENT,
    changes: 0,
  };
  // The stored state may be from a time with fewer gatekeeper networks.
  for (const [address, account] of [...(await genesisAccounts()), ...(kept?.accounts ?? [])]) {
    ledger.accounts.set(address, [{ slot: 0, account }]);
  }
  let slots: NodeJS.Timeout | undefined;
  const setSlotMs = (ms: number) => {
    clearInterval(slots);
    slots = ms === 0 ? undefined : setInterval(() => makeBlock(ledger), ms);
  };
  const node: SolanaNode = {
    ledger,
    genesisHash: genesisHashOf(network),
    faults: [],
    requests: { http: 0, calls: {} },
    setSlotMs,
  };
  const server = await startRpcServer(node, port).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`cannot listen on port ${port} (${error.code})`);
  });
  setSlotMs(slotMs);
  const ended = new Promise<true>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => resolve(true));
  });
  const which = program === undefined ? 'an emulation of the gateway program' : `the gateway program in ${program}`;
  console.log(`${network} answers at http://127.0.0.1:${port} with ${which}`);

  await saveUntil(ended, file, ledger);
  setSlotMs(0);
  server.close();
  server.closeAllConnections();
  process.exit();
}

/** Writes changes to disk every second and at the end. */
async function saveUntil(end: Promise<true>, file: string | undefined, ledger: Ledger): Promise<void> {
  for (let written = -1, over = false; !over; ) {
    if (file !== undefined && ledger.changes !== written) {
      written = ledger.changes;
      await saveChain(file, ledger);
    }
    over = await Promise.race([end, sleep(SAVE_INTERVAL_MS, false)]);
  }
  if (file !== undefined) await saveChain(file, ledger);
}

/** Returns the hash of the network; of devnet for another name. */
function genesisHashOf(name: string): string {
  const networks = ['devnet', name].map((each) => findNetwork(NETWORKS, 'solana', each));
  return networks.flatMap((each) => (each?.chain === 'solana' ? each.genesisHash : [])).at(-1) ?? '';
}

/** Opens the emulation or the program itself. The virtual machine is native code that some machines lack. */
async function openRuntime(file: string | undefined): Promise<Runtime> {
  if (file === undefined) return createEmulation();
  const { createVirtualMachine } = await import('./runtime/litesvm.ts');
  return createVirtualMachine({ address: GATEWAY_PROGRAM, file });
}

function parseOptions() {
  const { values } = parseArgs({
    options: {
      network: { type: 'string', default: 'devnet' },
      port: { type: 'string', default: '8899' },
      /** Folder of the chain's state. */
      state: { type: 'string' },
      /** File of `solana program dump` with the gateway program, instead of its emulation. */
      program: { type: 'string' },
      /** Milliseconds between blocks; 0: only `localnet_advance` makes blocks. */
      'slot-ms': { type: 'string', default: '400' },
      /** How many blocks must follow a block until it has the commitment. */
      confirmed: { type: 'string', default: '1' },
      finalized: { type: 'string', default: '32' },
    },
  });
  return {
    network: values.network,
    port: parseNumber('port', values.port),
    state: values.state,
    program: values.program,
    slotMs: parseNumber('slot-ms', values['slot-ms']),
    depths: {
      processed: 0,
      confirmed: parseNumber('confirmed', values.confirmed),
      finalized: parseNumber('finalized', values.finalized, FINALIZED_MAX_BLOCKS),
    },
  };
}

function parseNumber(option: string, value: string, most = 999_999): number {
  if (!/^\d{1,6}$/.test(value) || Number(value) > most) {
    throw new Failure(`--${option} must be a whole number, ${most} at most`, 2);
  }
  return Number(value);
}
