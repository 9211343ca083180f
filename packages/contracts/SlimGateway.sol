// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

/// @title A gateway contract whose pass takes one storage slot.
/// @notice It has the functions, events and errors of the gateway contract 0.8.0 that gatekeepers, authorities and dApps use. It has no
///         owner, no upgrade, no forwarder, no charge and no flags, and no token ever changes hands. It calls no other contract.
/// @dev The id of a token follows from its gatekeeper network and its owner: the first 12 bytes of the hash of the slot, then the owner. So
///      a wallet has at most one token of a gatekeeper network, and no reorg changes an id. One word holds the issuing gatekeeper (160
///      bits), the expiration (64 bits) and the state (8 bits) of a token. The gatekeeper is never zero, so a word of zero means that there
///      is no token.
///
///      It differs from 0.8.0 in these points:
///      - A second `mint` for the same owner and network reverts, also if the first token is expired, revoked or void. `burn` makes room,
///        and the next token has the same id.
///      - `mint` with an expiration also emits `Expiration`. No `TransferValue` is emitted.
///      - `mint` to the zero address reverts with the text of the reads.
///      - `setNetworkFeatures` emits an event, `NetworkFeaturesChanged`.
///      - A charge, value, a flag, a DAO, an expiration above 2^64 - 1 and an empty name of a network revert.
///      - The authorities of a network are the admins of each role in it, and refusals in an unknown network name their role.
///      - After a burn nothing is left of a token: `verifyToken` reverts in each case, and `getIssuingGatekeeper` returns zero.
///      - `supportsInterface` is true for ERC-165 alone.
///      - All other functions revert with `SlimGateway__NotSupported`: transfers and approvals, `balanceOf(address)`, the lists of all
///        tokens, flags, texts for wallets, `renameNetwork`, `grantRole`, `revokeRole`, `renounceRole`, the functions of DAO managers, of a
///        super admin and of forwarders.
///
///      Two slots with the same prefix would share tokens, so the second one cannot be created. To find two such slots takes 2^48 hashes,
///      and 2^96 for a given slot. Reads and writes treat the second one as another name of the first, and events have the name that was used.
contract SlimGateway {
    /// @notice A payment. Every field must be zero.
    struct Charge {
        uint256 value;
        uint8 chargeType;
        address token;
        address tokenSender;
        address recipient;
    }

    /// @notice The features of networks, by their bits in the mask of `setNetworkFeatures`.
    enum NetworkFeature {
        REMOVE_GATEKEEPER_INVALIDATES_TOKENS
    }

    /// @dev A gatekeeper network. It exists if its name is not empty.
    struct Network {
        uint256 slot;
        uint256 features;
        uint256 nameLength;
        // The name by the offset of each 32 bytes.
        mapping(uint256 => bytes32) nameWords;
    }

    /// @notice Nobody has this role.
    bytes32 public constant DEFAULT_ADMIN_ROLE = 0;
    /// @notice Nobody has this role, because no DAO governs a network.
    bytes32 public constant DAO_MANAGER_ROLE = keccak256("DAO_MANAGER_ROLE");
    /// @notice May issue and change tokens.
    bytes32 public constant GATEKEEPER_ROLE = keccak256("GATEKEEPER_ROLE");
    /// @notice May set the features of a network, and give and take the roles in it.
    bytes32 public constant NETWORK_AUTHORITY_ROLE = keccak256("NETWORK_AUTHORITY_ROLE");

    uint8 private constant ACTIVE = 0;
    uint8 private constant FROZEN = 1;
    uint8 private constant REVOKED = 2;

    /// @dev The word of each token.
    mapping(uint256 => uint256) private _tokens;
    /// @dev Networks by the prefix of their token ids. Truncated slots would collide: many are small, and anybody may choose one.
    mapping(uint256 => Network) private _networks;
    /// @dev Whether an account has a role, by the hash of role, network and account.
    mapping(bytes32 => bool) private _roles;

    /// @notice A token is issued (from zero) or burned (to zero).
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    /// @notice A token is issued in a network (`oldSlot` is 0) or burned (`newSlot` is 0).
    event SlotChanged(uint256 indexed tokenId, uint256 indexed oldSlot, uint256 indexed newSlot);
    /// @notice A token becomes FROZEN.
    event Freeze(uint256 indexed tokenId);
    /// @notice A token becomes ACTIVE again.
    event Unfreeze(uint256 indexed tokenId);
    /// @notice A token becomes REVOKED.
    event Revoke(uint256 indexed tokenId);
    /// @notice A token is valid until that Unix time (seconds); 0: for ever.
    event Expiration(uint256 indexed tokenId, uint256 timestamp);
    /// @notice An account gets a role in a network.
    event RoleGranted(bytes32 indexed role, uint256 domain, address indexed account, address indexed sender);
    /// @notice An account loses a role in a network.
    event RoleRevoked(bytes32 indexed role, uint256 domain, address indexed account, address indexed sender);
    /// @notice A new network has a role whose accounts give and take this role.
    event RoleAdminChanged(
        bytes32 indexed role, uint256 domain, bytes32 indexed previousAdminRole, bytes32 indexed newAdminRole
    );
    /// @notice A network has the features whose bits are set, and no others.
    event NetworkFeaturesChanged(uint256 indexed network, uint256 mask);

    /// @notice The caller lacks the role in the network.
    error Common__Unauthorized(address sender, uint256 domain, bytes32 role);
    /// @notice The name is empty.
    error GatewayToken__EmptyNetworkName(uint256 network);
    /// @notice The network exists already.
    error GatewayToken__NetworkAlreadyExists(uint256 network);
    /// @notice There is no such token.
    error GatewayToken__TokenDoesNotExist(uint256 tokenId);
    /// @notice The token is FROZEN, REVOKED or void.
    error GatewayToken__TokenDoesNotExistOrIsInactive(uint256 tokenId, bool allowExpired);
    /// @notice The token is not FROZEN.
    error GatewayToken__TokenInvalidStateForOperation(uint256 tokenId, uint8 state, uint8 expectedState);

    /// @notice The wallet has this token of the network already.
    error SlimGateway__TokenExists(uint256 tokenId);
    /// @notice Another network has the same prefix of token ids. Choose another slot.
    error SlimGateway__PrefixTaken(uint256 network, uint256 otherNetwork);
    /// @notice The expiration is above 2^64 - 1.
    error SlimGateway__ExpirationTooLarge(uint256 timestamp);
    /// @notice The contract has no such function, or none with a charge, value, flags or a DAO.
    error SlimGateway__NotSupported(bytes4 selector);

    // ---------------------------------------------------------------- tokens

    /// @notice Issues a token to a wallet that has none of the network. Only for gatekeepers of the network.
    /// @param to The wallet.
    /// @param network The slot of the gatekeeper network.
    /// @param expiration The Unix time (seconds) until which it is valid; 0: for ever. It may be past.
    /// @param mask Must be 0.
    /// @param charge Must be zero.
    function mint(address to, uint256 network, uint256 expiration, uint256 mask, Charge calldata charge)
        external
        payable
    {
        _checkRole(GATEKEEPER_ROLE, network);
        _demandZero(mask, charge);
        uint256 existing = _mint(to, network, expiration);
        if (existing != 0) revert SlimGateway__TokenExists(existing);
    }

    /// @notice Issues a token to each wallet that has none of the network. Only for gatekeepers of the network.
    /// @param wallets The wallets. One that has a token in any state is skipped, and so is a repetition.
    /// @param network The slot of the gatekeeper network.
    /// @param expiration The Unix time (seconds) until which they are valid; 0: for ever. It may be past.
    function mintMany(address[] calldata wallets, uint256 network, uint256 expiration) external {
        _checkRole(GATEKEEPER_ROLE, network);
        for (uint256 i = 0; i < wallets.length; ++i) _mint(wallets[i], network, expiration);
    }

    /// @notice Sets the time until which an ACTIVE token is valid. Only for gatekeepers of its network.
    /// @param tokenId The token. It may be expired, but not void.
    /// @param timestamp Unix time (seconds); 0: for ever. It may be past.
    /// @param charge Must be zero.
    function setExpiration(uint256 tokenId, uint256 timestamp, Charge calldata charge) external payable {
        uint256 word = _changeableActive(tokenId);
        _demandZero(0, charge);
        _tokens[tokenId] = _wordOf(_gatekeeperIn(word), timestamp, ACTIVE);
        _emitExpiration(tokenId, timestamp);
    }

    /// @notice Freezes an ACTIVE token. Only for gatekeepers of its network.
    /// @param tokenId The token. It may be expired, but not void.
    function freeze(uint256 tokenId) external {
        _tokens[tokenId] = _changeableActive(tokenId) | FROZEN;
        emit Freeze(tokenId);
    }

    /// @notice Makes a FROZEN token ACTIVE again. Only for gatekeepers of its network.
    /// @param tokenId The token. It may be expired or void.
    function unfreeze(uint256 tokenId) external {
        uint256 word = _changeable(tokenId);
        uint8 state = _stateIn(word);
        if (state != FROZEN) revert GatewayToken__TokenInvalidStateForOperation(tokenId, state, FROZEN);
        _tokens[tokenId] = word ^ FROZEN;
        emit Unfreeze(tokenId);
    }

    /// @notice Revokes a token in any state, until it is burned. Only for gatekeepers of its network.
    /// @param tokenId The token.
    function revoke(uint256 tokenId) public {
        _tokens[tokenId] = ((_changeable(tokenId) >> 8) << 8) | REVOKED;
        emit Revoke(tokenId);
    }

    /// @notice Revokes tokens, also of several networks. Only for gatekeepers of their networks.
    /// @param tokenIds The tokens. An id without a token is skipped, so that a burn by another gatekeeper stops nothing.
    function revokeMany(uint256[] calldata tokenIds) external {
        for (uint256 i = 0; i < tokenIds.length; ++i) {
            uint256 tokenId = tokenIds[i];
            if (_tokens[tokenId] != 0) revoke(tokenId);
        }
    }

    /// @notice Removes a token in any state, so that its wallet can be issued another one. Only for gatekeepers of its network.
    /// @param tokenId The token.
    function burn(uint256 tokenId) external {
        _changeable(tokenId);
        delete _tokens[tokenId];
        _emitSlot(tokenId, _slotOf(tokenId), 0);
        _emitTransfer(_ownerIn(tokenId), address(0), tokenId);
    }

    // ---------------------------------------------------------------- networks

    /// @notice Creates a gatekeeper network with an unused slot. The caller becomes its authority.
    /// @param network The slot.
    /// @param name Its name, not empty.
    /// @param daoGoverned Must be false. A contract can be the authority.
    function createNetwork(uint256 network, string calldata name, bool daoGoverned, address) external {
        Network storage created = _networks[_prefixOf(network)];
        if (created.nameLength != 0) {
            if (created.slot == network) revert GatewayToken__NetworkAlreadyExists(network);
            revert SlimGateway__PrefixTaken(network, created.slot);
        }
        if (daoGoverned) _refuse();
        created.slot = network;
        _setName(network, name);
        _setRole(NETWORK_AUTHORITY_ROLE, network, msg.sender, true);
        _emitAdmin(NETWORK_AUTHORITY_ROLE, network);
        _emitAdmin(GATEKEEPER_ROLE, network);
    }

    /// @notice Makes an account a gatekeeper of a network. Only for authorities of the network.
    /// @param gatekeeper The account. The tokens of one that was removed before are no longer void.
    /// @param network The slot.
    function addGatekeeper(address gatekeeper, uint256 network) external {
        _changeRole(GATEKEEPER_ROLE, network, gatekeeper, true);
    }

    /// @notice Removes a gatekeeper of a network. Only for authorities of the network.
    /// @param gatekeeper The account. Its tokens are void if the network has that feature, and otherwise stay as they are.
    /// @param network The slot.
    function removeGatekeeper(address gatekeeper, uint256 network) external {
        _changeRole(GATEKEEPER_ROLE, network, gatekeeper, false);
    }

    /// @notice Makes an account an authority of a network. Only for authorities of the network.
    /// @param authority The account.
    /// @param network The slot.
    function addNetworkAuthority(address authority, uint256 network) external {
        _changeRole(NETWORK_AUTHORITY_ROLE, network, authority, true);
    }

    /// @notice Removes an authority of a network, also the last one. Only for authorities of the network.
    /// @param authority The account.
    /// @param network The slot.
    function removeNetworkAuthority(address authority, uint256 network) external {
        _changeRole(NETWORK_AUTHORITY_ROLE, network, authority, false);
    }

    /// @notice Sets all features of a network. Only for its authorities.
    /// @param network The slot.
    /// @param mask Bit 0: the tokens of a removed gatekeeper are void, until it is added again. The other bits mean nothing.
    function setNetworkFeatures(uint256 network, uint256 mask) external {
        _checkRole(NETWORK_AUTHORITY_ROLE, network);
        _networks[_prefixOf(network)].features = mask;
        emit NetworkFeaturesChanged(network, mask);
    }

    // ---------------------------------------------------------------- reads

    /// @notice Whether a wallet has a valid token of a network: ACTIVE, not expired and not void.
    /// @param owner The wallet.
    /// @param network The slot.
    function verifyToken(address owner, uint256 network) external view returns (bool) {
        return _isValid(_idOf(owner, network));
    }

    /// @notice Whether a token is valid. It reverts if there is no such token.
    /// @param tokenId The token.
    function verifyToken(uint256 tokenId) external view returns (bool) {
        _wordOfExisting(tokenId);
        return _isValid(tokenId);
    }

    /// @notice The token of a wallet in a network, if it has one.
    /// @param owner The wallet.
    /// @param network The slot.
    /// @param onlyActive Whether to return it only while it is valid, and not in each state.
    /// @return tokenIds One id, or none.
    function getTokenIdsByOwnerAndNetwork(address owner, uint256 network, bool onlyActive)
        external
        view
        returns (uint256[] memory tokenIds)
    {
        uint256 tokenId = _idOf(owner, network);
        if (onlyActive ? _isValid(tokenId) : _tokens[tokenId] != 0) {
            // A list of one id, in less code than the compiler makes of it.
            assembly ("memory-safe") {
                tokenIds := mload(64)
                mstore(tokenIds, 1)
                mstore(add(tokenIds, 32), tokenId)
                mstore(64, add(tokenIds, 64))
            }
        }
    }

    /// @notice All facts of a token. It reverts if there is no such token.
    /// @param tokenId The token.
    /// @return owner The wallet.
    /// @return state 0: ACTIVE, 1: FROZEN, 2: REVOKED.
    /// @return identity Always empty.
    /// @return expiration The Unix time (seconds) until which it is valid; 0: for ever.
    /// @return bitmask Always 0.
    function getToken(uint256 tokenId)
        external
        view
        returns (address owner, uint8 state, string memory identity, uint256 expiration, uint256 bitmask)
    {
        uint256 word = _wordOfExisting(tokenId);
        return (_ownerIn(tokenId), _stateIn(word), identity, _expirationIn(word), bitmask);
    }

    /// @notice The wallet of a token. It reverts if there is no such token.
    /// @param tokenId The token.
    function ownerOf(uint256 tokenId) external view returns (address) {
        _wordOfExisting(tokenId);
        return _ownerIn(tokenId);
    }

    /// @notice The gatekeeper network of a token. It reverts if there is no such token.
    /// @param tokenId The token.
    function slotOf(uint256 tokenId) external view returns (uint256) {
        _wordOfExisting(tokenId);
        return _slotOf(tokenId);
    }

    /// @notice The value of a token, always 1. It reverts if there is no such token.
    /// @param tokenId The token.
    function balanceOf(uint256 tokenId) external view returns (uint256) {
        _wordOfExisting(tokenId);
        return 1;
    }

    /// @notice The Unix time (seconds) until which a token is valid; 0: for ever. It reverts if there is no such token.
    /// @param tokenId The token.
    function getExpiration(uint256 tokenId) external view returns (uint256) {
        uint256 word = _tokens[tokenId];
        if (word == 0) revert GatewayToken__TokenDoesNotExist(tokenId);
        return _expirationIn(word);
    }

    /// @notice The gatekeeper that issued a token; zero: there is no such token.
    /// @param tokenId The token.
    function getIssuingGatekeeper(uint256 tokenId) external view returns (address) {
        return _gatekeeperIn(_tokens[tokenId]);
    }

    /// @notice The name of a network; empty: there is none with this slot.
    /// @param network The slot.
    function getNetwork(uint256 network) external view returns (string memory name) {
        Network storage found = _networks[_prefixOf(network)];
        uint256 length = found.nameLength;
        assembly ("memory-safe") {
            name := mload(64)
            mstore(name, length)
            mstore(64, add(name, add(64, length)))
        }
        for (uint256 i = 0; i < length; i += 32) {
            bytes32 word = found.nameWords[i];
            assembly ("memory-safe") {
                mstore(add(add(name, 32), i), word)
            }
        }
    }

    /// @notice Whether an account may issue and change tokens of a network.
    /// @param gatekeeper The account.
    /// @param network The slot.
    function isGatekeeper(address gatekeeper, uint256 network) external view returns (bool) {
        return _isGatekeeper(gatekeeper, _prefixOf(network));
    }

    /// @notice Whether an account is an authority of a network.
    /// @param authority The account.
    /// @param network The slot.
    function isNetworkAuthority(address authority, uint256 network) external view returns (bool) {
        return hasRole(NETWORK_AUTHORITY_ROLE, network, authority);
    }

    /// @notice Whether an account has a role in a network.
    /// @param role The role.
    /// @param network The slot.
    /// @param account The account.
    function hasRole(bytes32 role, uint256 network, address account) public view returns (bool) {
        return _roles[_keyOf(role, _prefixOf(network), account)];
    }

    /// @notice The role whose accounts give and take a role in a network. Zero: there is no such network.
    /// @param role The role.
    /// @param network The slot.
    function getRoleAdmin(bytes32 role, uint256 network) external view returns (bytes32) {
        return role != 0 && _networks[_prefixOf(network)].nameLength != 0 ? NETWORK_AUTHORITY_ROLE : bytes32(0);
    }

    /// @notice Whether a network has a feature.
    /// @param network The slot.
    function networkHasFeature(uint256 network, NetworkFeature) external view returns (bool) {
        return _voids(_prefixOf(network));
    }

    /// @notice True for ERC-165 alone: transfers, approvals and balances of wallets, which ERC-721 and ERC-3525 demand, are missing.
    /// @param interfaceId The interface.
    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == 0x01ffc9a7;
    }

    /// @notice Refuses all other functions. Coins are refused without a reason.
    fallback() external {
        _refuse();
    }

    // ---------------------------------------------------------------- parts

    /// @dev Issues a token and returns 0, or returns the token that the wallet has.
    function _mint(address to, uint256 network, uint256 expiration) private returns (uint256 existing) {
        uint256 tokenId = _idOf(to, network);
        if (_tokens[tokenId] != 0) return tokenId;
        _tokens[tokenId] = _wordOf(msg.sender, expiration, ACTIVE);
        _emitTransfer(address(0), to, tokenId);
        _emitSlot(tokenId, 0, network);
        if (expiration != 0) _emitExpiration(tokenId, expiration);
    }

    function _setName(uint256 network, string calldata name) private {
        Network storage named = _networks[_prefixOf(network)];
        uint256 length = bytes(name).length;
        if (length == 0) revert GatewayToken__EmptyNetworkName(network);
        named.nameLength = length;
        for (uint256 i = 0; i < length; i += 32) {
            bytes32 word;
            // The last word may end with bytes that follow the name. The length cuts them off.
            assembly ("memory-safe") {
                word := calldataload(add(name.offset, i))
            }
            named.nameWords[i] = word;
        }
    }

    function _setRole(bytes32 role, uint256 network, address account, bool has) private {
        bytes32 key = _keyOf(role, _prefixOf(network), account);
        if (_roles[key] == has) return;
        _roles[key] = has;
        if (has) emit RoleGranted(role, network, account, msg.sender);
        else emit RoleRevoked(role, network, account, msg.sender);
    }

    function _changeRole(bytes32 role, uint256 network, address account, bool has) private {
        _checkRole(NETWORK_AUTHORITY_ROLE, network);
        _setRole(role, network, account, has);
    }

    function _emitTransfer(address from, address to, uint256 tokenId) private {
        emit Transfer(from, to, tokenId);
    }

    function _emitSlot(uint256 tokenId, uint256 from, uint256 to) private {
        emit SlotChanged(tokenId, from, to);
    }

    function _emitExpiration(uint256 tokenId, uint256 timestamp) private {
        emit Expiration(tokenId, timestamp);
    }

    function _emitAdmin(bytes32 role, uint256 network) private {
        emit RoleAdminChanged(role, network, 0, NETWORK_AUTHORITY_ROLE);
    }

    function _checkRole(bytes32 role, uint256 network) private view {
        if (!hasRole(role, network, msg.sender)) revert Common__Unauthorized(msg.sender, network, role);
    }

    /// @dev Refuses flags, a charge and value.
    function _demandZero(uint256 mask, Charge calldata charge) private view {
        uint256 any = msg.value | mask;
        // The charge is five words.
        assembly ("memory-safe") {
            for { let end := add(charge, 160) } lt(charge, end) { charge := add(charge, 32) } {
                any := or(any, calldataload(charge))
            }
        }
        if (any != 0) _refuse();
    }

    function _refuse() private pure {
        revert SlimGateway__NotSupported(msg.sig);
    }

    /// @dev Returns the word of a token that the caller may change. Reverts if there is none, or for everybody else.
    function _changeable(uint256 tokenId) private view returns (uint256 word) {
        word = _wordOfExisting(tokenId);
        if (!_isGatekeeper(msg.sender, tokenId >> 160)) {
            revert Common__Unauthorized(msg.sender, _slotOf(tokenId), GATEKEEPER_ROLE);
        }
    }

    /// @dev Returns the word of a token that the caller may freeze or extend: it is ACTIVE and not void, but it may be expired.
    function _changeableActive(uint256 tokenId) private view returns (uint256 word) {
        word = _changeable(tokenId);
        // The caller is a gatekeeper, so a token that it issued is not void.
        if (_stateIn(word) != ACTIVE || (_gatekeeperIn(word) != msg.sender && _isVoid(tokenId, word))) {
            revert GatewayToken__TokenDoesNotExistOrIsInactive(tokenId, true);
        }
    }

    function _wordOfExisting(uint256 tokenId) private view returns (uint256 word) {
        word = _tokens[tokenId];
        require(word != 0, "ERC3525: invalid token ID");
    }

    function _isValid(uint256 tokenId) private view returns (bool) {
        uint256 word = _tokens[tokenId];
        if (word == 0 || _stateIn(word) != ACTIVE) return false;
        uint256 expiration = _expirationIn(word);
        return (expiration == 0 || block.timestamp <= expiration) && !_isVoid(tokenId, word);
    }

    function _isVoid(uint256 tokenId, uint256 word) private view returns (bool) {
        uint256 prefix = tokenId >> 160;
        return _voids(prefix) && !_isGatekeeper(_gatekeeperIn(word), prefix);
    }

    /// @dev Whether the removal of a gatekeeper voids its tokens.
    function _voids(uint256 prefix) private view returns (bool) {
        return _networks[prefix].features & 1 != 0;
    }

    function _isGatekeeper(address account, uint256 prefix) private view returns (bool) {
        return _roles[_keyOf(GATEKEEPER_ROLE, prefix, account)];
    }

    function _slotOf(uint256 tokenId) private view returns (uint256) {
        return _networks[tokenId >> 160].slot;
    }

    function _keyOf(bytes32 role, uint256 prefix, address account) private pure returns (bytes32) {
        return keccak256(abi.encode(role, prefix, account));
    }

    function _prefixOf(uint256 network) private pure returns (uint256) {
        return uint256(keccak256(abi.encode(network))) >> 160;
    }

    function _idOf(address owner, uint256 network) private pure returns (uint256) {
        require(owner != address(0), "ERC3525: balance query for the zero address");
        return (_prefixOf(network) << 160) | uint160(owner);
    }

    function _ownerIn(uint256 tokenId) private pure returns (address) {
        return address(uint160(tokenId));
    }

    function _wordOf(address gatekeeper, uint256 expiration, uint8 state) private pure returns (uint256) {
        if (expiration > type(uint64).max) revert SlimGateway__ExpirationTooLarge(expiration);
        return (((uint256(uint160(gatekeeper)) << 64) | expiration) << 8) | state;
    }

    function _stateIn(uint256 word) private pure returns (uint8) {
        return uint8(word);
    }

    function _expirationIn(uint256 word) private pure returns (uint256) {
        return uint64(word >> 8);
    }

    function _gatekeeperIn(uint256 word) private pure returns (address) {
        return address(uint160(word >> 72));
    }
}
