/** The settings that the back end gives to the page. */
export interface PageSettings {
  readonly gatekeeperNetwork: string;
  /** The contract and the slot of the gatekeeper network on Ethereum-type networks. */
  readonly contract: `0x${string}`;
  readonly slot: string;
  readonly networks: readonly DappNetwork[];
  readonly testWallets: boolean;
}

export interface DappNetwork {
  readonly chain: 'ethereum' | 'solana';
  readonly name: string;
  /** The path of the node on the back end. */
  readonly rpc: string;
}

export async function fetchSettings(): Promise<PageSettings> {
  const answer = await fetch('/settings.json');
  if (!answer.ok) throw new Error(`the back end answers ${answer.status}`);
  return answer.json();
}
