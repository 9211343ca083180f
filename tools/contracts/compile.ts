/// <reference path="./solc.d.ts" />
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import solc from 'solc';
import type { Abi, Hex } from 'viem';

/** Compiles Solidity. The same sources give the same bytes: `package.json` pins the compiler, and the code has no hash of its metadata. */

/** No opcode after the Paris upgrade, which some networks lack. */
const SETTINGS = {
  evmVersion: 'paris',
  optimizer: { enabled: true, runs: 10_000 },
  metadata: { bytecodeHash: 'none' },
} as const;

/**
 * The optimizer's steps of the intermediate language that solc had by default before 0.8.34, without F, L and E. F copies each function for
 * every constant that it is called with, also where the size counts. L and E may use stale values in solc 0.8.37.
 */
const SMALL_STEPS =
  'dhfoDgvulfnTUtnIf[xa[r]scMcCTUtTOntnfDIulculVcul[j]Tpeulxa[rul]xa[r]cgvifCTUca[r]SsTOtfDnca[r]Iulc]jmul[jul]VcTOculjmul:fDnTOcmu';

/** The settings of contracts whose size counts more than the gas of a call. */
const SMALL_SETTINGS = {
  ...SETTINGS,
  viaIR: true,
  optimizer: { enabled: true, runs: 1, details: { yulDetails: { optimizerSteps: SMALL_STEPS } } },
} as const;

/** Our contracts that are not compiled with the settings of all others, by their files. */
const OWN_SETTINGS: Readonly<Record<string, object>> = { 'SlimGateway.sol': SMALL_SETTINGS };

/** Our own contracts, by the path under which dApps import them. Not every checkout has the link that npm makes for a workspace. */
const OWN = '@gatepass/contracts/';
export const CONTRACTS = join(import.meta.dirname, '../../packages/contracts');

export interface CompiledContract {
  readonly abi: Abi;
  /** Creation code; `0x` for an abstract contract. */
  readonly bytecode: Hex;
  readonly deployedBytecode: Hex;
}

export interface Compilation {
  readonly warnings: readonly string[];
  /** Returns a contract of a source. Throws if the source lacks it. */
  contract(source: string, name: string): CompiledContract;
}

interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, OutputContract>>>>;
}

interface OutputContract {
  readonly abi: Abi;
  readonly evm: {
    readonly bytecode: { readonly object: string };
    readonly deployedBytecode: { readonly object: string };
  };
}

/** The version of the compiler. */
export const COMPILER_VERSION = solc.version();

/** Returns the settings of the contracts in one of our files. A block explorer needs them to compile the source again. */
export const settingsOf = (source: string): object => OWN_SETTINGS[source] ?? SETTINGS;

/** Compiles one of our files, with its settings unless others are given. Throws the compiler's errors and warnings. */
export function compileOwn(source: string, settings = settingsOf(source)): (name: string) => CompiledContract {
  const text = `// SPDX-License-Identifier: MIT\npragma solidity ^0.8.13;\nimport "${OWN}${source}";`;
  const { warnings, contract } = compileSolidity({ 'all.sol': text }, { settings });
  if (warnings.length > 0) throw new Error(warnings.join('\n'));
  return (name) => contract(`${OWN}${source}`, name);
}

/**
 * Compiles the sources and the files that they import: our own contracts, and those of installed packages. Throws the compiler's
 * errors.
 * @param sources Texts by their names.
 * @param own The folder with our contracts.
 * @param settings The settings of the compiler.
 */
export function compileSolidity(
  sources: Readonly<Record<string, string>>,
  { own = CONTRACTS, settings = SETTINGS }: { readonly own?: string; readonly settings?: object } = {},
): Compilation {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(Object.entries(sources).map(([name, content]) => [name, { content }])),
    settings: {
      ...settings,
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  };
  const output: Output = JSON.parse(solc.compile(JSON.stringify(input), { import: (path) => readSource(path, own) }));
  const { errors = [], contracts = {} } = output;
  const failed = errors.filter(({ severity }) => severity === 'error').map((each) => each.formattedMessage);
  if (failed.length > 0) throw new Error(failed.join('\n'));
  return {
    warnings: errors.map(({ formattedMessage }) => formattedMessage),
    contract(source, name) {
      const found = contracts[source]?.[name];
      if (found === undefined) throw new Error(`${source} has no contract ${name}`);
      const { abi, evm } = found;
      return { abi, bytecode: `0x${evm.bytecode.object}`, deployedBytecode: `0x${evm.deployedBytecode.object}` };
    },
  };
}

function readSource(path: string, own: string): { contents: string } | { error: string } {
  try {
    const file = path.startsWith(OWN)
      ? join(own, path.slice(OWN.length))
      : createRequire(import.meta.url).resolve(path);
    return { contents: readFileSync(file, 'utf8') };
  } catch {
    return { error: `${path} does not exist` };
  }
}
