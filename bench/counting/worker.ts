import { PassObject as Pass } from '../../src/pass-object/pass-object.ts';
import { QuotaObject as Quota } from '../../src/quota-object/quota-object.ts';
import { SignerObject as Signer } from '../../src/signer-object/signer-object.ts';
import worker from '../../src/worker.ts';
import { countedEnv } from './counted-env.ts';
import { countFetches } from './counted-fetch.ts';
import { alarmRings, alarmsAhead, countedState } from './counted-storage.ts';
import { count, takeCounts } from './counts.ts';

/**
 * The Worker with everything counted that it asks of others: statements and rows, calls of objects, messages, requests to
 * nodes. For a run of its own, never one that is timed. `GET /__counts` answers what was counted since it was last asked.
 */

countFetches();

export class PassObject extends Pass {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countedState(ctx, 'pass'), countedEnv(env));
  }

  override alarm(): Promise<void> {
    alarmRings(this.ctx, 'pass');
    return super.alarm();
  }
}

export class SignerObject extends Signer {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countedState(ctx, 'signer'), countedEnv(env));
  }

  override alarm(): Promise<void> {
    alarmRings(this.ctx, 'signer');
    return super.alarm();
  }
}

export class QuotaObject extends Quota {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countedState(ctx, 'quota'), countedEnv(env));
  }
}

export default {
  fetch(request, env) {
    if (new URL(request.url).pathname === '/__counts') {
      return Response.json({ counts: takeCounts(), alarms: alarmsAhead() });
    }
    count('requests');
    return worker.fetch(request, countedEnv(env));
  },
  queue(batch, env) {
    count('queue.batches');
    count('queue.received', batch.messages.length);
    return worker.queue(batch, countedEnv(env));
  },
  scheduled: (controller, env) => worker.scheduled(controller, countedEnv(env)),
} satisfies ExportedHandler<Env>;
