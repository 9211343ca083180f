export * from '../http/metrics/metrics-text.ts';
