import { DurableObject } from 'cloudflare:workers';
import type { Simulation } from './simulation.ts';

/**
 * Simulates the networks of one sandbox, and keeps its clock. The class only loads the simulation, which most deployments never need,
 * and hands every call on to it.
 */
export abstract class SandboxShell extends DurableObject<Env> {
  #simulation: Promise<Simulation> | undefined;

  /** Loads the module of the simulation. */
  protected abstract load(): Promise<typeof import('./simulation.ts')>;

  async secondsAhead(): Promise<number> {
    return (await this.#open()).secondsAhead();
  }

  async advance(seconds: number): Promise<number | undefined> {
    return (await this.#open()).advance(seconds);
  }

  override async alarm(): Promise<void> {
    await (await this.#open()).fireAlarm();
  }

  #open(): Promise<Simulation> {
    this.#simulation ??= this.load().then(({ Simulation }) => new Simulation(this.ctx, this.env));
    return this.#simulation;
  }
}
