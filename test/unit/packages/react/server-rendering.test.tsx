import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { GatewayProvider, GatewayStatus, PassGate, useGateway } from '../../../../packages/react/src/react.ts';
import { useSignedVerdict } from '../../../../packages/react/src/verdict.ts';
import { scriptedReader } from './scripted-reader.ts';

/** A server renders the page before any wallet is known. Nothing may be read there, and nothing behind the gate may appear. */

const Status = () => <i>{GatewayStatus[useGateway().gatewayStatus]}</i>;

describe('on a server', () => {
  it.each([
    [undefined, 'UNKNOWN', 'Connect a wallet to continue.'],
    [null, 'UNKNOWN', 'Connect a wallet to continue.'],
    ['', 'UNKNOWN', 'Connect a wallet to continue.'],
    [{ address: undefined }, 'UNKNOWN', 'Connect a wallet to continue.'],
    [{ publicKey: null }, 'UNKNOWN', 'Connect a wallet to continue.'],
    ['0x1', 'CHECKING', 'Your pass is being checked …'],
    [{ address: '0x1', signer: {} }, 'CHECKING', 'Your pass is being checked …'],
    [{ publicKey: { toBase58: () => 'key' } }, 'CHECKING', 'Your pass is being checked …'],
  ])('the wallet %j has the status %s', (wallet, status, text) => {
    const { reader, reads } = scriptedReader();
    const html = renderToString(
      <GatewayProvider wallet={wallet} gatekeeperNetwork="network" reader={reader}>
        <Status />
        <PassGate>secret</PassGate>
      </GatewayProvider>,
    );
    expect(html).toBe(`<i>${status}</i><p role="status">${text}</p>`);
    expect(reads).toEqual([]);
  });

  it('the hook names its provider if it has none', () => {
    expect(() => renderToString(<Status />)).toThrow('useGateway() works only inside a GatewayProvider');
  });
});

it('has the numbers and the names of the statuses of Civic’s packages', () => {
  expect([GatewayStatus.UNKNOWN, GatewayStatus.ACTIVE, GatewayStatus.USER_INFORMATION_REJECTED]).toEqual([0, 9, 16]);
  expect([GatewayStatus[0], GatewayStatus[9], GatewayStatus[16], GatewayStatus[17]]).toEqual([
    'UNKNOWN',
    'ACTIVE',
    'USER_INFORMATION_REJECTED',
    undefined,
  ]);
});

describe('useSignedVerdict', () => {
  const CONTRACT = '0xbD2aAF5cbB58AB5Cd6aAB72Fa1BA2FBB0Fb0E1C4';
  const urls: string[] = [];
  const options = {
    baseUrl: 'https://api.example.com',
    chain: { type: 'ethereum', network: 'sepolia' },
    chainId: 8453,
    verifyingContract: CONTRACT,
    fetch: async (url: string) => {
      urls.push(url);
      const notSigned = { code: 'frozen', detail: 'The pass is frozen.' };
      return Response.json({ valid: false, state: 'FROZEN', notSigned });
    },
  } as const;
  let fetchVerdict: ReturnType<typeof useSignedVerdict> | undefined;
  const Caller = () => {
    fetchVerdict = useSignedVerdict(options);
    return null;
  };
  const render = (wallet?: string) =>
    renderToString(
      <GatewayProvider wallet={wallet} gatekeeperNetwork="network" reader={scriptedReader().reader}>
        <Caller />
      </GatewayProvider>,
    );

  it('asks for the wallet and the gatekeeper network of the provider, when the page calls it', async () => {
    render('0x1');
    expect(urls).toEqual([]);
    await expect(fetchVerdict?.()).rejects.toMatchObject({ name: 'VerdictNotSigned', code: 'frozen' });
    expect(urls).toEqual([
      `https://api.example.com/verify/network/ethereum/sepolia/0x1?signed=1&chainId=8453&verifyingContract=${CONTRACT}`,
    ]);
  });

  it('rejects without a wallet, and throws without a provider', async () => {
    render();
    await expect(fetchVerdict?.()).rejects.toThrow('the provider has no wallet');
    expect(() => renderToString(<Caller />)).toThrow('works only inside a GatewayProvider');
  });
});
