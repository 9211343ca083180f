import { consume } from './consumer/consume.ts';
import { runSchedule } from './consumer/run-schedule.ts';
import { serve } from './http/serve.ts';

export { AuditObject } from './audit-object/audit-object.ts';
export { MetricsObject } from './metrics-object/metrics-object.ts';
export { PassObject } from './pass-object/pass-object.ts';
export { QuotaObject } from './quota-object/quota-object.ts';
export { SandboxObject } from './sandbox-object/sandbox-object.ts';
export { SignerObject } from './signer-object/signer-object.ts';
export { SubjectObject } from './subject-object/subject-object.ts';
export { WatcherObject } from './watcher-object/watcher-object.ts';
export { WebhookObject } from './webhook-object/webhook-object.ts';

// The variable of the module. Every bundler replaces the expression below with a text.
declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** The operator's room loads at its first request, because no request of a partner needs it. */
const loadOperatorRoutes = async () => (await import('./operator/routes.ts')).OPERATOR_ROUTES;
const serveAll = (request: Request, env: Env) => serve(request, env, loadOperatorRoutes);

export default {
  // Wrangler sets "production" when it builds a release, and then bundles nothing of the folder.
  fetch:
    process.env.NODE_ENV === 'development'
      ? (await import('./development/serve-clone.ts')).serveClone(serveAll)
      : serveAll,
  queue: consume,
  scheduled: runSchedule,
} satisfies ExportedHandler<Env>;
