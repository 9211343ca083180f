import type { PassRecord } from '../../partner/partner-client.ts';

/** Prints the events of a pass, with the seconds since the start. */
export class Timeline {
  readonly #network: string;
  readonly #wallet: string;
  readonly #started = Date.now();
  readonly #told = new Set<string>();

  constructor(network: string, wallet: string) {
    this.#network = network;
    this.#wallet = shortenWallet(wallet);
  }

  elapsedSeconds(): number {
    return (Date.now() - this.#started) / 1000;
  }

  print(what: string): void {
    console.log(
      `${this.elapsedSeconds().toFixed(1).padStart(5)} s  ${this.#network.padEnd(7)}  ${this.#wallet}  ${what}`,
    );
  }

  /** Prints each event once, and again when its transaction changes. */
  printEvents({ events }: PassRecord): void {
    for (const [index, { eventType, transaction, reason }] of events.entries()) {
      const detail = transaction ? [transaction.status, transaction.identifier] : [];
      const news = [eventType, ...detail, ...(reason ? [reason] : [])].join(' ');
      if (!this.#told.has(`${index} ${news}`)) this.print(`  ${news}`);
      this.#told.add(`${index} ${news}`);
    }
  }
}

/** Returns a short form of a wallet for one line. */
export function shortenWallet(wallet: string): string {
  return `${wallet.slice(0, 6)}…${wallet.slice(-4)}`;
}
