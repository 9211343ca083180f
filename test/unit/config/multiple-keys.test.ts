import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import {
  acceptsNewPasses,
  chooseSigner,
  findSigner,
  hasKeyOf,
  isCompromised,
  signerNameOf,
  signerNamesOf,
  signersOn,
} from '../../../src/config/signers.ts';
import type { Network, SignerName } from '../../../src/network/network.ts';
import { GATEKEEPER_KEYS, GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { SOLANA_GATEKEEPER_KEYS, SOLANA_GATEKEEPERS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { aConfig, anEnvironment, refusalOf } from './environments.ts';

/** Several gatekeeper keys of a chain: the formats of the variables, and the choice of a key for a new pass. */

const arrayFormOf = (key: string, indent?: number) => JSON.stringify([...base58.decode(key)], undefined, indent);
const [FIRST, SECOND, THIRD] = GATEKEEPER_KEYS;
const [PAIR, OTHER_PAIR] = SOLANA_GATEKEEPER_KEYS;
const KEYS = {
  ETHEREUM_GATEKEEPER_KEY: GATEKEEPER_KEYS.join(' '),
  SOLANA_GATEKEEPER_KEY: SOLANA_GATEKEEPER_KEYS.join(' '),
};
const addresses = (keys: readonly { readonly address: string }[]) => keys.map(({ address }) => address);

describe('ETHEREUM_GATEKEEPER_KEY and SOLANA_GATEKEEPER_KEY', () => {
  it.each`
    form                     | keys
    ${'with spaces'}         | ${GATEKEEPER_KEYS.join(' ')}
    ${'on separate lines'}   | ${`${GATEKEEPER_KEYS.join('\n')}\n`}
    ${'with line breaks'}    | ${GATEKEEPER_KEYS.join('\r\n')}
    ${'with and without 0x'} | ${`\t${FIRST.slice(2)}  ${GATEKEEPER_KEYS.slice(1).join(' ')} `}
  `('accepts several Ethereum keys $form, in their order', ({ keys }) => {
    const { ethereum } = aConfig({ ETHEREUM_GATEKEEPER_KEY: keys }).gatekeepers;
    expect(addresses(ethereum)).toEqual(GATEKEEPERS);
    expect(ethereum.map(({ key }) => key())).toEqual(GATEKEEPER_KEYS);
  });

  it.each`
    form                             | keys
    ${'in base58'}                   | ${SOLANA_GATEKEEPER_KEYS.join(' ')}
    ${'as arrays'}                   | ${SOLANA_GATEKEEPER_KEYS.map((key) => arrayFormOf(key)).join('\n')}
    ${'as arrays with inner spaces'} | ${SOLANA_GATEKEEPER_KEYS.map((key) => arrayFormOf(key, 1)).join(' ')}
    ${'in both formats'}             | ${SOLANA_GATEKEEPER_KEYS.map((key, index) => (index % 2 ? key : arrayFormOf(key, 2))).join('\n')}
  `('accepts several Solana key pairs $form, in their order', ({ keys }) => {
    const { solana } = aConfig({ SOLANA_GATEKEEPER_KEY: keys }).gatekeepers;
    expect(addresses(solana)).toEqual(SOLANA_GATEKEEPERS);
    expect(solana.map(({ key }) => base58.encode(key()))).toEqual(SOLANA_GATEKEEPER_KEYS);
  });

  it('accepts 16 keys on a chain and refuses 17', () => {
    const keys = Array.from({ length: 17 }, (_, index) => (0xabc0 + index).toString(16).padStart(64, '0'));
    const variable = 'ETHEREUM_GATEKEEPER_KEY';
    expect(aConfig({ [variable]: keys.slice(1).join(' ') }).gatekeepers.ethereum).toHaveLength(16);
    const { message } = refusalOf(anEnvironment({ [variable]: keys.join(' ') }));
    expect(message).toBe('ETHEREUM_GATEKEEPER_KEY must be at most 16 keys');
  });

  it.each`
    why                               | variable                     | keys                                                    | complaint
    ${'one is cut off'}               | ${'ETHEREUM_GATEKEEPER_KEY'} | ${`${FIRST} ${SECOND.slice(0, -1)}`}                    | ${'(key 2 of 2) must be a private key: 32 bytes in hex'}
    ${'two run together'}             | ${'ETHEREUM_GATEKEEPER_KEY'} | ${`${FIRST}${SECOND}`}                                  | ${'must be a private key: 32 bytes in hex'}
    ${'a comma separates them'}       | ${'ETHEREUM_GATEKEEPER_KEY'} | ${`${FIRST}, ${SECOND}`}                                | ${'(key 1 of 2) must be a private key: 32 bytes in hex'}
    ${'one appears twice'}            | ${'ETHEREUM_GATEKEEPER_KEY'} | ${`${FIRST} ${SECOND} ${FIRST.slice(2)} ${THIRD}`}      | ${'(key 3 of 4) must not occur twice'}
    ${'one belongs to another chain'} | ${'SOLANA_GATEKEEPER_KEY'}   | ${`${PAIR} ${FIRST}`}                                   | ${'(key 2 of 2) must be a key pair: 64 bytes, '}
    ${'arrays run together'}          | ${'SOLANA_GATEKEEPER_KEY'}   | ${`${arrayFormOf(PAIR)}${arrayFormOf(OTHER_PAIR)}`}     | ${'must be a key pair: 64 bytes, '}
    ${'they are a list of arrays'}    | ${'SOLANA_GATEKEEPER_KEY'}   | ${`[${arrayFormOf(PAIR)}, ${arrayFormOf(OTHER_PAIR)}]`} | ${'(key 1 of 2) must be a key pair: 64 bytes, '}
    ${'an array is not closed'}       | ${'SOLANA_GATEKEEPER_KEY'}   | ${`${arrayFormOf(PAIR).slice(0, -1)} ${OTHER_PAIR}`}    | ${'(key 1 of 2) must be a key pair: 64 bytes, '}
    ${'one appears in two formats'}   | ${'SOLANA_GATEKEEPER_KEY'}   | ${`${PAIR} ${arrayFormOf(PAIR)}`}                       | ${'(key 2 of 2) must not occur twice'}
  `('refuses several keys without showing them when $why', ({ variable, keys, complaint }) => {
    const { message, stack, ...error } = refusalOf(anEnvironment({ [variable]: keys }));
    expect(error.variable).toBe(variable);
    expect(message.startsWith(`${variable} ${complaint}`)).toBe(true);
    for (const part of [FIRST, SECOND, PAIR, OTHER_PAIR, arrayFormOf(PAIR), arrayFormOf(OTHER_PAIR)]) {
      expect(`${message}${stack}`).not.toContain(part.slice(2, 14));
    }
  });
});

describe('SOLANA_GATEKEEPER_KEY with keys by network', () => {
  const [, , THIRD_PAIR] = SOLANA_GATEKEEPER_KEYS;
  const BOTH = { RPC_ENDPOINTS: '{"devnet": ["https://a.example"], "mainnet-beta": ["https://b.example"]}' };
  const ONE = { RPC_ENDPOINTS: '{"devnet": ["https://a.example"], "mainnet-beta": []}' };
  const environmentWith = (keys: unknown, others: object = BOTH) => ({
    MAINNETS: 'mainnet-beta',
    ...others,
    SOLANA_GATEKEEPER_KEY: typeof keys === 'string' ? keys : JSON.stringify(keys),
  });
  const configWith = (keys: unknown, others?: object) => aConfig(environmentWith(keys, others));
  const names = (config: Config, network: string) => {
    const row = config.networks.find((each) => each.network === network) as Network;
    expect(signersOn(config, row).map(signerNameOf)).toEqual(signerNamesOf(config, row));
    return signerNamesOf(config, row).map((name) => name.split('/')[2]);
  };
  const [ON_DEVNET, ALSO_ON_DEVNET, ON_MAINNET] = SOLANA_GATEKEEPERS;
  const KEYED = { devnet: `${PAIR} ${OTHER_PAIR}`, 'mainnet-beta': THIRD_PAIR };

  it.each`
    form                         | keys
    ${'in base58'}               | ${KEYED}
    ${'as arrays in strings'}    | ${{ devnet: `${arrayFormOf(PAIR)}\n${arrayFormOf(OTHER_PAIR, 1)}`, 'mainnet-beta': arrayFormOf(THIRD_PAIR) }}
    ${'as an array'}             | ${{ devnet: `${PAIR} ${OTHER_PAIR}`, 'mainnet-beta': [...base58.decode(THIRD_PAIR)] }}
    ${'on several lines'}        | ${`\n${JSON.stringify(KEYED, undefined, 2)}\n`}
    ${'with mainnet-beta first'} | ${{ 'mainnet-beta': THIRD_PAIR, devnet: `${PAIR} ${OTHER_PAIR}` }}
  `('gives each network its own keys $form', ({ keys }) => {
    const config = configWith(keys);
    expect(names(config, 'devnet')).toEqual([ON_DEVNET, ALSO_ON_DEVNET]);
    expect(names(config, 'mainnet-beta')).toEqual([ON_MAINNET]);
  });

  it('has no signer for a key on another network, and chooses no signer there', () => {
    const config = configWith({ devnet: PAIR });
    const row = config.networks.find(({ network }) => network === 'mainnet-beta') as Network;
    const elsewhere = `solana/mainnet-beta/${ON_DEVNET}` as SignerName;
    expect(findSigner(config, elsewhere)).toBeUndefined();
    expect([hasKeyOf(config, elsewhere), acceptsNewPasses(config, elsewhere)]).toEqual([false, false]);
    expect(chooseSigner(config, row, 'pass')).toBeUndefined();
    expect(hasKeyOf(config, `solana/devnet/${ON_DEVNET}` as SignerName)).toBe(true);
  });

  it('accepts keys without a network if only one network has endpoints, and always accepts keys by network', () => {
    expect(names(configWith(`${PAIR} ${OTHER_PAIR}`, ONE), 'devnet')).toEqual([ON_DEVNET, ALSO_ON_DEVNET]);
    expect(names(configWith(KEYED, ONE), 'devnet')).toEqual([ON_DEVNET, ALSO_ON_DEVNET]);
    expect(configWith({}).gatekeepers.solana).toEqual([]);
  });

  it.each`
    why                                                     | keys                                                                            | complaint
    ${'keys have no network, and both networks are in use'} | ${PAIR}                                                                         | ${'must be keys by network, like {"devnet": "KEY KEY", "mainnet-beta": "KEY"}: mainnet-beta and devnet have RPC endpoints'}
    ${'both networks have the same key'}                    | ${{ devnet: PAIR, 'mainnet-beta': PAIR }}                                       | ${'(devnet) must not contain a key of mainnet-beta'}
    ${'both networks share one of several keys'}            | ${{ 'mainnet-beta': `${THIRD_PAIR} ${PAIR}`, devnet: `${OTHER_PAIR} ${PAIR}` }} | ${'(devnet) must not contain a key of mainnet-beta'}
    ${'both networks have one key in two formats'}          | ${{ devnet: PAIR, 'mainnet-beta': arrayFormOf(PAIR) }}                          | ${'(devnet) must not contain a key of mainnet-beta'}
    ${'a key appears twice'}                                | ${{ devnet: `${PAIR} ${PAIR}` }}                                                | ${'(devnet, key 2 of 2) must not occur twice'}
    ${'a key is cut off'}                                   | ${{ devnet: `${PAIR} ${OTHER_PAIR.slice(9)}` }}                                 | ${'(devnet, key 2 of 2) must be a key pair: '}
    ${'a network has no key'}                               | ${{ devnet: '' }}                                                               | ${'(devnet) must be a key pair: '}
    ${'keys are not text'}                                  | ${{ devnet: { [PAIR]: PAIR } }}                                                 | ${'(devnet) must be keys, separated by spaces'}
    ${'they are a list of arrays'}                          | ${{ devnet: [[...base58.decode(PAIR)]] }}                                       | ${'(devnet) must be a key pair: '}
    ${'the network is unknown'}                             | ${{ testnet: PAIR }}                                                            | ${'must be keys by network, like '}
    ${'a key and a network are swapped'}                    | ${{ [PAIR]: 'devnet' }}                                                         | ${'must be keys by network, like '}
    ${'the network belongs to another chain'}               | ${{ sepolia: PAIR }}                                                            | ${'(sepolia) must be keys by network, like '}
    ${'the value is not JSON'}                              | ${`{devnet: ${PAIR}}`}                                                          | ${'must be keys, or keys by network, like '}
  `('refuses the keys without showing them when $why', ({ keys, complaint }) => {
    const { message, stack, variable } = refusalOf(anEnvironment(environmentWith(keys)));
    expect(variable).toBe('SOLANA_GATEKEEPER_KEY');
    expect(message).toContain(`SOLANA_GATEKEEPER_KEY ${complaint}`);
    for (const pair of [PAIR, OTHER_PAIR, THIRD_PAIR]) expect(`${message}${stack}`).not.toContain(pair.slice(12, 24));
  });

  it.each(['RETIRED_GATEKEEPERS', 'COMPROMISED_GATEKEEPERS'])(
    'refuses one key on both networks even if %s names it',
    (list) => {
      const environment = environmentWith({ devnet: PAIR, 'mainnet-beta': PAIR }, { ...BOTH, [list]: ON_DEVNET });
      expect(refusalOf(anEnvironment(environment)).variable).toBe('SOLANA_GATEKEEPER_KEY');
    },
  );

  it('keeps a signer of a compromised key on each network, whether a network has the key or none does', () => {
    const COMPROMISED_GATEKEEPERS = `${ON_DEVNET} ${SOLANA_GATEKEEPERS[3]}`;
    const config = configWith(KEYED, { ...BOTH, COMPROMISED_GATEKEEPERS });
    expect(names(config, 'devnet')).toEqual([ON_DEVNET, ALSO_ON_DEVNET, SOLANA_GATEKEEPERS[3]]);
    expect(names(config, 'mainnet-beta')).toEqual([ON_MAINNET, ON_DEVNET, SOLANA_GATEKEEPERS[3]]);
    for (const network of ['devnet', 'mainnet-beta']) {
      expect(isCompromised(config, `solana/${network}/${ON_DEVNET}` as SignerName)).toBe(true);
    }
  });

  it('needs no keys by network if only compromised addresses are configured', () => {
    const config = aConfig({ MAINNETS: 'mainnet-beta', ...BOTH, COMPROMISED_GATEKEEPERS: ON_DEVNET });
    expect(names(config, 'mainnet-beta')).toEqual([ON_DEVNET]);
  });

  it('gives a retired key no new passes on its network', () => {
    const config = configWith(KEYED, { ...BOTH, RETIRED_GATEKEEPERS: `${ON_DEVNET} ${ON_MAINNET}` });
    const chosen = (network: string) => {
      const row = config.networks.find((each) => each.network === network) as Network;
      return new Set(Array.from({ length: 50 }, (_, index) => chooseSigner(config, row, `pass-${index}`)));
    };
    expect(chosen('devnet')).toEqual(new Set([`solana/devnet/${ALSO_ON_DEVNET}`]));
    expect(chosen('mainnet-beta')).toEqual(new Set([undefined]));
  });
});

describe('RETIRED_GATEKEEPERS', () => {
  const retiredKeysOf = (RETIRED_GATEKEEPERS: unknown) => {
    const { ethereum, solana } = aConfig({ ...KEYS, RETIRED_GATEKEEPERS }).gatekeepers;
    return addresses([...ethereum, ...solana].filter(({ retired }) => retired));
  };

  it.each`
    list                                     | text                                                                 | retired
    ${'an empty list'}                       | ${''}                                                                | ${[]}
    ${'an unset list'}                       | ${undefined}                                                         | ${[]}
    ${'an address'}                          | ${GATEKEEPERS[1]}                                                    | ${[GATEKEEPERS[1]]}
    ${'an address in lower case'}            | ${GATEKEEPERS[1].toLowerCase()}                                      | ${[GATEKEEPERS[1]]}
    ${'addresses of both chains'}            | ${` ${SOLANA_GATEKEEPERS[0]}\n${GATEKEEPERS[2]} ${GATEKEEPERS[0]} `} | ${[GATEKEEPERS[0], GATEKEEPERS[2], SOLANA_GATEKEEPERS[0]]}
    ${'an address without a configured key'} | ${'0x52908400098527886E0F7030069857D2E4169EE7'}                      | ${[]}
  `('marks the keys of $list as retired', ({ text, retired }) => {
    expect(retiredKeysOf(text)).toEqual(retired);
  });

  it.each`
    why                         | text
    ${'a digit is missing'}     | ${GATEKEEPERS[1].slice(0, -1)}
    ${'a digit is wrong'}       | ${GATEKEEPERS[1].replace('9', '8')}
    ${'a comma separates them'} | ${`${GATEKEEPERS[1]},${GATEKEEPERS[2]}`}
    ${'one is a key'}           | ${FIRST}
    ${'one is a key pair'}      | ${PAIR}
    ${'the value is not text'}  | ${[GATEKEEPERS[1]]}
  `('refuses retired addresses when $why', ({ text }) => {
    const { message, variable } = refusalOf(anEnvironment({ ...KEYS, RETIRED_GATEKEEPERS: text }));
    expect(variable).toBe('RETIRED_GATEKEEPERS');
    expect(message).toMatch(/^RETIRED_GATEKEEPERS must be addresses/);
  });
});

describe('COMPROMISED_GATEKEEPERS', () => {
  const SOLANA_ONLY = { ...KEYS, ETHEREUM_GATEKEEPER_KEY: undefined };
  const gatekeepersWith = (COMPROMISED_GATEKEEPERS: string, keys: object = KEYS) =>
    aConfig({ ...keys, COMPROMISED_GATEKEEPERS }).gatekeepers;

  it('keeps the position of a compromised key in the list, gives it no new passes, and withholds its secret', () => {
    const { ethereum } = gatekeepersWith(GATEKEEPERS[1].toLowerCase());
    expect(addresses(ethereum)).toEqual(addresses(aConfig(KEYS).gatekeepers.ethereum));
    expect(ethereum[1]).toMatchObject({ address: GATEKEEPERS[1], retired: true, compromised: true });
    expect(() => ethereum[1]?.key()).toThrow('a compromised key signs nothing');
    expect(ethereum[0]?.compromised).toBeUndefined();
  });

  it('adds a compromised key by its address alone, on the chain of the address', () => {
    const { ethereum, solana } = gatekeepersWith(`${GATEKEEPERS[3]} ${SOLANA_GATEKEEPERS[3]}`, SOLANA_ONLY);
    expect(ethereum).toMatchObject([{ address: GATEKEEPERS[3], compromised: true }]);
    expect(solana.at(-1)).toMatchObject({ address: SOLANA_GATEKEEPERS[3], compromised: true });
  });

  it('refuses a text that is not an address', () => {
    const { message } = refusalOf(anEnvironment({ ...KEYS, COMPROMISED_GATEKEEPERS: FIRST }));
    expect(message).toMatch(/^COMPROMISED_GATEKEEPERS must be addresses/);
  });
});

describe('signers with several keys', () => {
  const ENDPOINTS = '{"sepolia": ["https://rpc.example"], "devnet": ["https://rpc.example"]}';
  const configWith = (RETIRED_GATEKEEPERS = '') => aConfig({ ...KEYS, RPC_ENDPOINTS: ENDPOINTS, RETIRED_GATEKEEPERS });
  const rowOf = (config: Config, name: string) => config.networks.find(({ network }) => network === name) as never;
  const passes = Array.from({ length: 400 }, (_, index) => `network/ethereum/sepolia/0x${index}`);
  const signersChosenFor = (config: Config, network = 'sepolia') => {
    const signers = passes.map((pass) => chooseSigner(config, rowOf(config, network), pass));
    return new Set(signers);
  };
  const signerNames = (network: string, keys: readonly string[]) => keys.map((address) => `${network}/${address}`);

  it('gives each key a signer on each network of its chain', () => {
    const config = configWith();
    const names = (network: string) => signersOn(config, rowOf(config, network)).map(signerNameOf);
    expect(names('sepolia')).toEqual(signerNames('ethereum/sepolia', GATEKEEPERS));
    expect(names('devnet')).toEqual(signerNames('solana/devnet', SOLANA_GATEKEEPERS));
    for (const name of names('sepolia')) expect(signerNameOf(findSigner(config, name) as never)).toBe(name);
  });

  it('spreads new passes over all keys', () => {
    expect(signersChosenFor(configWith())).toEqual(new Set(signerNames('ethereum/sepolia', GATEKEEPERS)));
    expect(signersChosenFor(configWith(), 'devnet')).toEqual(new Set(signerNames('solana/devnet', SOLANA_GATEKEEPERS)));
  });

  it('gives a retired key no new passes and keeps its signer for the old ones', () => {
    const config = configWith(GATEKEEPERS.slice(1).join(' '));
    expect(signersChosenFor(config)).toEqual(new Set(signerNames('ethereum/sepolia', GATEKEEPERS.slice(0, 1))));
    const [active, retired] = signerNames('ethereum/sepolia', GATEKEEPERS) as [SignerName, SignerName];
    expect(findSigner(config, retired)?.gatekeeper.address).toBe(GATEKEEPERS[1]);
    expect([hasKeyOf(config, retired), acceptsNewPasses(config, retired)]).toEqual([true, false]);
    expect([hasKeyOf(config, active), acceptsNewPasses(config, active)]).toEqual([true, true]);
    expect(acceptsNewPasses(config, `ethereum/sepolia/${SOLANA_GATEKEEPERS[0].toLowerCase()}` as SignerName)).toBe(
      false,
    );
  });

  it('gives a compromised key no new passes, and keeps its signer for the transactions that it has signed', () => {
    const config = aConfig({ ...KEYS, RPC_ENDPOINTS: ENDPOINTS, COMPROMISED_GATEKEEPERS: GATEKEEPERS[1] });
    const [active, compromised] = signerNames('ethereum/sepolia', GATEKEEPERS) as [SignerName, SignerName];
    expect(signersChosenFor(config)).not.toContain(compromised);
    expect(findSigner(config, compromised)?.gatekeeper.compromised).toBe(true);
    expect([hasKeyOf(config, compromised), isCompromised(config, compromised)]).toEqual([false, true]);
    expect([acceptsNewPasses(config, compromised), isCompromised(config, active)]).toEqual([false, false]);
  });

  it('chooses no signer when all keys of the chain are retired, and still chooses one on the other chain', () => {
    const config = configWith(GATEKEEPERS.join(' '));
    expect(signersChosenFor(config)).toEqual(new Set([undefined]));
    expect(signersOn(config, rowOf(config, 'sepolia'))).toHaveLength(4);
    expect(signersChosenFor(config, 'devnet').size).toBe(4);
  });
});
