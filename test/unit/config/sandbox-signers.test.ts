import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import {
  acceptsNewPasses,
  chooseSigner,
  findSigner,
  findSimulation,
  hasKeyOf,
  isEnabledFor,
  signerNameOf,
  signerNamesFor,
  signersOn,
} from '../../../src/config/signers.ts';
import { formatSignerName, parseSignerName, type SignerName } from '../../../src/network/network.ts';
import { NETWORKS } from '../../../src/network/networks.ts';
import { isSandbox, newSandbox } from '../../../src/network/sandbox.ts';
import { isGatekeeperNetwork } from '../../../src/network/slot.ts';
import { aConfig, KEY, refusal, SOLANA_GATEKEEPER, SOLANA_PAIR } from './environments.ts';

/** The signers of sandboxes and those with keys have no name in common. */

/** Numbers from 0 to 1, the same ones in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const random = randomFrom(44);
const bytes = (length: number) => Uint8Array.from({ length }, () => Math.floor(random() * 256));
const some = <T>(items: readonly T[]) => items.filter(() => random() < 0.5);

/** A configuration with some keys and some endpoints. */
function aRandomConfig() {
  const hex = (length: number) => [...bytes(length)].map((each) => each.toString(16).padStart(2, '0')).join('');
  const networks = some(NETWORKS);
  return aConfig({
    ETHEREUM_GATEKEEPER_KEY: random() < 0.8 ? some([KEY, `0x${hex(32)}`]).join(' ') || KEY : undefined,
    SOLANA_GATEKEEPER_KEY: random() < 0.8 ? JSON.stringify({ devnet: JSON.stringify([...SOLANA_PAIR]) }) : undefined,
    RPC_ENDPOINTS: JSON.stringify(Object.fromEntries(networks.map(({ network }) => [network, ['https://n.example']]))),
    MAINNETS: networks
      .filter(({ testnet }) => !testnet)
      .map(({ network }) => network)
      .join(' '),
    RETIRED_GATEKEEPERS: random() < 0.5 ? SOLANA_GATEKEEPER : undefined,
    // The key of a sandbox has the form of an address on Solana.
    COMPROMISED_GATEKEEPERS: random() < 0.5 ? newSandbox(bytes(32)) : undefined,
  });
}

describe('the signers of a sandbox', () => {
  it('have no key and no endpoint, and no signer with a key has a simulation, in 40 configurations', () => {
    for (let round = 0; round < 40; round += 1) {
      const config = aRandomConfig();
      const { ethereum, solana } = config.gatekeepers;
      const listed = [...ethereum, ...solana].map(({ address }) => address);
      const sandboxes = [newSandbox(bytes(32)), ...listed.filter(isSandbox)];
      const real = base58.encode(bytes(32));
      for (const network of config.networks) {
        const { chain, network: name } = network;
        const others = config.networks.filter((each) => each !== network);
        const keyed = signerNamesFor(real, config, network).filter((each) => !isSandbox(parseSignerName(each).address));
        for (const signer of keyed) {
          expect(findSimulation(config, signer)).toBeUndefined();
          for (const sandbox of sandboxes) expect(signerNamesFor(sandbox, config, network)).not.toContain(signer);
        }
        const chosen = chooseSigner(config, network, `${real}/${chain}/${name}/wallet`);
        if (chosen !== undefined) expect(isSandbox(parseSignerName(chosen).address)).toBe(false);
        for (const sandbox of sandboxes) {
          const [signer = '' as SignerName, ...more] = signerNamesFor(sandbox, config, network);
          expect(more).toEqual([]);
          expect(signer).toBe(formatSignerName(chain, name, sandbox));
          expect(findSigner(config, signer)).toBeUndefined();
          expect(findSimulation(config, signer)).toMatchObject({ chain, network: name });
          expect([hasKeyOf(config, signer), acceptsNewPasses(config, signer)]).toEqual([true, true]);
          expect(isEnabledFor(sandbox, config, network)).toEqual({ canIssue: true, canRead: true });
          for (const other of others) expect(signerNamesFor(sandbox, config, other)).not.toContain(signer);
        }
        const ofKeys = signersOn(config, network)
          .map(signerNameOf)
          .filter((each) => keyed.includes(each));
        for (const each of ofKeys) expect(findSigner(config, each)).toBeDefined();
      }
    }
  });

  it('follow the key alone: a key is a sandbox if it begins with the mark, and no random key does', () => {
    for (let round = 0; round < 10_000; round += 1) expect(isSandbox(base58.encode(bytes(32)))).toBe(false);
    for (let round = 0; round < 1_000; round += 1) {
      const key = newSandbox(bytes(32));
      expect([isSandbox(key), isGatekeeperNetwork(key), base58.decode(key).length]).toEqual([true, true, 32]);
    }
    expect(['Sandbox', 'sandbo', ' sandbox', 'xsandbox', ''].map(isSandbox)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it('cannot be the signer of a gatekeeper, because the configuration refuses such an address', () => {
    const address = newSandbox(bytes(32));
    const reference = `gcp-kms:projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1#${address}`;
    const { message } = refusal({ SOLANA_GATEKEEPER_KEY: reference });
    expect(message).toMatch(/SOLANA_GATEKEEPER_KEY must not have an address of a sandbox/);
  });
});
