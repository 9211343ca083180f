// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

/// @title The function of a gateway contract that dApps ask.
/// @dev The protocol names it `IGatewayTokenVerifier`. This name differs, so that a file can import both.
interface IPassGateway {
    /// @notice Whether a wallet has a valid gateway token.
    /// @param owner The wallet.
    /// @param network The gatekeeper network, as the number of its slot.
    function verifyToken(address owner, uint256 network) external view returns (bool);
}

/// @title Asks a gateway contract whether a wallet has a valid pass.
/// @notice Every doubt means no: a gateway that reverts, burns its gas, has no code, or returns anything but one word with the value 1.
/// @dev For a contract that stores the gateway and the gatekeeper network itself, for example as immutable values.
library Passes {
    /// @notice The maximum gas of the gateway. It is enough for a wallet with ninety gateway tokens.
    uint256 internal constant GATEWAY_GAS_MAX = 2_000_000;

    /// @dev The gas with which the gateway certainly gets its maximum: a call may pass on 63/64 (EIP-150). The rest pays for the call itself.
    uint256 private constant GAS_FOR_A_REFUSAL = GATEWAY_GAS_MAX + GATEWAY_GAS_MAX / 63 + 20_000;

    /// @notice The wallet has no valid pass, or the gateway gives no valid answer.
    error NoPass(address wallet, address gateway, uint256 gatekeeperNetwork);

    /// @notice The gateway had less gas than its maximum and failed, so its failure proves nothing. Send the transaction with more gas.
    error NotEnoughGas();

    /// @notice Whether the wallet has a valid pass.
    /// @dev It reverts only with `NotEnoughGas`. Without that, the sender of a transaction could turn yes into no with a low gas limit,
    ///      which is an attack where a contract acts against wallets without a pass.
    /// @param gateway The gateway contract.
    /// @param gatekeeperNetwork The slot of the gatekeeper network.
    /// @param wallet The wallet.
    function hasPass(address gateway, uint256 gatekeeperNetwork, address wallet) internal view returns (bool) {
        (bool isAnswer, uint256 answer) = ask(gateway, gatekeeperNetwork, wallet);
        return isAnswer && answer == 1;
    }

    /// @notice Reverts with `NoPass` if the wallet has no valid pass.
    /// @param gateway The gateway contract.
    /// @param gatekeeperNetwork The slot of the gatekeeper network.
    /// @param wallet The wallet.
    function requirePass(address gateway, uint256 gatekeeperNetwork, address wallet) internal view {
        if (!hasPass(gateway, gatekeeperNetwork, wallet)) revert NoPass(wallet, gateway, gatekeeperNetwork);
    }

    /// @notice Whether the account answers as a gateway contract does: with yes or no, in one word.
    /// @param gateway The account.
    /// @param gatekeeperNetwork The slot of the gatekeeper network.
    function isGateway(address gateway, uint256 gatekeeperNetwork) internal view returns (bool) {
        (bool isAnswer, uint256 answer) = ask(gateway, gatekeeperNetwork, address(this));
        return isAnswer && answer <= 1;
    }

    /// @dev Returns whether the gateway returned one word, and the word. At most 32 bytes of its answer are copied, so a long answer costs
    ///      the caller nothing.
    function ask(address gateway, uint256 gatekeeperNetwork, address wallet)
        private
        view
        returns (bool isAnswer, uint256 answer)
    {
        bytes memory question = abi.encodeCall(IPassGateway.verifyToken, (wallet, gatekeeperNetwork));
        uint256 gas_ = gasleft();
        bool success;
        uint256 size;
        assembly ("memory-safe") {
            success := staticcall(GATEWAY_GAS_MAX, gateway, add(question, 32), mload(question), 0, 32)
            size := returndatasize()
            answer := mload(0)
        }
        if (!success && gas_ < GAS_FOR_A_REFUSAL) revert NotEnoughGas();
        isAnswer = success && size == 32;
    }
}

/// @title Base of a contract that admits wallets with a pass.
/// @notice Gateway and gatekeeper network stay as the constructor sets them, unless the contract calls `_setGate`, for example in a
///         function of its own administrator. `OwnedPassGate` has an owner who may.
abstract contract PassGate {
    /// @dev The size of the code of an account that delegates to a contract (EIP-7702). The holder of its key can delegate to another one at any
    ///      time. No gateway fits into as few bytes.
    uint256 private constant DELEGATION_SIZE = 23;

    address private _gateway;
    uint256 private _gatekeeperNetwork;

    /// @notice From now on, the contract asks this gateway about this gatekeeper network.
    event GateChanged(address indexed gateway, uint256 indexed gatekeeperNetwork);

    /// @notice The account has no code of its own on this chain.
    error NotAContract(address account);

    /// @notice The contract has no function `verifyToken(address,uint256)` that answers yes or no.
    error NotAGateway(address account);

    /// @notice The function is only for wallets with a valid pass.
    /// @dev It checks `msg.sender`. A contract that takes transactions from a forwarder calls `requirePass` with the wallet instead.
    modifier onlyPassHolder() {
        requirePass(msg.sender);
        _;
    }

    /// @param gateway_ The gateway contract.
    /// @param gatekeeperNetwork_ The slot of the gatekeeper network.
    constructor(address gateway_, uint256 gatekeeperNetwork_) {
        _setGate(gateway_, gatekeeperNetwork_);
    }

    /// @notice The gateway contract that this contract asks.
    function gateway() public view returns (address) {
        return _gateway;
    }

    /// @notice The gatekeeper network whose passes count, as the number of its slot.
    function gatekeeperNetwork() public view returns (uint256) {
        return _gatekeeperNetwork;
    }

    /// @notice Whether the wallet has a valid pass. It is false if the gateway gives no valid answer.
    /// @param wallet The wallet.
    function hasPass(address wallet) public view returns (bool) {
        return Passes.hasPass(_gateway, _gatekeeperNetwork, wallet);
    }

    /// @notice Reverts with `NoPass` if the wallet has no valid pass.
    /// @param wallet The wallet.
    function requirePass(address wallet) public view {
        Passes.requirePass(_gateway, _gatekeeperNetwork, wallet);
    }

    /// @dev Sets both at once, so that the contract never asks the old gateway about the new gatekeeper network. Nothing here checks who
    ///      calls: the function that calls this one does.
    /// @param gateway_ The gateway contract. It must have code, and answer as a gateway does.
    /// @param gatekeeperNetwork_ The slot of the gatekeeper network.
    function _setGate(address gateway_, uint256 gatekeeperNetwork_) internal {
        uint256 size = gateway_.code.length;
        if (size == 0 || size == DELEGATION_SIZE) revert NotAContract(gateway_);
        if (!Passes.isGateway(gateway_, gatekeeperNetwork_)) revert NotAGateway(gateway_);
        _gateway = gateway_;
        _gatekeeperNetwork = gatekeeperNetwork_;
        emit GateChanged(gateway_, gatekeeperNetwork_);
    }
}

/// @title Base of a contract with an owner.
/// @notice The next owner accepts the ownership, so a wrong address cannot become the owner.
/// @dev Function names and events are those of OpenZeppelin's `Ownable2Step`.
abstract contract TwoStepOwned {
    address private _owner;
    address private _pendingOwner;

    /// @notice The owner has named the next owner, who has to accept. The zero address: nobody.
    event OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner);

    /// @notice The contract has a new owner. The zero address: nobody.
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    /// @notice The caller is not the owner, or not the account that the owner named as the next one.
    error NotOwner(address caller);

    modifier onlyOwner() {
        if (msg.sender != _owner) revert NotOwner(msg.sender);
        _;
    }

    /// @notice The owner. The zero address: nobody, so that nothing changes that only an owner may change.
    function owner() public view returns (address) {
        return _owner;
    }

    /// @notice The account that may accept the ownership.
    function pendingOwner() public view returns (address) {
        return _pendingOwner;
    }

    /// @notice Names the next owner, who has to accept. The zero address takes an earlier name back.
    /// @param newOwner The next owner.
    function transferOwnership(address newOwner) external onlyOwner {
        _pendingOwner = newOwner;
        emit OwnershipTransferStarted(_owner, newOwner);
    }

    /// @notice Makes the caller the owner, if the owner has named it.
    function acceptOwnership() external {
        if (msg.sender != _pendingOwner) revert NotOwner(msg.sender);
        _setOwner(msg.sender);
    }

    /// @dev Nothing here checks who calls.
    function _setOwner(address newOwner) internal {
        address previous = _owner;
        delete _pendingOwner;
        _owner = newOwner;
        emit OwnershipTransferred(previous, newOwner);
    }
}

/// @title A PassGate whose owner may change gateway and gatekeeper network.
/// @notice Without an owner, gateway and gatekeeper network are fixed.
/// @dev A contract that has OpenZeppelin's `Ownable2Step` already inherits `PassGate` instead, and calls `_setGate` in a function of that
///      owner.
abstract contract OwnedPassGate is PassGate, TwoStepOwned {
    /// @param gateway_ The gateway contract.
    /// @param gatekeeperNetwork_ The slot of the gatekeeper network.
    /// @param owner_ The owner. The zero address: nobody, so that gateway and gatekeeper network are fixed.
    constructor(address gateway_, uint256 gatekeeperNetwork_, address owner_) PassGate(gateway_, gatekeeperNetwork_) {
        _setOwner(owner_);
    }

    /// @notice Changes gateway and gatekeeper network.
    /// @param gateway_ The gateway contract. It must have code, and answer as a gateway does.
    /// @param gatekeeperNetwork_ The slot of the gatekeeper network.
    function setGate(address gateway_, uint256 gatekeeperNetwork_) external onlyOwner {
        _setGate(gateway_, gatekeeperNetwork_);
    }

    /// @notice Leaves the contract without an owner. Gateway and gatekeeper network are then fixed, and nobody can undo it.
    function renounceOwnership() external onlyOwner {
        _setOwner(address(0));
    }
}
