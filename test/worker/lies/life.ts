import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { configOf } from '../../../src/config/parse-config.ts';
import { chooseSigner } from '../../../src/config/signers.ts';
import type { SignerName } from '../../../src/network/network.ts';
import { findNetwork } from '../../../src/network/networks.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import type { StuckReason } from '../../../src/pass/wait-reasons.ts';
import { defaultContract } from '../../default-contract.ts';
import type { Lie } from '../../lies/lie.ts';
import { configureObject, keepAlive } from '../configure-object.ts';
import { deliverWith } from '../consumer/deliver.ts';
import { openEndpoint } from './lying-endpoints.ts';
import type { TestedChain } from './tested-chain.ts';

const { PASSES, SIGNERS } = env as Env;

/** The expected state of a pass, on chain and in the record. */
export interface Wanted {
  readonly state: 'ACTIVE' | 'FROZEN' | 'REVOKED';
  readonly expiry: number;
}

/** The life of one pass with its own gatekeeper key and endpoints. */
export interface Life {
  readonly key: PassKey;
  readonly signer: SignerName;
  /** Address of its gatekeeper. */
  readonly gatekeeper: string;
  /** The gatekeeper's balance at first. */
  readonly balance: bigint;
  readonly row: LifeRow;
  /** The current lies of its endpoint. */
  lies: readonly Lie<never>[];
  /** Faults in order. A life ends with its first fault. */
  readonly faults: string[];
}

/** Overrides for the life of a row. */
export interface LifeRow {
  readonly title: string;
  /** The lies after each request, in turn. */
  readonly lies: readonly (readonly Lie<never>[])[];
  /** The lying endpoints, in order of preference. */
  readonly endpoints: readonly ('honest' | 'lying')[];
}

/** No queue: the tests deliver every message themselves. */
const NO_QUEUE = { send: async () => {}, sendBatch: async () => {} };

const passOf = ({ key }: Pick<Life, 'key'>) => PASSES.getByName(passName(key));
const signerOf = ({ signer }: Life) => SIGNERS.getByName(signer);

export async function beginLife(chain: TestedChain, row: LifeRow): Promise<Life> {
  const { key, gatekeeper, variables, scene } = await chain.newPass();
  let life: Life | undefined;
  const liesNow = () => (life?.lies ?? []) as readonly Lie<unknown>[];
  const urls = row.endpoints.map((each) =>
    openEndpoint({ node: chain.node, clock: chain.clock, scene, lies: each === 'lying' ? liesNow : () => [] }),
  );
  const changed = {
    ...env,
    ...variables,
    RPC_ENDPOINTS: JSON.stringify({ [key.network]: urls }),
    PASS_QUEUE: NO_QUEUE,
  };
  const config = configOf(changed);
  const network = findNetwork(config.networks, key.chain, key.network);
  const signer = network && chooseSigner(config, network, passName(key));
  if (signer === undefined) throw new Error('no signer serves the pass');
  for (const stub of [passOf({ key }), SIGNERS.getByName(signer)]) {
    await configureObject(stub as DurableObjectStub, changed);
    keepAlive(stub as DurableObjectStub);
  }
  life = { row, key, signer, gatekeeper, balance: await chain.balanceOf(gatekeeper), lies: [], faults: [] };
  return life;
}

/** Requests the pass, or its change. */
export async function request(life: Life, change: 'issue' | Partial<Wanted>, lifetime: number): Promise<void> {
  const { key } = life;
  const pass = passOf(life);
  const result = await (change === 'issue'
    ? pass.issue({ key, contract: defaultContract(key), client: 'acme', lifetime, waits: false })
    : pass.update(change as Parameters<typeof pass.update>[0]));
  if (result?.type !== 'accepted') life.faults.push(`refused: ${JSON.stringify(result)}`);
}

/** Lets time and blocks pass, and does the work of the queue and the alarms. */
export async function passTime(chain: TestedChain, lives: readonly Life[], turn: number): Promise<void> {
  await chain.passTime(turn);
  await deliverWith({ PASS_QUEUE: NO_QUEUE }, ...lives.map(({ key }) => ({ kind: 'process-pass', pass: key })));
  await Promise.all(lives.map((life) => runDurableObjectAlarm(signerOf(life))));
}

/** Returns a difference from the expected state, on chain or in the record; undefined if there is none. */
export async function findDifference(chain: TestedChain, life: Life, wanted: Wanted): Promise<string | undefined> {
  const [inspected, tokens] = await Promise.all([passOf(life).inspect(), chain.tokensOf(life.key)]);
  const shown = JSON.stringify(tokens);
  if (tokens.length !== 1) return `the wallet has ${tokens.length} tokens`;
  if (tokens[0]?.state !== wanted.state || tokens[0].expiry !== wanted.expiry) return `its token is ${shown}`;
  if (!inspected?.isSettled) return 'the pass is not settled';
  const { state, expiry } = inspected.question.known;
  return state === wanted.state && expiry === wanted.expiry ? undefined : `its record says ${state} until ${expiry}`;
}

/** Whether the pass has recorded that nothing is left to do on chain. */
export const isSettled = async (life: Life) => (await passOf(life).inspect())?.isSettled === true;

/** Returns the signer's reason why the pending step waits. */
export async function stuckReasonOf(life: Life): Promise<StuckReason | undefined> {
  const step = (await passOf(life).inspect())?.step;
  if (step === undefined) return undefined;
  const { gatekeeperNetwork } = life.key;
  const [reason] = await signerOf(life).stuckReasons([{ ...step, gatekeeperNetwork }]);
  return reason;
}
