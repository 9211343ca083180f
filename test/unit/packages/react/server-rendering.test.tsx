import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { GatewayProvider, GatewayStatus, PassGate, useGateway } from '../../../../packages/react/src/react.ts';
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
    expect(() => renderToString(<Status />)).toThrow('useGateway() works only inside of a GatewayProvider');
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
