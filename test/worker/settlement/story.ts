import { expect, vi } from 'vitest';
import type { Chain } from '../../../src/network/network.ts';
import { representativeToken } from '../../../src/pass/adopt.ts';
import { hasPendingLoss, type Pass, type PassKey } from '../../../src/pass/pass.ts';
import { recordOf } from '../../../src/pass/record.ts';
import type { ChangeResult, WantedChange } from '../../../src/pass/requests.ts';
import { CHANGES, ON_CHAIN_STATES, PASS_STATES } from '../../../src/pass/vocabulary.ts';
import { publicationOf } from '../../../src/pass-object/results.ts';
import type { Signer } from '../../../src/signer-object/signer.ts';
import type { Operation } from './chain-table.ts';
import { Expectation } from './expectation.ts';
import { Scene } from './scene.ts';
import type { StoryChain } from './story-chain.ts';

const BEGINNING = 1_800_000_000;

/** An expiry in seconds from now, or from the beginning of the story. */
export interface Expiry {
  readonly in?: number;
  readonly until?: number;
}

/** A scene, its time, and the expected result. */
export class Story {
  readonly scene: Scene;
  readonly #expected = new Expectation();
  readonly #chain: Chain;
  #now = BEGINNING;
  /** Whether others changed anything. */
  #others = false;
  /** Whether others burned or revoked the wallet's token. */
  #ended = false;
  /** Tokens that others made. */
  #madeByOthers = 0;
  /** Whether the nodes were ever behind. */
  #hidden = false;
  /** The expiry of the last request that was accepted with one, or for a default one. */
  #requested: number | undefined;

  constructor(chain: Chain, simulated: StoryChain, signer: Signer) {
    this.#chain = chain;
    const key = { gatekeeperNetwork: 'gatekeeper network', chain, network: 'network', wallet: 'wallet' } as PassKey;
    this.scene = new Scene(key, simulated, signer, () => this.#now);
    this.scene.onRefusal = (pass) => this.#expected.refused(pass, this.scene.chain.representative);
    this.wait(0);
  }

  wait(seconds: number): void {
    this.#now += seconds;
    vi.setSystemTime(this.#now * 1000);
  }

  fallBehind(lags: readonly number[]): void {
    const { chain, pass } = this.scene;
    chain.fallBehind(lags);
    const hides = lags.some((lag) => lag > 0);
    this.#hidden ||= hides;
    if (hides && this.#others && pass?.onChain.state === 'NONE') this.#expected.hidden(pass.wanted.expiry);
  }

  mine(blocks: number): void {
    for (let n = 0; n < blocks; n += 1) this.scene.chain.mine();
    this.wait(blocks);
  }

  /** Runs everything normally for some blocks. */
  async progress(rounds: number): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      await this.scene.deliver(false);
      this.mine(1);
      await this.scene.signerAlarm();
      await this.scene.deliver(false);
    }
  }

  issue(lifetime: number | undefined, { until }: Expiry): void {
    const { pass: before } = this.scene;
    const given = this.#timeOf({ until });
    // The HTTP interface refuses it.
    if (given !== undefined && given <= this.#now) return;
    const result = this.scene.issue({ lifetime, expiry: given });
    if (before !== undefined) this.#expectComparison(before, given, result);
    if (result.type === 'refused' || !result.changed) return;
    const expiry = given ?? this.#timeOf({ in: lifetime });
    this.#requested = expiry;
    const { representative } = this.scene.chain;
    if (before === undefined || before.rejected)
      return this.#expected.issued(expiry, given === undefined, representative, this.#hidden);
    this.#expected.updated({ expiry }, before, representative, this.#isEnded);
    // Requested again before the token exists: a token that exists then is adopted as it is, or renewed.
    if (before.onChain.state === 'NONE' && given === undefined) this.#expected.expiries.add(representative?.expiry);
  }

  /** Expects that an issuance until another expiry than the requested one is refused for a valid pass, and only there. */
  #expectComparison(before: Pass, given: number | undefined, result: ChangeResult): void {
    const { state, expiryTimestamp = Number.POSITIVE_INFINITY } = recordOf(before);
    const isValid = (state === 'REQUESTED' || state === 'ACTIVE') && expiryTimestamp >= this.#now;
    const differs = isValid && given !== undefined && given !== this.#requested;
    expect(result.type === 'refused' && result.reason === 'expiry_differs').toBe(differs);
    if (isValid && !differs) expect(result).toEqual({ type: 'applied', pass: before, changed: false });
  }

  #timeOf({ in: seconds, until }: { readonly [Field in keyof Expiry]: number | undefined }): number | undefined {
    if (until !== undefined) return BEGINNING + until;
    return seconds === undefined ? undefined : this.#now + seconds;
  }

  update(request: WantedChange, when: Expiry): void {
    const { pass: before } = this.scene;
    const expiry = this.#timeOf(when);
    if (expiry !== undefined && expiry <= this.#now) return;
    const result = this.scene.update({ ...request, expiry });
    if (before === undefined || result === undefined || result.type === 'refused') return;
    if (expiry !== undefined) this.#requested = expiry;
    if (!result.changed) return;
    this.#expected.updated({ ...request, expiry }, before, this.scene.chain.representative, this.#isEnded);
  }

  byOthers(kind: Operation | 'burn', seconds: number): void {
    const { chain, pass } = this.scene;
    const was = chain.representative;
    if (kind === 'issue') {
      this.#madeByOthers += 1;
      chain.byOthers({ kind, expiry: this.#now + seconds });
    } else if (was !== undefined) {
      const token = was.id;
      chain.byOthers(kind === 'burn' ? { kind, token } : { kind, token, expiry: this.#now + seconds });
    }
    this.#ended = was !== chain.representative ? (chain.representative?.state ?? 'REVOKED') === 'REVOKED' : this.#ended;
    this.#others ||= kind === 'issue' || chain.representative !== was;
    this.#expected.changedByOthers(was, chain.representative, pass, { made: kind === 'issue', late: chain.expects });
  }

  get #isEnded(): boolean {
    return this.#ended && (this.scene.chain.representative?.state ?? 'REVOKED') === 'REVOKED';
  }

  /** The watcher sees a change by others. Afterwards no public check admits a wallet that dApps refuse. */
  async observe(): Promise<void> {
    const { scene } = this;
    await scene.observe();
    const { pass } = scene;
    if (pass === undefined || scene.chain.isBehind(pass.onChain.asOf)) return;
    const { state, validity } = publicationOf({ pass, sent: { version: 0, eventsInFeed: 0, entriesInTrail: 0 } });
    const isAdmitted = state === 'ACTIVE' && validity.onChainState === 'ACTIVE' && !validity.isPending;
    if (isAdmitted) expect(scene.chain.representative?.state).toBe('ACTIVE');
  }

  /** Runs everything without faults until all work is done. */
  async rest(): Promise<void> {
    const { scene } = this;
    scene.chain.fallBehind([0]);
    scene.loseAcknowledgements(false);
    scene.chain.refuse(false);
    scene.chain.crowd(false);
    // The watcher hears of no change again. After these rounds, all blocks with a change are final.
    let unchanged = 0;
    for (let round = 0; round < 100; round += 1) {
      this.wait(60);
      this.mine(1);
      scene.redriveHeld();
      await scene.signerAlarm();
      scene.passAlarm();
      await scene.deliver(false);
      // Without changes by others, the record must be true by itself.
      if (scene.isQuiet && !this.#others) return;
      if (this.#others) unchanged = (await scene.observe()) ? 0 : unchanged + 1;
      if (scene.isQuiet && unchanged > scene.chain.uncertain + 1) return;
    }
    throw new Error(`it does not become idle: ${JSON.stringify(scene.pass)}`);
  }

  /** Record, chain and expectation say the same. */
  expectAgreement(): void {
    const { pass, chain } = this.scene;
    this.scene.expectCountedLanes();
    expect(chain.issued).toBeLessThanOrEqual(1);
    expect(chain.tokens.length).toBeLessThanOrEqual(this.#madeByOthers + chain.issued);
    // A transaction beside those of others may be too late, and revoke a revoked token.
    if (!this.#others) expect(chain.idle).toBe(0);
    if (pass === undefined) return;
    expect(hasPendingLoss(pass)).toBe(false);
    const record = recordOf(pass);
    const truth = representativeToken(chain.tokens, pass.onChain);
    expect(PASS_STATES).toContain(record.state);
    expect(ON_CHAIN_STATES).toContain(record.onChainState);
    expect(record.onChainState).toBe(truth?.state ?? 'NONE');
    // For a second token that was invisible at first, the last change depends on when it was seen.
    const isOpen = this.#hidden && chain.tokens.length > 1 && record.state !== 'REVOKED';
    if (!isOpen) expect([...this.#expected.states]).toContain(record.state);
    if (record.state === 'REJECTED') expect(truth).toBeUndefined();
    else if (record.state !== 'REVOKED' || this.#madeByOthers === 0)
      expect(record.state).toBe(truth?.state ?? 'REVOKED');

    const lives = record.state === 'ACTIVE' || record.state === 'FROZEN';
    const waits = this.#chain === 'ethereum' && record.state === 'FROZEN';
    // Of several tokens the one that lives longest represents all. The expectation does not know which one that is.
    if (lives && chain.tokens.length === 1) expect([...this.#expected.expiries]).toContain(record.expiryTimestamp);
    if (record.onChainState === record.state && !waits) expect(record.expiryTimestamp).toBe(truth?.expiry);
    this.#expectWholeHistory(waits);
    const confirmed = record.events.flatMap(({ transaction: sent }) =>
      sent?.status === 'confirmed' ? sent.identifier : [],
    );
    expect(new Set(confirmed)).toEqual(new Set(chain.succeeded));
  }

  /** Expects known event names, an end for every started change, and no open transaction. */
  #expectWholeHistory(waits: boolean): void {
    const open = new Set<string>();
    for (const { eventType, transaction } of this.scene.pass?.events ?? []) {
      const change = CHANGES.find((each) => eventType.startsWith(each));
      expect([change, `${change}_INITIATED`, `${change}_FAILED`, `${change}_REORGED`]).toContain(eventType);
      expect(transaction?.status).not.toBe('sent');
      if (/_(INITIATED|REORGED)$/.test(eventType)) open.add(change ?? '');
      else open.delete(change ?? '');
    }
    if (waits) open.delete('TOKEN_EXPIRY_CHANGED');
    expect([...open]).toEqual([]);
  }
}
