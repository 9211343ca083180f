import type { SimulatedObject } from '../platform/objects.ts';
import type { Platform } from '../platform/platform.ts';
import type { ChainNetwork } from './networks.ts';
import { signersOf } from './transactions.ts';

type Binding = keyof Platform['namespaces'];

/** A crash after some more tasks of the scheduler. */
interface LaterCrash {
  /** Number of tasks that have run by then. */
  readonly at: number;
  readonly binding: Binding;
  readonly index: number;
}

/** Ends objects, requests and batches where they are. */
export class Crashes {
  /** Whether a step has crashed an object. */
  hasCrashed = false;
  readonly #platform: Platform;
  readonly #onLoss: (object: SimulatedObject) => void;
  readonly #later: LaterCrash[] = [];

  /** @param onLoss Called before an object loses its store. */
  constructor(platform: Platform, onLoss: (object: SimulatedObject) => void) {
    this.#platform = platform;
    this.#onLoss = onLoss;
    platform.scheduler.onStep = () => this.#crashDue();
  }

  /** Crashes an object of that binding that lives, if there is one. */
  crash(binding: Binding, index: number): void {
    this.hasCrashed = true;
    const living = this.#platform.namespaces[binding].all.filter(({ isAlive }) => isAlive);
    living[index % Math.max(1, living.length)]?.crash();
  }

  /** A signer of a network loses its store, if there is one. */
  loseStore(network: ChainNetwork, index: number): void {
    const signers = signersOf(this.#platform, network);
    const signer = signers[index % Math.max(1, signers.length)];
    if (signer === undefined) return;
    this.#onLoss(signer);
    signer.loseStore();
  }

  /** Crashes an object after that many tasks. */
  crashAfter(tasks: number, binding: Binding, index: number): void {
    this.#later.push({ at: this.#platform.scheduler.steps + tasks, binding, index });
  }

  /** Ends a request or a batch of a queue that runs, if there is one. */
  killEvent(index: number): void {
    const { requests, queues } = this.#platform;
    const running = [
      ...[...requests].map((each) => () => this.#platform.kill(each)),
      ...Object.values(queues).flatMap((queue) => [...queue.running].map((each) => () => queue.kill(each))),
    ];
    running[index % Math.max(1, running.length)]?.();
  }

  /** Cancels the crashes that have not happened. */
  cancel(): void {
    this.#later.length = 0;
  }

  #crashDue(): void {
    const { steps } = this.#platform.scheduler;
    for (const [place, { at, binding, index }] of [...this.#later.entries()].toReversed()) {
      if (at > steps) continue;
      this.#later.splice(place, 1);
      this.crash(binding, index);
    }
  }
}
