import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Abi } from 'viem';
import { toFunctionSelector } from 'viem/utils';
import { describe, expect, it } from 'vitest';
import { VERDICT_TYPES } from '../../../src/http/routes/sign-verdict.ts';
import { artifacts } from '../../../tools/contracts/artifacts.ts';
import { COMPILER_VERSION, CONTRACTS } from '../../../tools/contracts/compile.ts';
import { manifest, textOf } from '../package-files.ts';

/** The artifacts of the contracts. `test/system/packages/contracts/` runs them on a chain. */

const OF_GATE_OWNER = ['acceptOwnership', 'renounceOwnership', 'setGate', 'transferOwnership'];
const files = artifacts();
const readArtifact = (name: string) => JSON.parse(files.get(`${name}.json`) ?? '');

describe('packages/contracts/artifacts', () => {
  it('has exactly what the pinned compiler makes of the sources, without a warning', () => {
    expect(readdirSync(join(CONTRACTS, 'artifacts')).toSorted()).toEqual([...files.keys()].toSorted());
    for (const [name, text] of files)
      expect(textOf(`packages/contracts/artifacts/${name}`) === text, `${name}: run \`npm run contracts\``).toBe(true);
    expect(COMPILER_VERSION.startsWith(`${manifest().devDependencies.solc}+commit.`)).toBe(true);
  });

  it('has code that depends on no file name and no comment: the code ends with the version of the compiler, without a hash', () => {
    const { deployedBytecode } = readArtifact('UniswapAllowlistChecker');
    // CBOR: a map with the one entry "solc", three bytes of the version, and the length of all that.
    expect(deployedBytecode).toMatch(/a164736f6c6343000825000a$/);
  });

  it('has the verdict that the service signs', () => {
    const fields = VERDICT_TYPES.PassVerdict.map(({ name, type }) => `${type} ${name}`);
    expect(textOf('packages/contracts/PassVerdicts.sol')).toContain(`"PassVerdict(${fields.join(',')})"`);
  });

  it('has no creation code for the abstract contracts, because nobody can deploy them', () => {
    expect(readArtifact('PassGate').bytecode).toBe('0x');
    expect(readArtifact('OwnedPassGate').bytecode).toBe('0x');
    // The limit of EIP-170.
    expect((readArtifact('UniswapAllowlistChecker').deployedBytecode.length - 2) / 2).toBeLessThan(24_576);
  });

  it.each<[string, string[]]>([
    ['UniswapAllowlistChecker', OF_GATE_OWNER],
    ['PassIdentityRegistry', OF_GATE_OWNER],
    ['PassVerdicts', ['acceptOwnership', 'addKey', 'removeKey', 'transferOwnership']],
  ])('has functions of %s that change nothing, except those of the owner', (name, ofOwner) => {
    const changing = (readArtifact(name).abi as Abi).filter(
      (each) => each.type === 'function' && !/^(?:view|pure)$/.test(each.stateMutability),
    );
    expect(changing.map((each) => 'name' in each && each.name)).toEqual(ofOwner);
  });

  it.each(['PassTransfers', 'PassToken', 'PassIdentityRegistry', 'PassVerdicts', 'UniswapAllowlistChecker'])(
    'has at most 60 lines in %s',
    (name) => {
      expect(textOf(`packages/contracts/${name}.sol`).trimEnd().split('\n').length).toBeLessThanOrEqual(60);
    },
  );

  it('has a NatSpec comment at each public function, event and error of the sources', () => {
    const sources = readdirSync(CONTRACTS).filter((name) => name.endsWith('.sol'));
    expect(sources.length).toBeGreaterThan(5);
    for (const source of sources) {
      const lines = textOf(`packages/contracts/${source}`).split('\n');
      // A function that overrides another one inherits its comment.
      const declared = lines.flatMap((line, index) =>
        /^\s+(?:function|event|error|constructor|modifier) ?\w*/.test(line) &&
        !/function _|onlyOwner\(\)| override /.test(line)
          ? [{ line: line.trim(), above: (lines[index - 1] ?? '').trim() }]
          : [],
      );
      expect(declared.length).toBeGreaterThan(0);
      expect(declared.filter(({ above }) => !above.startsWith('///'))).toEqual([]);
    }
  });
});

it('the gas in the documents is that of the snapshot', () => {
  const gas: Readonly<Record<string, number>> = JSON.parse(textOf('packages/contracts/gas-snapshot.json'));
  const of = (name: string) => gas[name] ?? Number.NaN;
  const thousands = (value: number) => `${Math.round(value / 1000)},000`;
  /** The cost of a transaction itself, without its data. */
  const base = 21_000;
  const pools = textOf('docs/partners/permissioned-pools.md');
  const [active, none] = [of('checkAllowlist, active'), of('checkAllowlist, no token')];
  expect(pools).toContain(`The answer costs ${thousands(active)} gas as a transaction of its own`);
  expect(pools).toContain(
    `and ${thousands(active - base)} inside a swap, and ${thousands(none - base - 500)} for a wallet`,
  );
  const guide = textOf('docs/partners/require-a-pass.md');
  for (const [way, cost, name] of [
    ['[`PassTransfers`](#passtransfers)', 'transfer', 'token: canTransfer, active'],
    ['[Identity registry](#identity-registry)', 'transfer', 'isVerified, active'],
    ['[`PassVerdicts`](#passverdicts)', 'call', 'verdict: isValid'],
  ] as const)
    expect(guide).toContain(`| ${way} | ${thousands(of(name) - base)} gas in each ${cost} |`);
  const saved = of('enter a PassGate') - of('enter with the library Passes');
  expect(textOf('packages/contracts/README.md')).toContain(
    `saves ${(Math.round(saved / 100) / 10).toFixed(1).replace('.', ',')}00 gas`,
  );
  const deployment = Math.round(of('deploy UniswapAllowlistChecker') / 10_000);
  expect(textOf('docs/operators/cost.md')).toContain(`| create a checker | ${deployment}0,000 |`);
});

it.each([
  ['permissioned-pools', 4],
  ['token-standards', 8],
])('the selectors in docs/partners/%s.md are those of the functions', (page, count) => {
  const named = [...textOf(`docs/partners/${page}.md`).matchAll(/`(\w+\([\w,]*\))`(?:[^|\n]*\| | \()`(0x\w{8})`/g)];
  expect(named.length).toBeGreaterThanOrEqual(count);
  for (const [, signature = '', selector] of named)
    expect([signature, toFunctionSelector(signature)]).toEqual([signature, selector]);
});

it('the ids of ERC-7943 follow from its functions, and the token has those for ERC-20', () => {
  const idOf = (signatures: readonly string[]) => {
    const id = signatures.reduce((all, each) => all ^ BigInt(toFunctionSelector(each)), 0n);
    return `0x${id.toString(16).padStart(8, '0')}`;
  };
  const page = textOf('docs/partners/token-standards.md');
  const accounts = ['canSend(address)', 'canReceive(address)'];
  const fungible = [
    ...accounts,
    'forcedTransfer(address,address,uint256)',
    'setFrozenTokens(address,uint256)',
    'getFrozenTokens(address)',
    'canTransfer(address,address,uint256)',
  ];
  const interfaces = {
    fungible,
    'non-fungible': [
      ...accounts,
      'forcedTransfer(address,address,uint256)',
      'setFrozenTokens(address,uint256,bool)',
      'getFrozenTokens(address,uint256)',
      'canTransfer(address,address,uint256)',
    ],
    several: [
      ...accounts,
      'forcedTransfer(address,address,uint256,uint256)',
      'setFrozenTokens(address,uint256,uint256)',
      'getFrozenTokens(address,uint256)',
      'canTransfer(address,address,uint256,uint256)',
    ],
  };
  for (const [name, signatures] of Object.entries(interfaces))
    expect(page).toMatch(new RegExp(`\\| ${name} tokens [^|]*\\| \`${idOf(signatures)}\` \\|`));
  const functions = (readArtifact('PassToken').abi as Abi).filter((each) => each.type === 'function');
  const selectors = functions.map((each) => toFunctionSelector(each));
  for (const signature of fungible) {
    expect(selectors).toContain(toFunctionSelector(signature));
    expect(page).toContain(`| \`${signature}\` |`);
  }
});
