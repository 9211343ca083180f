/** The used part of GatewayToken's interface (identity.com, gateway-eth 0.8.0). */

const charge = {
  name: 'charge',
  type: 'tuple',
  components: [
    { name: 'value', type: 'uint256' },
    { name: 'chargeType', type: 'uint8' },
    { name: 'token', type: 'address' },
    { name: 'tokenSender', type: 'address' },
    { name: 'recipient', type: 'address' },
  ],
} as const;

const uint = (name: string) => ({ name, type: 'uint256' }) as const;
const indexed = (name: string) => ({ name, type: 'uint256', indexed: true }) as const;

const ofToken = <const Name extends string>(name: Name) =>
  ({ type: 'function', name, stateMutability: 'nonpayable', inputs: [uint('tokenId')], outputs: [] }) as const;
const tokenEvent = <const Name extends string>(name: Name) =>
  ({ type: 'event', name, inputs: [indexed('tokenId')] }) as const;

export const GATEWAY_ABI = [
  {
    type: 'function',
    name: 'mint',
    stateMutability: 'payable',
    inputs: [{ name: 'to', type: 'address' }, uint('network'), uint('expiration'), uint('mask'), charge],
    outputs: [],
  },
  {
    type: 'function',
    name: 'setExpiration',
    stateMutability: 'payable',
    inputs: [uint('tokenId'), uint('timestamp'), charge],
    outputs: [],
  },
  ofToken('freeze'),
  ofToken('unfreeze'),
  ofToken('revoke'),
  {
    type: 'function',
    name: 'getTokenIdsByOwnerAndNetwork',
    stateMutability: 'view',
    inputs: [{ name: 'owner', type: 'address' }, uint('network'), { name: 'onlyActive', type: 'bool' }],
    outputs: [{ name: 'ids', type: 'uint256[]' }],
  },
  {
    type: 'function',
    name: 'getToken',
    stateMutability: 'view',
    inputs: [uint('tokenId')],
    outputs: [
      { name: 'owner', type: 'address' },
      { name: 'state', type: 'uint8' },
      { name: 'identity', type: 'string' },
      uint('expiration'),
      uint('bitmask'),
    ],
  },
  // From ERC-3525. The slot is the gatekeeper network.
  { type: 'function', name: 'slotOf', stateMutability: 'view', inputs: [uint('tokenId')], outputs: [uint('slot')] },
  {
    type: 'event',
    name: 'Transfer',
    inputs: [
      { name: 'from', type: 'address', indexed: true },
      { name: 'to', type: 'address', indexed: true },
      indexed('tokenId'),
    ],
  },
  { type: 'event', name: 'SlotChanged', inputs: [indexed('tokenId'), indexed('oldSlot'), indexed('newSlot')] },
  tokenEvent('Freeze'),
  tokenEvent('Unfreeze'),
  tokenEvent('Revoke'),
  { type: 'event', name: 'Expiration', inputs: [indexed('tokenId'), uint('timestamp')] },
  {
    type: 'error',
    name: 'Common__Unauthorized',
    inputs: [{ name: 'sender', type: 'address' }, uint('domain'), { name: 'role', type: 'bytes32' }],
  },
  { type: 'error', name: 'GatewayToken__NetworkDoesNotExist', inputs: [uint('network')] },
  { type: 'error', name: 'GatewayToken__TokenDoesNotExist', inputs: [uint('tokenId')] },
  {
    type: 'error',
    name: 'GatewayToken__TokenDoesNotExistOrIsInactive',
    inputs: [uint('tokenId'), { name: 'allowExpired', type: 'bool' }],
  },
  {
    type: 'error',
    name: 'GatewayToken__TokenInvalidStateForOperation',
    inputs: [uint('tokenId'), { name: 'state', type: 'uint8' }, { name: 'expectedState', type: 'uint8' }],
  },
] as const;
