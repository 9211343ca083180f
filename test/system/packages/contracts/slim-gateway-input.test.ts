import { encodeAbiParameters, encodeErrorResult, type Hex } from 'viem';
import { expect, it } from 'vitest';
import {
  AUTHORITY,
  callsOf,
  checkMalformed,
  checkNames,
  encode,
  KEEPER,
  NAME_LENGTHS,
  type RawCall,
  run,
  SIGNATURES,
  SLOT,
} from './slim-calls.ts';
import { useSlimChain } from './slim-chain.ts';
import { NO_CHARGE, SLIM, tokenIdOf } from './slim-gateway.ts';
import { ACTORS } from './slim-stories.ts';

/** The bytes that the slim contract takes and gives. `slim-gateway-input.full.test.ts` tries each bit and each length. */

const on = useSlimChain();

const WALLET = ACTORS[4] as Hex;
const ID = tokenIdOf(WALLET, SLOT);
/** The calls that make a network with a gatekeeper. */
const NETWORK: readonly RawCall[] = [
  { by: AUTHORITY, data: encode('createNetwork', SLOT, 'N', false, AUTHORITY) },
  { by: AUTHORITY, data: encode('addGatekeeper', KEEPER, SLOT) },
];

/** Runs calls of the gatekeeper in that network. Returns the answers. */
async function runAsKeeper(...calls: readonly (readonly [name: string, ...args: readonly unknown[]])[]) {
  const all = [...NETWORK, ...calls.map((each) => ({ by: KEEPER, data: encode(...each) }))];
  return (await run(on.ask, all)).slice(NETWORK.length).map(({ status, returnData }) => ({ status, returnData }));
}

it('makes a valid call of each function beside its malformed ones', () => {
  expect(
    callsOf(false)
      .map(({ signature }) => signature)
      .toSorted(),
  ).toEqual(SIGNATURES);
});

it('refuses value, calls that are too short, bits that no argument has, and each part of a charge', async () => {
  expect(await checkMalformed(on.ask, callsOf(false))).toBeGreaterThan(400);
});

it('returns names exactly, although other bytes surround them in the call', async () => {
  await checkNames(on.ask, NAME_LENGTHS);
});

it('returns the list of one id and of none exactly', async () => {
  const [none, , one, valid, , invalid] = await runAsKeeper(
    ['getTokenIdsByOwnerAndNetwork', WALLET, SLOT, false],
    ['mint', WALLET, SLOT, 0n, 0n, NO_CHARGE],
    ['getTokenIdsByOwnerAndNetwork', WALLET, SLOT, false],
    ['getTokenIdsByOwnerAndNetwork', WALLET, SLOT, true],
    ['freeze', ID],
    ['getTokenIdsByOwnerAndNetwork', WALLET, SLOT, true],
  );
  const listOf = (ids: readonly bigint[]) => ({
    status: '0x1',
    returnData: encodeAbiParameters([{ type: 'uint256[]' }], [ids]),
  });
  expect([none, one, valid, invalid]).toEqual([listOf([]), listOf([ID]), listOf([ID]), listOf([])]);
});

it('keeps an expiration of 2^64 - 1 in each state, and refuses 2^64', async () => {
  const most = 2n ** 64n - 1n;
  const number = (value: bigint) => ({
    status: '0x1',
    returnData: encodeAbiParameters([{ type: 'uint256' }], [value]),
  });
  const refused = {
    status: '0x0',
    returnData: encodeErrorResult({
      abi: SLIM.abi,
      errorName: 'SlimGateway__ExpirationTooLarge',
      args: [most + 1n],
    }),
  };
  const done = { status: '0x1', returnData: '0x' };
  const steps = [
    [['mint', WALLET, SLOT, most + 1n, 0n, NO_CHARGE], refused],
    [['mintMany', [WALLET], SLOT, most + 1n], refused],
    [['mintMany', [WALLET], SLOT, most], done],
    [['getExpiration', ID], number(most)],
    [['burn', ID], done],
    [['mint', WALLET, SLOT, most, 0n, NO_CHARGE], done],
    [
      ['getTokenIdsByOwnerAndNetwork', WALLET, SLOT, true],
      { status: '0x1', returnData: encodeAbiParameters([{ type: 'uint256[]' }], [[ID]]) },
    ],
    [['setExpiration', ID, 1n, NO_CHARGE], done],
    [['setExpiration', ID, most + 1n, NO_CHARGE], refused],
    [['getExpiration', ID], number(1n)],
    [['setExpiration', ID, most, NO_CHARGE], done],
    [['freeze', ID], done],
    [['getExpiration', ID], number(most)],
    [['unfreeze', ID], done],
    [['getExpiration', ID], number(most)],
    [['revoke', ID], done],
    [['getExpiration', ID], number(most)],
    // The number beside the expiration in the word.
    [['getIssuingGatekeeper', ID], number(BigInt(KEEPER))],
  ] as const;
  expect(await runAsKeeper(...steps.map(([call]) => call))).toEqual(steps.map(([, answer]) => answer));
});

it('refuses calls without a whole selector', async () => {
  const all = (['0x', '0x01', '0x01ffc9'] as const).map((data) => ({ by: AUTHORITY, data }));
  expect((await run(on.ask, all)).map(({ status, returnData }) => ({ status, returnData }))).toEqual(
    all.map(({ data }) => ({
      status: '0x0',
      returnData: encodeErrorResult({
        abi: SLIM.abi,
        errorName: 'SlimGateway__NotSupported',
        args: [`0x${data.slice(2).padEnd(8, '0')}`],
      }),
    })),
  );
});
