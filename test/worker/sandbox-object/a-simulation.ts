import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { vi } from 'vitest';
import type { ChainPort, InFlightTransaction, PrepareResult, Signed } from '../../../src/chain/port.ts';
import { type Answered, type Arguments, type NodeMethod, portOf } from '../../../src/chain/sandbox/sandbox-chain.ts';
import type { Chain } from '../../../src/network/network.ts';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import type { Wallet } from '../../../src/network/wallet.ts';
import type { Step } from '../../../src/pass/step.ts';
import { Simulation } from '../../../src/sandbox-object/simulation.ts';

/** A simulation in the storage of a new object. The test makes the time. */

export const BEGAN = 1_800_000_000_000;
export const NETWORK_OF = { ethereum: 'sepolia', solana: 'devnet' } as const;
export const FAST = {
  ethereum: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  solana: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
} as const;

let objects = 0;

export function withSimulation(work: (sandbox: TestedSandbox) => Promise<void>): Promise<void> {
  objects += 1;
  return runInDurableObject(env.SANDBOXES.getByName(`simulation ${objects}`), (_, context) => {
    vi.setSystemTime(BEGAN);
    return work(new TestedSandbox(context));
  });
}

/** A sandbox that is started again before every call, so that it keeps nothing in memory. */
export class TestedSandbox {
  readonly storage: DurableObjectStorage;
  readonly #context: DurableObjectState;
  readonly #nonces = new Map<string, number>();

  constructor(context: DurableObjectState) {
    this.#context = context;
    this.storage = context.storage;
  }

  get simulation(): Simulation {
    return new Simulation(this.#context, env);
  }

  port(chain: Chain, network: string = NETWORK_OF[chain]): ChainPort {
    const ask = async <M extends NodeMethod>(
      at: { readonly chain: Chain; readonly network: string },
      method: M,
      asked: Arguments<M>,
    ): Promise<Answered<M>> => structuredClone(await this.simulation.ask(at, method, structuredClone(asked)));
    return portOf({ ask }, { chain, network });
  }

  wait(milliseconds: number): void {
    vi.setSystemTime(Date.now() + milliseconds);
  }

  async prepare(step: Step): Promise<PrepareResult> {
    const { results } = await this.port(step.key.chain, step.key.network).prepare([{ step }], 0);
    return results[0]?.[1] as PrepareResult;
  }

  /** Signs and sends a step with the next nonce. */
  async send(step: Step): Promise<Signed & { readonly nonce: number | undefined }> {
    const { chain, network } = step.key;
    const port = this.port(chain, network);
    const { results, nonces, lifetime } = await port.prepare([{ step }], 0);
    const result = results[0]?.[1];
    if (result?.type !== 'ready') throw new Error(`not ready: ${JSON.stringify(result)}`);
    const nonce = nonces && Math.max(nonces.pending ?? 0, this.#nonces.get(network) ?? 0);
    if (nonce !== undefined) this.#nonces.set(network, nonce + 1);
    const signed = await result.sign(nonce, lifetime);
    await port.broadcast([{ signed }]);
    return { ...signed, nonce };
  }

  async track(
    { key }: Step,
    { identifier, nonce, lastValidBlockHeight }: Signed & { readonly nonce: number | undefined },
    includedIn?: InFlightTransaction['includedIn'],
  ) {
    const asked = {
      step: {} as Step,
      identifiers: [identifier],
      nonce,
      lastValidBlockHeight,
      includedIn,
      signedAtMs: 0,
    };
    return (await this.port(key.chain, key.network).track([asked]))[0]?.[1];
  }

  async observe({ key, contract, known }: Step) {
    return (await this.port(key.chain, key.network).observe([{ key, contract, known }]))[0]?.[1];
  }
}

export function aStep(chain: Chain, wallet: string, more: Partial<Step> = {}): Step {
  const key = {
    gatekeeperNetwork: 'sandbox' as GatekeeperNetwork,
    chain,
    network: NETWORK_OF[chain],
    wallet: wallet as Wallet,
  };
  return { id: 'pass:1', key, contract: 'contract', rank: 1, kind: 'issue', ...more };
}
