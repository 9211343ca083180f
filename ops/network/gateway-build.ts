import { createRequire } from 'node:module';
import { type Address, type Hex, parseAbi } from 'viem';
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  keccak256,
  size,
  slice,
} from 'viem/utils';
import { Failure } from '../../terminal/failure.ts';

/**
 * The public build of GatewayToken, and the addresses that its deployments have. The bytecode is read from the development
 * packages, so nothing of it is copied into this repository.
 */

/** The contracts that `deploy` creates: the public build behind a proxy, and SlimGateway (`slim-build.ts`). */
export const BUILDS = ['protocol', 'slim'] as const;
export type BuildName = (typeof BUILDS)[number];

/** The deterministic deployer: its call data is a salt and init code, and it creates the same address on every chain. */
export const DETERMINISTIC_DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

/** Nobody has the key of this address. The contract refuses the zero address as its super admin. */
export const NOBODY = '0x000000000000000000000000000000000000dEaD';

/** The name and the symbol of the public deployments. They change the address. */
const NAME = 'Gateway Protocol';
const SYMBOL = 'PASS';
const SALT: Hex = `0x${'00'.repeat(32)}`;

/** A contract of the build: where its artifact is, and the hash of its creation code. */
interface Source {
  readonly artifact: string;
  readonly bytecodeHash: Hex;
  /** Package and license, for a reader. */
  readonly origin: string;
}

const GATEWAY_TOKEN: Source = {
  artifact: '@identity.com/gateway-eth-ts/dist/contracts/abi/GatewayToken.sol/GatewayToken.json',
  bytecodeHash: '0x917a88b7b089efb8b4c75481e39f5b1e95ca13f44de12bc39d3f398908d80faf',
  origin: 'GatewayToken of @identity.com/gateway-eth-ts 0.8.0 (MIT)',
};
const PROXY: Source = {
  artifact: '@openzeppelin/contracts/build/contracts/ERC1967Proxy.json',
  bytecodeHash: '0x39291e35a7bcca44e4508739d1bdeb03a444796655e9fcff71157a596c5b9956',
  origin: 'ERC1967Proxy of @openzeppelin/contracts 4.9.6 (MIT)',
};

export const BUILD_ORIGINS: readonly string[] = [GATEWAY_TOKEN.origin, PROXY.origin];

interface Artifact {
  /** Creation code. */
  readonly bytecode: Hex;
}

export interface GatewayBuild {
  readonly implementation: Artifact;
  readonly proxy: Artifact;
}

/** Returns the build from the installed packages. Throws Failure if one is missing or has other code. */
export function readGatewayBuild(): GatewayBuild {
  return { implementation: readArtifact(GATEWAY_TOKEN), proxy: readArtifact(PROXY) };
}

function readArtifact({ artifact, bytecodeHash, origin }: Source): Artifact {
  const { bytecode } = loadArtifact(artifact, origin);
  demandHash(bytecode, bytecodeHash, origin);
  return { bytecode };
}

function loadArtifact(artifact: string, origin: string): Artifact {
  try {
    return createRequire(import.meta.url)(artifact);
  } catch {
    throw new Failure(`${origin} is not installed: run \`npm ci\``);
  }
}

/** Throws Failure if the code has another hash. */
export function demandHash(bytecode: Hex, expected: Hex, origin: string): void {
  const hash = keccak256(bytecode);
  if (hash !== expected)
    throw new Failure(`${origin} is installed with other code (keccak256 ${hash}, not ${expected}): run \`npm ci\``);
}

/** A contract that a factory creates, and the data of the call that makes the factory create it. */
export interface Creation {
  readonly address: Address;
  readonly data: Hex;
}

/** Returns the address that the factory gives to a contract with that init code, and the call. */
export const creationOf = (initCode: Hex, factory: Address): Creation => ({
  address: getContractAddress({ opcode: 'CREATE2', from: factory, salt: SALT, bytecode: initCode }),
  data: concat([SALT, initCode]),
});

/** Returns the init code in the data of a creation. */
export const initCodeOf = ({ data }: Creation): Hex => slice(data, size(SALT));

export interface GatewayDeployment {
  readonly implementation: Creation;
  /** The contract itself: a proxy that is initialized while it is created. */
  readonly contract: Creation;
}

/**
 * Returns the addresses of a deployment, and the calls that create it.
 * @param admin The super admin; undefined: nobody.
 * @param factory Takes a salt and init code, as the deterministic deployer does.
 */
export function gatewayDeploymentOf(
  build: GatewayBuild,
  { admin = NOBODY, factory = DETERMINISTIC_DEPLOYER }: { readonly admin?: Address; readonly factory?: Address } = {},
): GatewayDeployment {
  const implementation = creationOf(build.implementation.bytecode, factory);
  const initialize = encodeFunctionData({ abi: INITIALIZE, args: [NAME, SYMBOL, admin, NOBODY, []] });
  const proxyArguments = encodeAbiParameters(
    [{ type: 'address' }, { type: 'bytes' }],
    [implementation.address, initialize],
  );
  return { implementation, contract: creationOf(concat([build.proxy.bytecode, proxyArguments]), factory) };
}

const INITIALIZE = parseAbi([
  'function initialize(string name, string symbol, address superAdmin, address flagsStorage, address[] forwarders)',
]);
