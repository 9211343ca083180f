import { DurableObject } from 'cloudflare:workers';
import type { Answered, Asked, NodeMethod } from '../chain/sandbox/simulated-node.ts';
import { loadSimulation } from '../on-demand.ts';
import type { SimulatedNetwork, Simulation } from './simulation.ts';

/**
 * Simulates the networks of one sandbox, and keeps its clock. The class only loads the simulation, which most deployments never need,
 * and hands every call on to it.
 */
export class SandboxObject extends DurableObject<Env> {
  #simulation: Promise<Simulation> | undefined;

  async secondsAhead(): Promise<number> {
    return (await this.#open()).secondsAhead();
  }

  async advance(seconds: number): Promise<number | undefined> {
    return (await this.#open()).advance(seconds);
  }

  /** Answers as a node of one of its networks. */
  async ask<M extends NodeMethod>(network: SimulatedNetwork, method: M, asked: Asked<M>): Promise<Answered<M>> {
    return (await this.#open()).ask(network, method, asked);
  }

  override async alarm(): Promise<void> {
    await (await this.#open()).fireAlarm();
  }

  #open(): Promise<Simulation> {
    this.#simulation ??= loadSimulation().then(({ Simulation }) => new Simulation(this.ctx, this.env));
    return this.#simulation;
  }
}
