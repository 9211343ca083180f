import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { SignerName } from '../../src/network/network.ts';
import { type PassKey, passName } from '../../src/pass/pass.ts';
import { loadPass, savePass } from '../../src/pass-object/stored-pass.ts';
import { defaultContract } from '../default-contract.ts';
import { configureObject } from './configure-object.ts';

const { PASSES } = env as Env;

/** A signer outside every configuration, so that nothing is sent for its passes. */
export const NOBODY = 'ethereum/sepolia/0x0000000000000000000000000000000000000001' as SignerName;

/** Issues a pass and gives it that signer, like a pass of an earlier configuration. */
export async function issueWithSigner(
  key: PassKey,
  signer: string = NOBODY,
  changes: Readonly<Record<string, string>> = {},
) {
  const object = PASSES.getByName(passName(key));
  // The object issues only on enabled networks, and an earlier configuration may have enabled others.
  const endpoints = JSON.parse((env as { RPC_ENDPOINTS?: string }).RPC_ENDPOINTS ?? '{}');
  const { [key.network]: own = ['https://rpc.example'] } = endpoints;
  // Only this network, because a Solana key without a network name serves one network.
  const RPC_ENDPOINTS = JSON.stringify({ [key.network]: own });
  await configureObject(object, { RPC_ENDPOINTS, MAINNETS: 'mainnet mainnet-beta', ...changes });
  const result = await object.issue({ key, contract: defaultContract(key), client: 'acme', waits: false });
  await runInDurableObject(object, (_, { storage }) => {
    const stored = loadPass(storage);
    if (stored) savePass(storage, { ...stored, pass: { ...stored.pass, signer: signer as SignerName } }, stored.pass);
  });
  await configureObject(object, {});
  return result;
}
