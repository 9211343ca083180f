import { AuditObject as Audit } from '../../../src/audit-object/audit-object.ts';
import { MetricsObject as Metrics } from '../../../src/metrics-object/metrics-object.ts';
import { PassObject as Pass } from '../../../src/pass-object/pass-object.ts';
import { QuotaObject as Quota } from '../../../src/quota-object/quota-object.ts';
import { SignerObject as Signer } from '../../../src/signer-object/signer-object.ts';
import { WebhookObject as Webhook } from '../../../src/webhook-object/webhook-object.ts';
import worker from '../../../src/worker.ts';
import { countEnv } from './count-env.ts';
import { countFetches } from './count-fetches.ts';
import { countDueAlarms, countStorage, recordAlarm, WEBHOOK } from './count-storage.ts';
import { count, takeCounts } from './counts.ts';

/**
 * The Worker with counters for statements and rows, calls of objects, messages, and requests to nodes. For a separate run, never
 * a timed one. `GET /__counts` returns the counts since the last reading.
 */

countFetches();

export class PassObject extends Pass {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countStorage(ctx, 'pass'), countEnv(env));
  }

  override alarm(): Promise<void> {
    recordAlarm(this.ctx, 'pass');
    return super.alarm();
  }
}

export class SignerObject extends Signer {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countStorage(ctx, 'signer'), countEnv(env));
  }

  override alarm(): Promise<void> {
    recordAlarm(this.ctx, 'signer');
    return super.alarm();
  }
}

export class QuotaObject extends Quota {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countStorage(ctx, 'quota'), countEnv(env));
  }
}

export class AuditObject extends Audit {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countStorage(ctx, 'audit'), countEnv(env));
  }
}

export class MetricsObject extends Metrics {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countStorage(ctx, 'metrics'), countEnv(env));
  }
}

export class WebhookObject extends Webhook {
  constructor(ctx: DurableObjectState, env: Env) {
    super(countStorage(ctx, WEBHOOK), countEnv(env));
  }
}

// No measure has a sandbox.
export { SandboxObject } from '../../../src/sandbox-object/sandbox-object.ts';
export { SubjectObject } from '../../../src/subject-object/subject-object.ts';
// It works at its own interval, whether or not there is an issuance.
export { WatcherObject } from '../../../src/watcher-object/watcher-object.ts';

export default {
  fetch(request, env) {
    if (new URL(request.url).pathname === '/__counts') {
      return Response.json({ counts: takeCounts(), alarms: countDueAlarms() });
    }
    count('requests');
    return worker.fetch(request, countEnv(env));
  },
  queue(batch, env) {
    count('queue.batches');
    count('queue.received', batch.messages.length);
    return worker.queue(batch, countEnv(env));
  },
  scheduled: (controller, env) => worker.scheduled(controller, countEnv(env)),
} satisfies ExportedHandler<Env>;
