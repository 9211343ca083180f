import {
  type Address,
  decodeEventLog,
  decodeFunctionResult,
  encodeAbiParameters,
  type Hex,
  isAddressEqual,
} from 'viem';
import { SLIM, tokenIdOf } from './slim-gateway.ts';
import {
  type Answers,
  AUTHORITY,
  encode,
  GATEKEEPER,
  LIST,
  type Log,
  newIdOf,
  PLAIN_READS,
  readsOf,
} from './slim-reads.ts';
import { ACTORS, PAIRS, SLOTS, type Step, ZERO } from './slim-stories.ts';

/** The state of a contract as its events tell it, and the checks that its reads answer the same. */

/** The arguments of an event. Each has some of them. */
interface EventArgs {
  readonly tokenId: bigint;
  readonly role: Hex;
  readonly domain: bigint;
  readonly account: Address;
  readonly network: bigint;
  readonly mask: bigint;
  readonly from: Address;
  readonly to: Address;
  readonly oldSlot: bigint;
  readonly newSlot: bigint;
  readonly timestamp: bigint;
}

export interface Token {
  readonly wallet: Address;
  /** -1 until the event that tells it. */
  slot: bigint;
  state: number;
  expiration: bigint;
  issuer: Address;
}

/** The state of a contract as its events tell it. */
export class Witness {
  readonly tokens = new Map<bigint, Token>();
  readonly roles = new Set<string>();
  readonly features = new Map<bigint, bigint>();
  /** The networks that were created. */
  readonly networks = new Set<bigint>();

  has(role: Hex, slot: bigint, account: Address): boolean {
    return this.roles.has(`${role} ${slot} ${account.toLowerCase()}`);
  }

  /** Records an event of a call. Throws if an event breaks a rule of passes. */
  record(log: Log, { by, name }: Step): void {
    const { eventName, args } = decodeEventLog({
      abi: SLIM.abi,
      data: log.data,
      topics: log.topics as [Hex],
    }) as unknown as { eventName: string; args: EventArgs };
    const { tokenId, role, domain, account, network, mask } = args;
    if (eventName === 'RoleGranted')
      this.#change(by, name, domain, () => this.roles.add(`${role} ${domain} ${account.toLowerCase()}`));
    else if (eventName === 'RoleRevoked')
      this.#change(by, name, domain, () => this.roles.delete(`${role} ${domain} ${account.toLowerCase()}`));
    else if (eventName === 'RoleAdminChanged') this.networks.add(domain);
    else if (eventName === 'NetworkFeaturesChanged')
      this.#change(by, name, network, () => this.features.set(network, mask));
    else if (tokenId !== undefined) this.#recordToken(eventName, tokenId, args, by);
  }

  /** Only an authority changes a network, or somebody creates it. */
  #change(by: Address, name: string, slot: bigint, change: () => void): void {
    if (this.networks.has(slot) ? !this.has(AUTHORITY, slot, by) : name !== 'createNetwork')
      throw new Error(`${by} changes network ${slot} without the right`);
    change();
  }

  #recordToken(eventName: string, id: bigint, args: EventArgs, by: Address): void {
    const known = this.tokens.get(id);
    if (eventName === 'Transfer') {
      const { from, to } = args;
      if (isAddressEqual(from, ZERO)) {
        if (known) throw new Error('a wallet gets a second token of a network');
        this.tokens.set(id, { wallet: to, slot: -1n, state: 0, expiration: 0n, issuer: by });
      } else if (known === undefined || !isAddressEqual(from, known.wallet) || !isAddressEqual(to, ZERO))
        throw new Error('a token changes hands');
      else {
        this.#checkGatekeeper(known, by);
        this.tokens.delete(id);
      }
      return;
    }
    if (known === undefined) throw new Error(`${eventName} of a token that does not exist`);
    if (eventName === 'SlotChanged') {
      const { oldSlot, newSlot } = args;
      if (known.slot === -1n) {
        if (id !== tokenIdOf(known.wallet, newSlot)) throw new Error('an id does not follow from slot and wallet');
        known.slot = newSlot;
      } else if (oldSlot !== known.slot || newSlot !== 0n) throw new Error('a token changes its network');
    }
    this.#checkGatekeeper(known, by);
    if (known.state === 2 && eventName !== 'Revoke' && eventName !== 'SlotChanged')
      throw new Error(`${eventName} of a revoked token`);
    if (eventName === 'Freeze') known.state = 1;
    if (eventName === 'Unfreeze') known.state = 0;
    if (eventName === 'Revoke') known.state = 2;
    if (eventName === 'Expiration') known.expiration = args.timestamp;
  }

  #checkGatekeeper({ slot }: Token, by: Address): void {
    if (!this.has(GATEKEEPER, slot, by)) throw new Error(`${by} changes a token without the right`);
  }
}

/** A wallet has one token of a network or none, as the events tell. No event tells of a token that no wallet has. */
export function checkTokens(answers: Answers, witness: Witness, fail: (why: string) => never): void {
  const owned = PAIRS.filter((pair) => {
    const has = witness.tokens.has(newIdOf(pair));
    const { data } =
      answers[PLAIN_READS.indexOf(encode(LIST, [pair.wallet, pair.slot, false]))] ?? fail('it is not read');
    if (data !== encodeAbiParameters([{ type: 'uint256[]' }], [has ? [newIdOf(pair)] : []]))
      fail(`${pair.wallet} has other tokens than the events tell: ${data}`);
    return has;
  });
  if (witness.tokens.size !== owned.length) fail('an event tells of a token that no wallet has');
}

/** The events reproduce owner, network, state, expiry and validity of each token. */
export function checkReads(answers: Answers, witness: Witness, time: number, fail: (why: string) => never): void {
  const count = readsOf(0n).length;
  for (const [index, pair] of PAIRS.entries()) {
    const [verify, token, , slot, , , issuer] = answers.slice(index * count, (index + 1) * count);
    const known = witness.tokens.get(newIdOf(pair));
    if (token?.success !== (known !== undefined)) fail('the events do not tell whether a token exists');
    if (known === undefined || !token || !slot || !verify || !issuer) continue;
    const [owner, state, , expiration] = decodeFunctionResult({
      abi: SLIM.abi,
      functionName: 'getToken',
      data: token.data,
    }) as [Address, number, string, bigint];
    const isVoid =
      ((witness.features.get(known.slot) ?? 0n) & 1n) === 1n && !witness.has(GATEKEEPER, known.slot, known.issuer);
    const isValid = known.state === 0 && !isVoid && (known.expiration === 0n || BigInt(time) <= known.expiration);
    const told = [known.wallet, known.state, known.expiration, known.slot, isValid, known.issuer].map(String).join();
    const found = [
      owner,
      state,
      expiration,
      BigInt(slot.data),
      BigInt(verify.data) === 1n,
      `0x${issuer.data.slice(-40)}`,
    ];
    if (found.map(String).join().toLowerCase() !== told.toLowerCase())
      fail(`the events tell ${told}, and the contract ${found.join()}`);
  }
}

/** The events reproduce the rights and the features of each network. */
export function checkRights(answers: Answers, witness: Witness, fail: (why: string) => never): void {
  const answerOf = (name: string, args: readonly unknown[]) =>
    BigInt(answers[PLAIN_READS.indexOf(encode(name, args))]?.data ?? fail(`${name} is not read`)) === 1n;
  for (const slot of SLOTS) {
    if (answerOf('networkHasFeature', [slot, 0]) !== (((witness.features.get(slot) ?? 0n) & 1n) === 1n))
      fail('the events do not tell the features of a network');
    for (const each of ACTORS) {
      if (answerOf('isGatekeeper', [each, slot]) !== witness.has(GATEKEEPER, slot, each))
        fail('the events do not tell the gatekeepers of a network');
      if (answerOf('isNetworkAuthority', [each, slot]) !== witness.has(AUTHORITY, slot, each))
        fail('the events do not tell the authorities of a network');
    }
  }
}
