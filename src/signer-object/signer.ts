import { openChain } from '../chain/open-chain.ts';
import { type ChainPort, KmsFault, type Pairs } from '../chain/port.ts';
import { openSandboxChain } from '../chain/sandbox/open-sandbox-chain.ts';
import { configOf } from '../config/parse-config.ts';
import { type EnabledNetwork, findSigner, findSimulation } from '../config/signers.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { logFault } from '../log/log.ts';
import type { Network } from '../network/network.ts';
import { parseSignerName, type SignerName } from '../network/signer-name.ts';
import type { StepStatus } from '../pass/step.ts';
import { describeReason, isKmsCode, type Reason } from '../pass/wait-reasons.ts';
import { openStore } from '../store/store.ts';
import { type ContractWatch, openContractWatch } from './contract-watch.ts';
import { ObeyedLists } from './obeyed-lists.ts';
import { Spending } from './spending.ts';
import { StepTable } from './step-table.ts';
import { SuspendedClients } from './suspended-clients.ts';
import { SIGNER, type Wait, Waits } from './waits.ts';

/** The parts of a signer object, as its functions receive them. */
export interface Signer {
  /** Name of the signer object, for logs. */
  readonly name: SignerName;
  readonly storage: DurableObjectStorage;
  readonly network: Network;
  readonly chain: ChainPort;
  /** Whether its key is compromised. Then it only tracks and rebroadcasts its signed transactions, and signs nothing. */
  readonly isCompromised?: boolean | undefined;
  /**
   * Whether it keeps its waiting steps although its key is compromised, because its variables and newer lists of a call disagree about the
   * key. The pass objects may have the other ones, and would choose the same key again.
   */
  readonly holdsSteps?: boolean;
  readonly waits: Waits;
  readonly spending: Spending;
  readonly steps: StepTable;
  readonly suspended: SuspendedClients;
  /** Undefined on Solana, and for a compromised key. */
  readonly contracts?: ContractWatch | undefined;
  /** Steps that the next batch ends if they are unsigned, with the status that they get. In memory only. */
  readonly withdrawals: Map<string, StepStatus>;
  /** Answers about signed steps that the nodes withhold, by id of the step; under `SIGNER`, about all of them. In memory only. */
  readonly withheld: Map<string, Withheld>;
}

/** Something that the nodes do not show of a signed step. */
export interface Withheld {
  /** Names the call. */
  readonly why: string;
  readonly since: Milliseconds;
  readonly isLogged?: boolean;
}

/** Returns the in-memory parts of a signer. A restart creates new ones. */
export function signerMemory(
  storage: DurableObjectStorage,
  name: SignerName,
  network: Network,
  readSuspended: () => Promise<readonly string[]>,
  listedClients: () => readonly string[] = () => [],
): Pick<Signer, 'waits' | 'spending' | 'steps' | 'suspended' | 'withdrawals' | 'withheld'> {
  const waits = new Waits(storage.sql);
  const spending = new Spending(storage.sql, name, network, waits);
  const steps = new StepTable(storage.sql, network, spending);
  const suspended = new SuspendedClients(storage, steps, name, readSuspended, listedClients);
  return { waits, spending, steps, suspended, withdrawals: new Map(), withheld: new Map() };
}

/** Returns the parts of a signer that is not configured: it can end steps, and signs nothing. */
export function closedSigner(
  name: SignerName,
  storage: DurableObjectStorage,
): Pick<Signer, 'storage' | 'waits' | 'steps' | 'withdrawals'> {
  const [chain, network] = name.split('/') as [Network['chain'], string];
  const waits = new Waits(storage.sql);
  const spending = new Spending(storage.sql, name, { dailyCeiling: 0, dailyLaneCeiling: 0 }, waits);
  return { storage, waits, steps: new StepTable(storage.sql, { chain, network }, spending), withdrawals: new Map() };
}

/** Returns the parts of the signer object with that name; undefined if the configuration no longer has its network or key. */
export function openSigner(
  name: SignerName,
  storage: DurableObjectStorage,
  env: Env,
  lists = new ObeyedLists(storage, env),
): Signer | undefined {
  try {
    const config = configOf(env);
    const simulated = findSimulation(config, name);
    const found = findSigner(config, name);
    const enabled = found && stoppedBy(lists, found);
    const network = simulated ?? enabled?.network;
    if (network === undefined)
      throw new Error('its network or key is not configured: its steps wait until the configuration has both');
    const readSuspended = () => openStore(env).findSuspendedClients();
    const memory = signerMemory(storage, name, network, readSuspended, () => lists.suspendedClients);
    return {
      name,
      storage,
      network,
      chain: enabled ? openChain(enabled, config) : openSandboxChain(network, parseSignerName(name).address, env),
      get isCompromised() {
        return enabled?.gatekeeper.compromised;
      },
      get holdsSteps() {
        if (found === undefined) return false;
        const { compromised = false, address } = found.gatekeeper;
        return compromised !== lists.stopsKey(address);
      },
      ...memory,
      contracts: found && openContractWatch(storage, name, memory.steps, config, found),
    };
  } catch (fault) {
    logFault('signer.not_configured', fault, { signer: name });
    return undefined;
  }
}

/** Returns the network with a key that is compromised from the moment on when the emergency lists name it. */
function stoppedBy(lists: ObeyedLists, enabled: EnabledNetwork): EnabledNetwork {
  const { gatekeeper } = enabled;
  const stoppable = {
    ...gatekeeper,
    get compromised() {
      return gatekeeper.compromised === true || lists.stopsKey(gatekeeper.address);
    },
  };
  return { ...enabled, gatekeeper: stoppable } as EnabledNetwork;
}

/** Returns why the whole signer sends nothing at `now`; undefined if it may send. */
export function pauseOf({ waits }: Pick<Signer, 'waits'>, now: Milliseconds): Wait | undefined {
  return waits.blocking(SIGNER, now);
}

/** Pauses the signer, longer each time in a row. No step fails, and the signer tries again by itself. */
export function pauseSigner({ name, waits }: Signer, reason: Reason, now: Milliseconds = Date.now()): void {
  const { code, until, tries } = waits.begin(SIGNER, reason, now);
  logFault('signer.paused', describeReason(reason), { signer: name, code, times: tries, pause_ms: until - now });
}

/** Pauses the signer if a KMS did not sign one of these. */
export function pauseOnKmsFault(signer: Signer, signed: Pairs<unknown, unknown>, now: Milliseconds): void {
  const fault = signed.map(([, outcome]) => outcome).find((outcome) => outcome instanceof KmsFault);
  if (fault !== undefined) pauseSigner(signer, { code: fault.code, detail: fault.message }, now);
}

/** Whether the signer waits for a KMS at `now`. */
export function waitsForKms({ waits }: Signer, now: Milliseconds): boolean {
  return waits.active(SIGNER, now).some(({ code }) => isKmsCode(code));
}

/** Ends the pause, because the nodes answered, or one of them accepted a transaction. */
export function resumeSigner({ waits }: Pick<Signer, 'waits'>): void {
  waits.end(SIGNER, 'success');
}
