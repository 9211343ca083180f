import { COMPILER, compileSolidity } from './compile.ts';

/** Our contracts, each with its source in `packages/contracts/`. */
const PUBLISHED = {
  PassGate: 'PassGate.sol',
  OwnedPassGate: 'PassGate.sol',
  UniswapAllowlistChecker: 'UniswapAllowlistChecker.sol',
} as const;

/** Returns the files of `packages/contracts/artifacts/` by their names. Throws the compiler's errors and warnings. */
export function artifacts(): ReadonlyMap<string, string> {
  const imports = Object.values(PUBLISHED).map((source) => `import "@gatepass/contracts/${source}";`);
  const text = ['// SPDX-License-Identifier: MIT', 'pragma solidity ^0.8.13;', ...new Set(imports)].join('\n');
  const compiled = compileSolidity({ 'all.sol': text });
  if (compiled.warnings.length > 0) throw new Error(compiled.warnings.join('\n'));
  return new Map(
    Object.entries(PUBLISHED).map(([contractName, sourceName]) => {
      const { abi, bytecode, deployedBytecode } = compiled.contract(`@gatepass/contracts/${sourceName}`, contractName);
      const artifact = { contractName, sourceName, abi, bytecode, deployedBytecode, compiler: COMPILER };
      return [`${contractName}.json`, `${JSON.stringify(artifact, undefined, 2)}\n`];
    }),
  );
}
