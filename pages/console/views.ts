import type { Kind } from './settings.ts';
import type { ViewComponent } from './view-component.ts';

/** A view of the console. The browser loads its code when somebody opens it. */
export interface View {
  readonly path: string;
  readonly title: string;
  /** The scope that a person needs for it. */
  readonly scope: string;
  /** The key that opens it, after `g`. */
  readonly key: string;
  readonly load: () => Promise<ViewComponent>;
}

/** The views of each kind of person, in the order of the navigation. */
export const VIEWS: Readonly<Record<Kind, readonly View[]>> = {
  staff: [
    {
      ...{ path: 'overview', title: 'Overview', scope: 'search', key: 'o' },
      load: () => import('./passes/pass-overview.tsx').then(({ PassOverview }) => PassOverview),
    },
    {
      ...{ path: 'find', title: 'Find', scope: 'search', key: 'f' },
      load: () => import('./passes/find.tsx').then(({ FindView }) => FindView),
    },
    {
      ...{ path: 'issue', title: 'Issue', scope: 'issue', key: 'i' },
      load: () => import('./passes/issue.tsx').then(({ IssueView }) => IssueView),
    },
    {
      ...{ path: 'many', title: 'Change many passes', scope: 'update', key: 'm' },
      load: () => import('./passes/change-many.tsx').then(({ ChangeManyView }) => ChangeManyView),
    },
    {
      ...{ path: 'feed', title: 'Live feed', scope: 'search', key: 'l' },
      load: () => import('./passes/feed.tsx').then(({ FeedView }) => FeedView),
    },
    {
      ...{ path: 'webhooks', title: 'Webhooks', scope: 'webhook', key: 'w' },
      load: () => import('./webhooks/webhooks.tsx').then(({ WebhooksView }) => WebhooksView),
    },
    {
      ...{ path: 'usage', title: 'Usage', scope: 'search', key: 'u' },
      load: () => import('./usage/usage.tsx').then(({ UsageView }) => UsageView),
    },
    {
      ...{ path: 'audit', title: 'Audit', scope: 'search', key: 'a' },
      load: () => import('./audit/audit.tsx').then(({ AuditView }) => AuditView),
    },
  ],
  operator: [
    {
      ...{ path: 'overview', title: 'Overview', scope: 'read', key: 'o' },
      load: () => import('./operator/service-overview.tsx').then(({ ServiceOverview }) => ServiceOverview),
    },
    {
      ...{ path: 'signers', title: 'Signers', scope: 'read', key: 's' },
      load: () => import('./operator/signers.tsx').then(({ SignersView }) => SignersView),
    },
    {
      ...{ path: 'stuck', title: 'Stuck passes', scope: 'read', key: 't' },
      load: () => import('./operator/stuck.tsx').then(({ StuckView }) => StuckView),
    },
    {
      ...{ path: 'why', title: 'Why not active', scope: 'read', key: 'y' },
      load: () => import('./operator/why.tsx').then(({ WhyView }) => WhyView),
    },
    {
      ...{ path: 'partners', title: 'Partners', scope: 'read', key: 'n' },
      load: () => import('./operator/partners.tsx').then(({ PartnersView }) => PartnersView),
    },
    {
      ...{ path: 'approvals', title: 'Approvals', scope: 'read', key: 'p' },
      load: () => import('./operator/approvals.tsx').then(({ ApprovalsView }) => ApprovalsView),
    },
    {
      ...{ path: 'health', title: 'Webhooks and reconciliation', scope: 'read', key: 'h' },
      load: () => import('./operator/health.tsx').then(({ HealthView }) => HealthView),
    },
    {
      ...{ path: 'all-usage', title: 'Usage', scope: 'read', key: 'u' },
      load: () => import('./usage/usage.tsx').then(({ AllUsageView }) => AllUsageView),
    },
    {
      ...{ path: 'all-audit', title: 'Audit', scope: 'read', key: 'a' },
      load: () => import('./audit/audit.tsx').then(({ OperatorAuditView }) => OperatorAuditView),
    },
  ],
};

/** The view of one person, which no link of the navigation opens. */
export const loadSubjectView = () => import('./passes/subject.tsx').then(({ SubjectRoute }) => SubjectRoute);

/** The view of one pass, which no link of the navigation opens. */
export const loadPassView = () => import('./passes/pass.tsx').then(({ PassRoute }) => PassRoute);
