import type { RunningVersion } from '../../../../ops/deploy/worker-versions.ts';

/** Returns a version that answers all requests. */
export const aVersion = (changes: Partial<RunningVersion> = {}): RunningVersion => ({
  id: 'b',
  createdOn: '2026-11-02T00:00:00Z',
  tag: '1.0.1',
  isSecretChange: false,
  release: '1.0.1',
  previous: '1.0.0',
  classes: 'v1',
  variables: {},
  secrets: ['RPC_ENDPOINTS'],
  percentage: 100,
  ...changes,
});
