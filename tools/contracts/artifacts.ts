import { COMPILER_VERSION, compileOwn, settingsOf } from './compile.ts';

/** Our contracts, each with its source in `packages/contracts/`. */
const PUBLISHED = {
  PassGate: 'PassGate.sol',
  OwnedPassGate: 'PassGate.sol',
  PassIdentityRegistry: 'PassIdentityRegistry.sol',
  PassToken: 'PassToken.sol',
  PassVerdicts: 'PassVerdicts.sol',
  SlimGateway: 'SlimGateway.sol',
  UniswapAllowlistChecker: 'UniswapAllowlistChecker.sol',
} as const;

/** Returns the files of `packages/contracts/artifacts/` by their names. Throws the compiler's errors and warnings. */
export function artifacts(): ReadonlyMap<string, string> {
  const compiled = new Map([...new Set(Object.values(PUBLISHED))].map((source) => [source, compileOwn(source)]));
  return new Map(
    Object.entries(PUBLISHED).map(([contractName, sourceName]) => {
      const { abi, bytecode, deployedBytecode } = (compiled.get(sourceName) as ReturnType<typeof compileOwn>)(
        contractName,
      );
      const compiler = { version: COMPILER_VERSION, settings: settingsOf(sourceName) };
      const artifact = { contractName, sourceName, abi, bytecode, deployedBytecode, compiler };
      return [`${contractName}.json`, `${JSON.stringify(artifact, undefined, 2)}\n`];
    }),
  );
}
