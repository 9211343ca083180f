import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import type { Change } from '../../../src/pass/vocabulary.ts';
import type { LocalnetFacts } from '../state/localnet-facts.ts';
import { fetchToken } from './fetch-token.ts';
import { type Call, jsonInit, PartnerClient, type PassRecord, Refused } from './partner-client.ts';
import { hasEnded, isSettled } from './settlement.ts';

/** A partner of the localnet: fetches its token once, returns records, and throws `Refused` for any other reply. */
export class LocalnetPartner extends PartnerClient<PassRecord, readonly PassRecord[]> {
  readonly gatekeeperNetwork: GatekeeperNetwork;
  /** Returns the token, fetched at the first use. It is valid for longer than any test. */
  readonly token: () => Promise<string>;

  constructor(localnet: LocalnetFacts, name: string) {
    const partner = localnet.partners.find((each) => each.name === name);
    if (partner === undefined) throw new Error(`the localnet has no partner ${name}`);
    let fetched: Promise<string> | undefined;
    const token = () => {
      fetched ??= fetchToken(localnet.tokenUrl, partner);
      return fetched;
    };
    super({ baseUrl: String(localnet.baseUrl), send: (request) => fetch(request), token });
    this.gatekeeperNetwork = partner.gatekeeperNetwork;
    this.token = token;
  }

  /** Fetches the pass until it is settled, and yields each record. */
  async untilSettled(network: string, wallet: string, options: Waiting = {}): Promise<PassRecord> {
    const { withinMs = 120_000, onLook, ended } = options;
    // The pause grows, because each request is work for the Worker too.
    for (let pause = 200, deadline = Date.now() + withinMs; ; pause = Math.min(1_000, pause * 1.2)) {
      const pass = await this.fetch(network, wallet);
      onLook?.(pass);
      const isOver = ended === undefined || hasEnded(pass.events.slice(ended.since.events.length), ended.change);
      if (isOver && isSettled(pass)) return pass;
      if (Date.now() > deadline) {
        const { state, onChainState, events } = pass;
        const told = `${state}, ${onChainState} on chain, ${events.at(-1)?.eventType} last`;
        throw new Error(`${network} ${wallet} is not settled after ${withinMs} ms: ${told}`);
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /** The same for many wallets, one after another, because hundreds of simultaneous pollers would slow the Worker. */
  async untilAllSettled(network: string, wallets: readonly string[], options?: Waiting): Promise<PassRecord[]> {
    const passes: PassRecord[] = [];
    for (const wallet of wallets) passes.push(await this.untilSettled(network, wallet, options));
    return passes;
  }

  /** Sends any request. Returns the JSON document of the reply; null if the reply has none. */
  async call<Body>(method: string, path: string, body?: object): Promise<Body> {
    return readJson(...(await this.exchange(method, path, jsonInit(body))));
  }

  protected readPass(response: Response, call: Call): Promise<PassRecord> {
    return readJson(response, call);
  }

  protected async readPage(response: Response, call: Call): Promise<readonly PassRecord[]> {
    return (await readJson<{ records: PassRecord[] }>(response, call)).records;
  }
}

interface Waiting {
  readonly withinMs?: number;
  readonly onLook?: (pass: PassRecord) => void;
  /** The change that must end after that record. No state shows a new expiry that has not begun. */
  readonly ended?: { readonly change: Change; readonly since: PassRecord };
}

async function readJson<Body>(response: Response, { method, path }: Call): Promise<Body> {
  const text = await response.text();
  if (!response.ok) throw new Refused(`${method} ${path}`, response.status, text);
  return JSON.parse(text === '' ? 'null' : text);
}
