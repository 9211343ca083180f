/** Follows a pass in a page, without React. */
export {
  type PassRequest,
  type PassSnapshot,
  type PassState,
  type PassWatch,
  type RequestPass,
  type WatchOptions,
  watchPass,
} from './pass-watch.ts';
export type { PassQuery, PassReader, Reading, TokenState } from './reader.ts';
export { type ServiceOptions, verifyReader } from './verify-reader.ts';
export { type ContractOptions, type ViemClient, viemReader } from './viem-reader.ts';
