// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

interface IERC165 {
    /// @notice Whether the contract implements an interface.
    function supportsInterface(bytes4 interfaceId) external view returns (bool);
}

/// @title The interface of ERC-7943 (uRWA) for tokens of ERC-20. Its id is 0x3edbb4c4, without the function of ERC-165.
interface IERC7943Fungible is IERC165 {
    /// @notice Tokens were taken from one account and given to another.
    event ForcedTransfer(address indexed from, address indexed to, uint256 amount);

    /// @notice That many tokens of the account are frozen from now on.
    event Frozen(address indexed account, uint256 amount);

    /// @notice The account must not send tokens.
    error ERC7943CannotSend(address account);

    /// @notice The account must not receive tokens.
    error ERC7943CannotReceive(address account);

    /// @notice A rule of the token forbids the transfer.
    error ERC7943CannotTransfer(address from, address to, uint256 amount);

    /// @notice The account has the tokens, and too many of them are frozen.
    error ERC7943InsufficientUnfrozenBalance(address account, uint256 amount, uint256 unfrozen);

    /// @notice Takes tokens from one account and gives them to another, also frozen ones.
    function forcedTransfer(address from, address to, uint256 amount) external returns (bool result);

    /// @notice Sets how many tokens of the account are frozen. It may be more than the account has.
    function setFrozenTokens(address account, uint256 amount) external returns (bool result);

    /// @notice Whether the account may send tokens.
    function canSend(address account) external view returns (bool allowed);

    /// @notice Whether the account may receive tokens.
    function canReceive(address account) external view returns (bool allowed);

    /// @notice How many tokens of the account are frozen. It may be more than the account has.
    function getFrozenTokens(address account) external view returns (uint256 amount);

    /// @notice Whether the rules of the token allow the transfer.
    function canTransfer(address from, address to, uint256 amount) external view returns (bool allowed);
}
