import { base58 } from '@scure/base';
import { mnemonicToAccount, privateKeyToAddress } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { configOf } from '../../../src/config/parse-config.ts';
import { KNOWN_ADDRESS_PREFIXES } from '../../../src/config/validate-deployment.ts';
import { SOLANA_GATEKEEPER_KEYS, SOLANA_GATEKEEPERS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { aDeployment, anEnvironment, refusalOf } from './environments.ts';

/** A deployment refuses publicly known keys, because anybody could issue and revoke with them. */

const hex = (bytes: Iterable<number>) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const counting = (from: number) => Uint8Array.from({ length: 32 }, (_, index) => from + index);

const MNEMONICS = [
  ['Hardhat and Anvil', 'test test test test test test test test test test test junk', 20],
  ['Ganache', 'myth like bonus scare over problem client lizard pioneer submit female collect', 10],
  ['Truffle', 'candy maple cake sugar pudding cream honey rich smooth crumble sweet treat', 10],
  ['BIP 39', `${'abandon '.repeat(11)}about`, 10],
] as const;

function keysOf(mnemonic: string, count: number): string[] {
  const node = mnemonicToAccount(mnemonic, { path: "m/44'/60'/0'/0" }).getHdKey();
  return Array.from({ length: count }, (_, index) => hex(node.deriveChild(index).privateKey ?? []));
}

/** The secret and public keys of the Ed25519 test vectors (RFC 8032 §7.1), in their order. */
const RFC_8032 = [
  '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
  'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
  'f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e',
  '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
].map(bytesOf);

function bytesOf(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

/** Resolves to the Solana key pair with this private key. */
async function pairOf(seed: Uint8Array): Promise<Uint8Array> {
  const pkcs8 = Uint8Array.from([...bytesOf('302e020100300506032b657004220420'), ...seed]);
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', true, ['sign']);
  const { x = '' } = (await crypto.subtle.exportKey('jwk', key)) as { x?: string };
  const binary = atob(x.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from([...seed, ...Array.from(binary, (byte) => byte.charCodeAt(0))]);
}

const ofEthereum = [
  ...MNEMONICS.flatMap(([, words, count]) => keysOf(words, count)),
  hex(counting(0)),
  hex(counting(1)),
];
const ofSolana = [
  ...RFC_8032,
  await pairOf(counting(0)),
  await pairOf(counting(1)),
  base58.decode(SOLANA_GATEKEEPER_KEYS[0]),
];

function expectRefused(variable: string, key: string): void {
  const { message } = refusalOf(aDeployment({ [variable]: key }));
  expect(message).toBe(`${variable} must not be a publicly known key`);
  expect(configOf(anEnvironment({ [variable]: key })).local).toBe(true);
}

describe('configOf of a deployment', () => {
  it.each(MNEMONICS)('refuses the development keys of %s ("%s")', (_, mnemonic, count) => {
    for (const key of keysOf(mnemonic, count)) expectRefused('ETHEREUM_GATEKEEPER_KEY', key);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255, 2 ** 52])('refuses a key that is the number %i', async (number) => {
    const digits = number.toString(16).padStart(64, '0');
    expectRefused('ETHEREUM_GATEKEEPER_KEY', digits);
    expectRefused('SOLANA_GATEKEEPER_KEY', base58.encode(await pairOf(bytesOf(digits))));
  });

  it.each(['11', '46', 'deadbeef', '0123456789abcdef', '00112233445566778899aabbccddee'.slice(2)])(
    'refuses a key that repeats the digits %s',
    async (digits) => {
      const repeated = digits.repeat(32).slice(0, 64);
      expectRefused('ETHEREUM_GATEKEEPER_KEY', repeated);
      expectRefused('SOLANA_GATEKEEPER_KEY', JSON.stringify([...(await pairOf(bytesOf(repeated)))]));
    },
  );

  it('refuses a key whose bytes count up', () => {
    for (const key of ofEthereum.slice(-2)) expectRefused('ETHEREUM_GATEKEEPER_KEY', key);
  });

  it('refuses the key pairs of RFC 8032 and of this repository', () => {
    for (const pair of ofSolana) expectRefused('SOLANA_GATEKEEPER_KEY', base58.encode(pair));
  });
});

it('names the position of a refused key among several keys, retired or not', async () => {
  const drawn = async () => JSON.stringify([...(await pairOf(crypto.getRandomValues(new Uint8Array(32))))]);
  const keys = [await drawn(), await drawn(), SOLANA_GATEKEEPER_KEYS[1]].join('\n');
  for (const RETIRED_GATEKEEPERS of ['', SOLANA_GATEKEEPERS[1]]) {
    const { message } = refusalOf(aDeployment({ SOLANA_GATEKEEPER_KEY: keys, RETIRED_GATEKEEPERS }));
    expect(message).toBe('SOLANA_GATEKEEPER_KEY (key 3 of 3) must not be a publicly known key');
  }
  const byNetwork = JSON.stringify({
    'mainnet-beta': await drawn(),
    devnet: `${await drawn()} ${SOLANA_GATEKEEPER_KEYS[1]}`,
  });
  const { message } = refusalOf(aDeployment({ SOLANA_GATEKEEPER_KEY: byNetwork }));
  expect(message).toBe('SOLANA_GATEKEEPER_KEY (devnet, key 2 of 2) must not be a publicly known key');
});

it('lists exactly the addresses of the publicly known keys', () => {
  const addresses = [
    ...ofEthereum.map((key) => privateKeyToAddress(`0x${key}`).slice(2)),
    ...ofSolana.map((pair) => base58.encode(pair.subarray(32))),
  ];
  expect(new Set(addresses.map((address) => address.slice(0, 8)))).toEqual(KNOWN_ADDRESS_PREFIXES);
});

it('accepts random keys', async () => {
  for (let drawn = 0; drawn < 20; drawn += 1) {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    const keys = {
      ETHEREUM_GATEKEEPER_KEY: hex(bytes),
      SOLANA_GATEKEEPER_KEY: JSON.stringify([...(await pairOf(bytes))]),
    };
    const { ethereum, solana } = configOf(aDeployment(keys)).gatekeepers;
    expect([ethereum.length, solana.length]).toEqual([1, 1]);
  }
});
