// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

import {IERC7943Fungible} from "./IERC7943Fungible.sol";
import {OwnedPassGate} from "./PassGate.sol";

/// @title Base of an ERC-20 token (ERC-7943) that only wallets with a pass send and receive. Its owner freezes tokens and forces transfers.
/// @dev The token calls `_requireTransfer` in each transfer of a holder, and `_requireReceive` before a mint, as `PassToken` does.
abstract contract PassTransfers is OwnedPassGate, IERC7943Fungible {
    mapping(address => uint256) public override getFrozenTokens;

    function canSend(address account) public view virtual override returns (bool) {
        return hasPass(account);
    }

    function canReceive(address account) public view virtual override returns (bool) {
        return hasPass(account);
    }

    // Without frozen tokens, the balance plays no part, because it is no rule of permission.
    function canTransfer(address from, address to, uint256 amount) public view virtual override returns (bool) {
        return (getFrozenTokens[from] == 0 || amount <= _unfrozen(from)) && canSend(from) && canReceive(to);
    }

    function setFrozenTokens(address account, uint256 amount) public virtual override onlyOwner returns (bool) {
        emit Frozen(account, getFrozenTokens[account] = amount);
        return true;
    }

    function forcedTransfer(address from, address to, uint256 amount) external virtual override onlyOwner returns (bool) {
        _requireReceive(to);
        uint256 unfrozen = _unfrozen(from);
        if (amount > unfrozen && amount <= balanceOf(from)) setFrozenTokens(from, getFrozenTokens[from] - (amount - unfrozen));
        _move(from, to, amount);
        emit ForcedTransfer(from, to, amount);
        return true;
    }

    /// @notice The tokens of the account.
    function balanceOf(address account) public view virtual returns (uint256);
    /// @dev Moves tokens without a check of passes and frozen tokens. It reverts if the account has too few, as a transfer does.
    function _move(address from, address to, uint256 amount) internal virtual;

    function _requireReceive(address to) internal view {
        if (!canReceive(to)) revert ERC7943CannotReceive(to);
    }

    function _requireTransfer(address from, address to, uint256 amount) internal view {
        if (canTransfer(from, to, amount)) return;
        if (!canSend(from)) revert ERC7943CannotSend(from);
        _requireReceive(to);
        if (amount > balanceOf(from)) return; // The token itself refuses it.
        if (amount <= _unfrozen(from)) revert ERC7943CannotTransfer(from, to, amount);
        revert ERC7943InsufficientUnfrozenBalance(from, amount, _unfrozen(from));
    }

    function _unfrozen(address account) private view returns (uint256) {
        return balanceOf(account) > getFrozenTokens[account] ? balanceOf(account) - getFrozenTokens[account] : 0;
    }
}
