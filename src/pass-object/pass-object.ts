import { DurableObject } from 'cloudflare:workers';
import { v7 as uuidv7 } from 'uuid';
import { configOf } from '../config/config.ts';
import { holdsKey } from '../config/enabled.ts';
import { log, logFault } from '../log/log.ts';
import { sendLooks } from '../message/look.ts';
import { expectedConfirmationMs, findNetwork } from '../network/networks.ts';
import { learn } from '../pass/adopt.ts';
import { isSettled } from '../pass/next-step.ts';
import { type OnChain, type Pass, type StepMark, stateOf } from '../pass/pass.ts';
import { recordOf } from '../pass/record.ts';
import { recordAnswer } from '../pass/record-answer.ts';
import { type IssueRequest, requestIssuance } from '../pass/request.ts';
import type { Answer, TakenStep } from '../pass/step.ts';
import { take } from '../pass/take.ts';
import { requestUpdate, type UpdateRequest } from '../pass/update.ts';
import { watchDelay } from '../pass/watch.ts';
import type { Grant, Wish, WishRefusal } from '../pass/wish.ts';
import { type Projection, projectPasses } from '../store/passes.ts';
import { type Kept, keep, load } from './kept.ts';

export interface Granted {
  readonly projection: Projection;
  /** Whether anything of it is stored that was not. */
  readonly changed: boolean;
  /** Whether nothing is left to do on the chain. */
  readonly settled: boolean;
}

export type Requested = Granted | { readonly refused: WishRefusal };

export interface Taken {
  readonly signer: string;
  /** What the signer is to do; undefined when there is nothing. */
  readonly step?: TakenStep | undefined;
  /** The step that ended last: its signer may still be waiting to hear that it was recorded. */
  readonly ended?: StepMark | undefined;
  readonly projection: Projection;
}

export interface Recorded {
  readonly projection: Projection;
  /** The step is over and another one is due. */
  readonly more: boolean;
}

const RETRY_MS = 10_000;

/**
 * The truth about one pass, and the one place where it changes. Its alarm is the only retry engine: it stays until
 * the pass is settled and the read model has its newest version.
 */
export class PassObject extends DurableObject<Env> {
  /** Grants the wish for an issuance, or says why not. */
  async request(request: Omit<IssueRequest, 'id'>): Promise<Requested> {
    const kept = load(this.ctx.storage);
    return this.#grant(requestIssuance(kept?.pass, { ...request, id: uuidv7() }, seconds()), kept);
  }

  /** Grants the wish for a change, or says why not; undefined when there is no such pass. */
  async update(request: UpdateRequest): Promise<Requested | undefined> {
    const kept = load(this.ctx.storage);
    return (
      kept &&
      this.#grant(requestUpdate(kept.pass, request, seconds(), holdsKey(configOf(this.env), kept.pass.signer)), kept)
    );
  }

  /** Takes over what the chain showed; undefined when there is no such pass. */
  async sync(found: OnChain): Promise<Granted | undefined> {
    const kept = load(this.ctx.storage);
    return kept && this.#keepGrant(learn(kept.pass, found, seconds()), kept);
  }

  /** The step to take now, pinned; undefined when there is no such pass. */
  async take(): Promise<Taken | undefined> {
    const kept = load(this.ctx.storage);
    if (kept === undefined) return undefined;
    const taken = take(kept.pass, seconds());
    // The alarm that watches over the wish goes on watching over its step.
    if (taken !== undefined && taken.pass !== kept.pass) keep(this.ctx.storage, { ...kept, pass: taken.pass });
    const { signer, ended } = kept.pass;
    return { signer, ended, step: taken?.step, projection: projectionOf(taken?.pass ?? kept.pass) };
  }

  /** Records what the signer says of the pinned step; what is old or about another step changes nothing. */
  async record(answer: Answer): Promise<Recorded | undefined> {
    const kept = load(this.ctx.storage);
    if (kept === undefined) return undefined;
    const before = kept.pass;
    const after = recordAnswer(before, answer, seconds());
    const pass = after === before ? before : await this.#keep(after, kept);
    if (after.version !== before.version) {
      log('step', { pass: pass.id, step: answer.step, network: pass.key.network, standing: answer.standing.at });
    }
    return { projection: projectionOf(pass), more: pass.step === undefined && !isSettled(pass) };
  }

  /** The pass as the read model should have it; undefined when there is none. */
  async read(): Promise<Projection | undefined> {
    const kept = load(this.ctx.storage);
    return kept && projectionOf(kept.pass);
  }

  /** Which signer object serves the pass, and what is known of it on the chain; undefined when there is none. */
  async known(): Promise<Pick<Pass, 'signer' | 'onChain'> | undefined> {
    const pass = load(this.ctx.storage)?.pass;
    return pass && { signer: pass.signer, onChain: pass.onChain };
  }

  override async alarm(): Promise<void> {
    const kept = load(this.ctx.storage);
    if (kept === undefined) return;
    // First the next alarm, then the work: nothing below may break the chain.
    await this.#keep(kept.pass, kept, kept.tries + 1);
    try {
      if (!isSettled(kept.pass)) await sendLooks(this.env.LOOKS, [kept.pass.key]);
      await projectPasses(this.env.DB, [projectionOf(kept.pass)]);
      if (isSettled(kept.pass)) await this.#rest(kept.pass.version);
    } catch (fault) {
      logFault('pass-alarm', fault, { pass: kept.pass.id });
    }
  }

  async #grant(wish: Wish, before: Kept | undefined): Promise<Requested> {
    return 'refused' in wish ? wish : this.#keepGrant(wish, before);
  }

  async #keepGrant({ pass: granted, changed }: Grant, before: Kept | undefined): Promise<Granted> {
    const pass = changed ? await this.#keep(granted, before) : granted;
    return { projection: projectionOf(pass), changed, settled: isSettled(pass) };
  }

  /** Settled and projected: no alarm any more, unless something changed in the meantime. */
  async #rest(version: number): Promise<void> {
    if (load(this.ctx.storage)?.pass.version === version) await this.ctx.storage.deleteAlarm();
  }

  /** Stores the pass and its next alarm in one commit. */
  async #keep(pass: Pass, before: Kept | undefined, tries = 0): Promise<Pass> {
    const kept = keep(this.ctx.storage, { pass, tries, older: before?.older ?? 0 });
    await this.ctx.storage.setAlarm(Date.now() + this.#delay(kept));
    return kept.pass;
  }

  #delay({ pass, tries }: Kept): number {
    try {
      const row = findNetwork(configOf(this.env).networks, pass.key.chain, pass.key.network);
      return row === undefined ? RETRY_MS : watchDelay(pass, tries, expectedConfirmationMs(row));
    } catch {
      // A broken configuration is reported where requests are served; the alarm must go on without it.
      return RETRY_MS;
    }
  }
}

function projectionOf(pass: Pass): Projection {
  const { id, key, version } = pass;
  return { id, key, version, state: stateOf(pass), record: JSON.stringify(recordOf(pass)) };
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}
