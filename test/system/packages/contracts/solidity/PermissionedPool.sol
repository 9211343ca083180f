// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

import {ERC165Checker} from "@openzeppelin/contracts/utils/introspection/ERC165Checker.sol";

// The checks of Uniswap v4's permissioned pools, written from their description in docs/partners/permissioned-pools.md. Amounts and
// prices are missing: only the permissions matter here.

bytes2 constant SWAP_ALLOWED = 0x0001;
bytes2 constant LIQUIDITY_ALLOWED = 0x0002;

interface IAllowlistChecker {
    function checkAllowlist(address account, address tokenAddress) external view returns (bytes2);
}

interface IMsgSender {
    function msgSender() external view returns (address);
}

contract PermissionsAdapter {
    address public immutable PERMISSIONED_TOKEN;
    IAllowlistChecker public allowListChecker;
    address public owner;
    bool public swappingEnabled;
    mapping(address => bool) public allowedWrappers;

    error InvalidAllowListChecker(IAllowlistChecker newAllowListChecker);
    error OwnableUnauthorizedAccount(address account);

    modifier onlyOwner() {
        if (msg.sender != owner) revert OwnableUnauthorizedAccount(msg.sender);
        _;
    }

    constructor(address permissionedToken, address initialOwner, IAllowlistChecker checker) {
        PERMISSIONED_TOKEN = permissionedToken;
        owner = initialOwner;
        _update(checker);
    }

    function updateAllowListChecker(IAllowlistChecker newAllowListChecker) external onlyOwner {
        _update(newAllowListChecker);
    }

    function updateSwappingEnabled(bool enabled) external onlyOwner {
        swappingEnabled = enabled;
    }

    function updateAllowedWrapper(address wrapper, bool allowed) external onlyOwner {
        allowedWrappers[wrapper] = allowed;
    }

    function isAllowed(address account, bytes2 permission) public view returns (bool) {
        return allowListChecker.checkAllowlist(account, PERMISSIONED_TOKEN) & permission == permission;
    }

    function _update(IAllowlistChecker checker) private {
        if (!ERC165Checker.supportsInterface(address(checker), type(IAllowlistChecker).interfaceId)) {
            revert InvalidAllowListChecker(checker);
        }
        allowListChecker = checker;
    }
}

contract PermissionsAdapterFactory {
    mapping(address => address) public verifiedPermissionsAdapterOf;

    event PermissionsAdapterCreated(address adapter, address permissionedToken);

    function createPermissionsAdapter(address permissionedToken, address initialOwner, IAllowlistChecker checker)
        external
        returns (address adapter)
    {
        adapter = address(new PermissionsAdapter(permissionedToken, initialOwner, checker));
        emit PermissionsAdapterCreated(adapter, permissionedToken);
    }

    // Without the proof that the adapter holds the token, which no permission concerns.
    function verifyPermissionsAdapter(address adapter) external {
        verifiedPermissionsAdapterOf[adapter] = adapter;
    }
}

contract PermissionedHooks {
    PermissionsAdapterFactory public immutable FACTORY;

    error NoVerifiedAdapter();
    error SwappingDisabled();
    error Unauthorized();

    constructor(PermissionsAdapterFactory factory) {
        FACTORY = factory;
    }

    function beforeInitialize(address currency0, address currency1) external view {
        if (FACTORY.verifiedPermissionsAdapterOf(currency0) == address(0)
                && FACTORY.verifiedPermissionsAdapterOf(currency1) == address(0)) revert NoVerifiedAdapter();
    }

    function beforeSwap(address sender, address currency0, address currency1) external view {
        _check(sender, currency0, SWAP_ALLOWED);
        _check(sender, currency1, SWAP_ALLOWED);
    }

    function beforeAddLiquidity(address sender, address currency0, address currency1) external view {
        _check(sender, currency0, LIQUIDITY_ALLOWED);
        _check(sender, currency1, LIQUIDITY_ALLOWED);
    }

    function _check(address sender, address currency, bytes2 permission) private view {
        PermissionsAdapter adapter = PermissionsAdapter(FACTORY.verifiedPermissionsAdapterOf(currency));
        if (address(adapter) == address(0)) return;
        if (permission == SWAP_ALLOWED && !adapter.swappingEnabled()) revert SwappingDisabled();
        if (!adapter.allowedWrappers(sender)) revert Unauthorized();
        if (!adapter.isAllowed(IMsgSender(sender).msgSender(), permission)) revert Unauthorized();
    }
}

// The calls of the pool manager to the hook, and its form of a hook's revert.
contract PoolManager {
    PermissionedHooks private immutable HOOK;
    mapping(address => uint256) public liquidityOf;
    uint256 public swaps;

    error WrappedError(address target, bytes4 selector, bytes reason, bytes details);
    error HookCallFailed();

    constructor(PermissionedHooks hook) {
        HOOK = hook;
    }

    function initialize(address currency0, address currency1) external {
        _callHook(abi.encodeCall(HOOK.beforeInitialize, (currency0, currency1)));
    }

    function swap(address currency0, address currency1) external {
        _callHook(abi.encodeCall(HOOK.beforeSwap, (msg.sender, currency0, currency1)));
        swaps++;
    }

    function modifyLiquidity(address currency0, address currency1, int256 delta, address position) external {
        if (delta > 0) {
            _callHook(abi.encodeCall(HOOK.beforeAddLiquidity, (msg.sender, currency0, currency1)));
            liquidityOf[position] += uint256(delta);
        } else {
            liquidityOf[position] -= uint256(-delta);
        }
    }

    function _callHook(bytes memory data) private {
        (bool success, bytes memory reason) = address(HOOK).call(data);
        if (!success) {
            revert WrappedError(address(HOOK), bytes4(data), reason, abi.encodeWithSelector(HookCallFailed.selector));
        }
    }
}

// A router and a position manager, which report the wallet that called them.
contract PermissionedRouter is IMsgSender {
    PoolManager private immutable MANAGER;
    PermissionsAdapterFactory private immutable FACTORY;
    address private _sender;

    error Unauthorized();

    modifier reportsSender() {
        _sender = msg.sender;
        _;
        _sender = address(0);
    }

    constructor(PoolManager manager, PermissionsAdapterFactory factory) {
        MANAGER = manager;
        FACTORY = factory;
    }

    function msgSender() external view returns (address) {
        return _sender;
    }

    function swap(address currency0, address currency1) external reportsSender {
        MANAGER.swap(currency0, currency1);
        _pay(currency0);
    }

    function mint(address currency0, address currency1, uint256 amount, address recipient) external reportsSender {
        _demand(currency0, recipient, LIQUIDITY_ALLOWED);
        _demand(currency1, recipient, LIQUIDITY_ALLOWED);
        MANAGER.modifyLiquidity(currency0, currency1, int256(amount), recipient);
    }

    function burn(address currency0, address currency1, uint256 amount) external reportsSender {
        MANAGER.modifyLiquidity(currency0, currency1, -int256(amount), msg.sender);
    }

    function _pay(address currency) private view {
        _demand(currency, _sender, SWAP_ALLOWED);
    }

    function _demand(address currency, address account, bytes2 permission) private view {
        address adapter = FACTORY.verifiedPermissionsAdapterOf(currency);
        if (adapter == address(0)) return;
        if (!PermissionsAdapter(adapter).isAllowed(account, permission)) revert Unauthorized();
    }
}

// Checkers that an adapter refuses.
contract ReportsErc165Wrongly is IAllowlistChecker {
    function checkAllowlist(address, address) external pure returns (bytes2) {
        return 0x0003;
    }

    function supportsInterface(bytes4) external pure returns (bool) {
        return true;
    }
}

contract WithoutErc165 is IAllowlistChecker {
    function checkAllowlist(address, address) external pure returns (bytes2) {
        return 0x0003;
    }
}

interface IOlderChecker {
    function checkAllowlist(address account) external view returns (bytes2);
}

contract OlderChecker is IOlderChecker {
    function checkAllowlist(address) external pure returns (bytes2) {
        return 0x0003;
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == type(IOlderChecker).interfaceId || id == 0x01ffc9a7;
    }
}

// A checker that the adapter accepts, and that reverts instead of answering no.
contract RevertingChecker is IAllowlistChecker {
    error GatewayIsAway();

    function checkAllowlist(address, address) external pure returns (bytes2) {
        revert GatewayIsAway();
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == type(IAllowlistChecker).interfaceId || id == 0x01ffc9a7;
    }
}
