import { DurableObject } from 'cloudflare:workers';
import type { Answered, Arguments, NodeMethod } from '../chain/sandbox/sandbox-chain.ts';
import type { Wallet } from '../network/wallet.ts';
import type { PassName } from '../pass/pass.ts';
import type { Script } from './agenda.ts';
import type { LaterRequests, SimulatedNetwork, Simulation } from './simulation.ts';
import type { Operation } from './tokens.ts';

/**
 * Simulates the networks of one sandbox, and keeps its clock. The class only loads the simulation, which most deployments never need,
 * and hands every call on to it.
 */
export class SandboxObject extends DurableObject<Env> {
  #simulation: Promise<Simulation> | undefined;

  async secondsAhead(): Promise<number> {
    return (await this.#open()).secondsAhead();
  }

  async advance(seconds: number): ReturnType<Simulation['advance']> {
    return (await this.#open()).advance(seconds);
  }

  /** Adds a pass to those of the sandbox. Returns whether there was room for it. */
  async admit(pass: PassName): Promise<boolean> {
    return (await this.#open()).admit(pass);
  }

  /** Answers as a node of one of its networks. */
  async ask<M extends NodeMethod>(network: SimulatedNetwork, method: M, asked: Arguments<M>): Promise<Answered<M>> {
    return (await this.#open()).ask(network, method, asked);
  }

  async assign(network: SimulatedNetwork, wallet: Wallet, script: Script, later?: LaterRequests): Promise<void> {
    await (await this.#open()).assign(network, wallet, script, later);
  }

  async changeByOthers(network: SimulatedNetwork, wallet: Wallet, change: Omit<Operation, 'token'>): Promise<void> {
    await (await this.#open()).changeByOthers(network, wallet, change);
  }

  override async alarm(): Promise<void> {
    await (await this.#open()).fireAlarm();
  }

  #open(): Promise<Simulation> {
    this.#simulation ??= import('./simulation.ts').then(({ Simulation }) => new Simulation(this.ctx, this.env));
    return this.#simulation;
  }
}
