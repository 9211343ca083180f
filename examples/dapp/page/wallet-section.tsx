import type { Connection } from './connection.ts';
import type { ConnectedWallet, WalletProgram } from './wallets/wallet.ts';

interface WalletSectionProps {
  readonly connection: Connection;
  readonly programs: readonly WalletProgram[];
  /** The networks of the dApp for the chain of the wallet. */
  readonly networks: readonly string[];
}

/** Shows the connected wallet, or the wallets to connect. */
export function WalletSection({ connection, programs, networks }: WalletSectionProps) {
  const { wallet, fault } = connection;
  return (
    <section aria-labelledby="wallet">
      <h2 id="wallet">Your wallet</h2>
      {wallet ? (
        <Connected wallet={wallet} networks={networks} onDisconnect={connection.disconnect} />
      ) : (
        <Choice programs={programs} onChoose={connection.connect} />
      )}
      {fault !== undefined && <p role="alert">The wallet did not connect: {fault}.</p>}
    </section>
  );
}

interface ConnectedProps {
  readonly wallet: ConnectedWallet;
  readonly networks: readonly string[];
  readonly onDisconnect: () => void;
}

function Connected({ wallet, networks, onDisconnect }: ConnectedProps) {
  const { program, walletAddress, network } = wallet;
  return (
    <>
      <dl>
        <dt>Program</dt>
        <dd>{program}</dd>
        <dt>Address</dt>
        <dd data-testid="address">{walletAddress}</dd>
        <dt>Network</dt>
        <dd data-testid="network">{network ?? 'not one of this dApp'}</dd>
      </dl>
      <div className="row">
        {network === undefined && <Switches wallet={wallet} networks={networks} />}
        <button type="button" onClick={onDisconnect}>
          Disconnect
        </button>
      </div>
    </>
  );
}

function Switches({ wallet, networks }: Pick<ConnectedProps, 'wallet' | 'networks'>) {
  // The wallet shows the person why it does not change.
  const switchTo = (network: string) => wallet.switchTo?.(network).catch(() => undefined);
  return networks.map((network) => (
    <button key={network} type="button" className="main" onClick={() => switchTo(network)}>
      Change to {network}
    </button>
  ));
}

interface ChoiceProps {
  readonly programs: readonly WalletProgram[];
  readonly onChoose: (program: WalletProgram) => void;
}

function Choice({ programs, onChoose }: ChoiceProps) {
  if (programs.length === 0)
    return <p>This browser has no wallet. Install a wallet for Ethereum or Solana, and reload the page.</p>;
  return (
    <div className="row">
      {programs.map((program) => (
        <button key={program.id} type="button" className="main" onClick={() => onChoose(program)}>
          Connect {program.name}
        </button>
      ))}
    </div>
  );
}
