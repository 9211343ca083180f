/** A provider and a hook of React that follow a wallet's pass. */
export * from './core.ts';
export { type GatewayProps, useGateway } from './gateway-context.ts';
export {
  GatewayProvider,
  type GatewayProviderProps,
  type GatewayWallet,
} from './gateway-provider.tsx';
export { GatewayStatus } from './gateway-status.ts';
export type { GatewayToken, PublicKeyLike } from './gateway-token.ts';
/** The name of Civic's packages for the button. */
export { PassButton as IdentityButton, PassButton, type PassButtonProps } from './pass-button.tsx';
export { PassGate, type PassGateProps } from './pass-gate.tsx';
export { ACTIONS, TEXTS, type Texts } from './texts.ts';
