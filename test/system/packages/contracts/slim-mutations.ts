/** Mutations of `SlimGateway.sol`: each replaces the only occurrence of a text. */
export const MUTATIONS: readonly (readonly [from: string, to: string])[] = [
  // Issuing.
  ['        _demandZero(mask, charge);', '        _demandZero(0, charge);'],
  ['        _demandZero(0, charge);\n', ''],
  ['uint256 any = msg.value | mask;', 'uint256 any = mask;'],
  ['add(charge, 160)', 'add(charge, 128)'],
  ['if (any != 0) _refuse();', 'if (any > 1) _refuse();'],
  ['if (existing != 0) revert SlimGateway__TokenExists(existing);', ''],
  ['if (_tokens[tokenId] != 0) return tokenId;', ''],
  ['if (_tokens[tokenId] != 0) return tokenId;', 'if (_stateIn(_tokens[tokenId]) != ACTIVE) return tokenId;'],
  ['_wordOf(msg.sender, expiration, ACTIVE)', '_wordOf(msg.sender, expiration, FROZEN)'],
  ['_wordOf(msg.sender, expiration, ACTIVE)', '_wordOf(to, expiration, ACTIVE)'],
  ['_emitTransfer(address(0), to, tokenId);', ''],
  ['_emitSlot(tokenId, 0, network);', '_emitSlot(tokenId, network, 0);'],
  ['if (expiration != 0) _emitExpiration(tokenId, expiration);', ''],
  ['for (uint256 i = 0; i < wallets.length; ++i) _mint', 'for (uint256 i = 1; i < wallets.length; ++i) _mint'],
  ['        _checkRole(GATEKEEPER_ROLE, network);\n        for', '        for'],
  ['        _checkRole(GATEKEEPER_ROLE, network);\n        _demandZero', '        _demandZero'],
  ['require(owner != address(0), "ERC3525: balance query for the zero address");', ''],
  // Changing.
  ['_wordOf(_gatekeeperIn(word), timestamp, ACTIVE)', '_wordOf(msg.sender, timestamp, ACTIVE)'],
  [
    '        _emitExpiration(tokenId, timestamp);\n    }\n\n    /// @notice Freezes',
    '    }\n\n    /// @notice Freezes',
  ],
  ['_changeableActive(tokenId) | FROZEN;', '_changeableActive(tokenId) | REVOKED;'],
  ['_tokens[tokenId] = _changeableActive(tokenId) | FROZEN;', '_tokens[tokenId] = _changeable(tokenId) | FROZEN;'],
  ['        emit Freeze(tokenId);\n', ''],
  ['if (state != FROZEN) revert', 'if (state == ACTIVE) revert'],
  ['if (state != FROZEN) revert', 'if (state == REVOKED) revert'],
  ['_tokens[tokenId] = word ^ FROZEN;', '_tokens[tokenId] = word;'],
  ['        emit Unfreeze(tokenId);\n', ''],
  ['((_changeable(tokenId) >> 8) << 8) | REVOKED', '((_changeable(tokenId) >> 8) << 8) | FROZEN'],
  ['((_changeable(tokenId) >> 8) << 8) | REVOKED', '_changeable(tokenId) | REVOKED'],
  ['((_changeable(tokenId) >> 8) << 8) | REVOKED', '_wordOf(_gatekeeperIn(_changeable(tokenId)), 0, REVOKED)'],
  ['if (_tokens[tokenId] != 0) revoke(tokenId);', 'revoke(tokenId);'],
  ['        _changeable(tokenId);\n        delete', '        _wordOfExisting(tokenId);\n        delete'],
  ['        delete _tokens[tokenId];\n', ''],
  ['_emitSlot(tokenId, _slotOf(tokenId), 0);', '_emitSlot(tokenId, 0, _slotOf(tokenId));'],
  ['_emitTransfer(_ownerIn(tokenId), address(0), tokenId);', ''],
  ['if (!_isGatekeeper(msg.sender, tokenId >> 160)) {', 'if (!_isGatekeeper(_gatekeeperIn(word), tokenId >> 160)) {'],
  ['_gatekeeperIn(word) != msg.sender && _isVoid', '_gatekeeperIn(word) == msg.sender && _isVoid'],
  ['TokenDoesNotExistOrIsInactive(tokenId, true);', 'TokenDoesNotExistOrIsInactive(tokenId, false);'],
  ['require(word != 0, "ERC3525: invalid token ID");', ''],
  // Networks.
  ['if (created.nameLength != 0) {', 'if (created.nameLength == 1) {'],
  ['if (created.slot == network) revert', 'if (created.slot != network) revert'],
  ['if (daoGoverned) _refuse();', ''],
  ['        created.slot = network;\n', ''],
  ['if (length == 0) revert GatewayToken__EmptyNetworkName(network);', ''],
  ['named.nameLength = length;', 'named.nameLength = length + 1;'],
  [
    '_setRole(NETWORK_AUTHORITY_ROLE, network, msg.sender, true);',
    '_setRole(GATEKEEPER_ROLE, network, msg.sender, true);',
  ],
  ['        _checkRole(NETWORK_AUTHORITY_ROLE, network);\n        _networks', '        _networks'],
  ['        _checkRole(NETWORK_AUTHORITY_ROLE, network);\n        _setRole', '        _setRole'],
  ['if (_roles[key] == has) return;', ''],
  ['        _roles[key] = has;\n', '        _roles[key] = true;\n'],
  ['emit RoleGranted(role, network, account, msg.sender);', 'emit RoleGranted(role, network, account, account);'],
  ['        emit NetworkFeaturesChanged(network, mask);\n', ''],
  // Reads.
  ['_voids(prefix) && !_isGatekeeper', '_voids(prefix) || !_isGatekeeper'],
  ['features & 1 != 0', 'features & 2 != 0'],
  ['features & 1 != 0', 'features != 0'],
  ['block.timestamp <= expiration', 'block.timestamp < expiration'],
  ['expiration == 0 || block.timestamp', 'expiration != 0 && block.timestamp'],
  ['word == 0 || _stateIn(word) != ACTIVE', 'word == 0 || _stateIn(word) == FROZEN'],
  ['onlyActive ? _isValid(tokenId) : _tokens[tokenId] != 0', 'onlyActive ? _tokens[tokenId] != 0 : _isValid(tokenId)'],
  ['if (expiration > type(uint64).max)', 'if (expiration > type(uint72).max)'],
  ['if (expiration > type(uint64).max)', 'if (expiration >= type(uint64).max)'],
  ['return uint64(word >> 8);', 'return uint32(word >> 8);'],
  ['(_prefixOf(network) << 160) | uint160(owner)', '(network << 160) | uint160(owner)'],
  ['keccak256(abi.encode(role, prefix, account))', 'keccak256(abi.encode(role, account))'],
];

const MAY_CHANGE = 'if (!_isGatekeeper(msg.sender, tokenId >> 160)) {';
const MINTED = 'if (_tokens[tokenId] != 0) return tokenId;';
const REVOKED = '((_changeable(tokenId) >> 8) << 8) | REVOKED';
const TOLD = /the events (do not )?tell|without the right|that does not exist/;

/** Mutations that break an invariant of passes, each with the fault that the events and reads of this contract alone show. */
export const BROKEN_INVARIANTS: readonly (readonly [what: string, from: string, to: string, fault: RegExp])[] = [
  // A wallet has at most one token of a network.
  ['a second mint', MINTED, '', /gets a second token/],
  ['two ids in a list', 'mstore(tokenIds, 1)', 'mstore(tokenIds, 2)', /has other tokens/],
  [
    'ids that do not follow from the wallet',
    '| uint160(owner)',
    '| uint160(uint256(keccak256(abi.encode(owner))))',
    /does not follow|has other tokens|second token/,
  ],
  // Only gatekeepers of its network change a token.
  [
    'mint by everybody',
    '_checkRole(GATEKEEPER_ROLE, network);\n        _demandZero',
    '_demandZero',
    /a token without the right/,
  ],
  ['mintMany by everybody', '_checkRole(GATEKEEPER_ROLE, network);\n        for', 'for', /a token without the right/],
  ['changes by everybody', MAY_CHANGE, 'if (false) {', /a token without the right/],
  [
    'changes by authorities',
    MAY_CHANGE,
    'if (!hasRole(NETWORK_AUTHORITY_ROLE, _slotOf(tokenId), msg.sender)) {',
    /a token without the right/,
  ],
  [
    'burn by everybody, with one event',
    '        _changeable(tokenId);\n        delete _tokens[tokenId];\n        _emitSlot(tokenId, _slotOf(tokenId), 0);\n',
    '        _wordOfExisting(tokenId);\n        delete _tokens[tokenId];\n',
    /a token without the right/,
  ],
  [
    'gatekeepers by everybody',
    '        _checkRole(NETWORK_AUTHORITY_ROLE, network);\n        _setRole',
    '        _setRole',
    /network .* without the right/,
  ],
  [
    'features by everybody',
    '        _checkRole(NETWORK_AUTHORITY_ROLE, network);\n        _networks',
    '        _networks',
    /network .* without the right/,
  ],
  // A revoked token is never active again, until a burn.
  [
    'mint of a revoked token',
    MINTED,
    'if (_tokens[tokenId] != 0 && _stateIn(_tokens[tokenId]) != REVOKED) return tokenId;',
    /gets a second token/,
  ],
  [
    'unfreeze of a revoked token',
    'if (state != FROZEN) revert',
    'if (state == ACTIVE) revert',
    /Unfreeze of a revoked token/,
  ],
  [
    'freeze of a revoked token',
    '_changeableActive(tokenId) | FROZEN',
    '_changeable(tokenId) | FROZEN',
    /Freeze of a revoked token/,
  ],
  [
    'setExpiration of a revoked token',
    'uint256 word = _changeableActive(tokenId);',
    'uint256 word = _changeable(tokenId);',
    /Expiration of a revoked token/,
  ],
  [
    'a second revoke that undoes the first',
    REVOKED,
    REVOKED.replace('| REVOKED', '| (_stateIn(_tokens[tokenId]) == REVOKED ? ACTIVE : REVOKED)'),
    /the events tell/,
  ],
  // The events alone tell owner, network, state and expiry.
  ['no Transfer of a mint', '_emitTransfer(address(0), to, tokenId);', '', TOLD],
  [
    'a Transfer to somebody else',
    '_emitTransfer(address(0), to, tokenId);',
    '_emitTransfer(address(0), msg.sender, tokenId);',
    /does not follow/,
  ],
  ['no Transfer of a burn', '_emitTransfer(_ownerIn(tokenId), address(0), tokenId);', '', TOLD],
  ['no SlotChanged of a mint', '_emitSlot(tokenId, 0, network);', '', TOLD],
  ['no Freeze', 'emit Freeze(tokenId);', '', TOLD],
  ['no Unfreeze', 'emit Unfreeze(tokenId);', '', TOLD],
  ['no Revoke', 'emit Revoke(tokenId);', '', TOLD],
  ['no Expiration of a mint', 'if (expiration != 0) _emitExpiration(tokenId, expiration);', '', TOLD],
  ['another Expiration', 'emit Expiration(tokenId, timestamp);', 'emit Expiration(tokenId, timestamp / 2);', TOLD],
  [
    'no RoleGranted',
    'if (has) emit RoleGranted(role, network, account, msg.sender);\n        else emit',
    'if (!has) emit',
    TOLD,
  ],
  ['no RoleRevoked', 'else emit RoleRevoked(role, network, account, msg.sender);', '', TOLD],
  ['no NetworkFeaturesChanged', 'emit NetworkFeaturesChanged(network, mask);', '', TOLD],
];

/** Mutations that the malformed calls, the names and the lists find. */
export const TAKES_OTHER_BYTES: readonly (readonly [what: string, from: string, to: string])[] = [
  [
    'high bits of a charge',
    'any := or(any, calldataload(charge))',
    'any := or(any, and(calldataload(charge), sub(shl(160, 1), 1)))',
  ],
  ['the highest bit of a charge', 'if (any != 0) _refuse();', 'if (any << 1 != 0) _refuse();'],
  ['high bits of flags', 'uint256 any = msg.value | mask;', 'uint256 any = msg.value | uint128(mask);'],
  ['value of mintMany', 'uint256 expiration) external {', 'uint256 expiration) external payable {'],
  [
    'value of a check',
    'function verifyToken(uint256 tokenId) external view returns',
    'function verifyToken(uint256 tokenId) external payable returns',
  ],
  ['a large expiration', 'if (expiration > type(uint64).max)', 'if (expiration > type(uint128).max)'],
  [
    'a name without its last word',
    'for (uint256 i = 0; i < length; i += 32) {\n            bytes32 word;',
    'for (uint256 i = 0; i + 32 < length; i += 32) {\n            bytes32 word;',
  ],
  ['a name in less memory', 'mstore(64, add(name, add(64, length)))', 'mstore(64, add(name, length))'],
  ['a name without its length', 'named.nameLength = length;', 'named.nameLength = (length + 31) / 32 * 32;'],
];
