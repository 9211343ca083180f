// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

import {OwnedPassGate} from "./PassGate.sol";

/// @title The function that a permissions adapter of Uniswap v4's permissioned pools asks.
/// @dev Its interface id (ERC-165) is the selector of this function.
interface IUniswapAllowlist {
    /// @notice The actions that an account may do with a token: bit 0 is a swap, bit 1 is adding liquidity.
    /// @param account The wallet that trades or adds liquidity.
    /// @param tokenAddress The permissioned token.
    function checkAllowlist(address account, address tokenAddress) external view returns (bytes2);
}

/// @title Allowlist checker for permissioned pools of Uniswap v4: wallets with a valid pass may swap and add liquidity.
/// @notice The answer is the same for every token, so one checker serves several assets of an issuer.
/// @dev It answers no instead of reverting, also if the gateway fails. The pool then says `Unauthorized`.
contract UniswapAllowlistChecker is OwnedPassGate, IUniswapAllowlist {
    /// @notice The flags of a wallet with a valid pass: SWAP_ALLOWED (0x0001) and LIQUIDITY_ALLOWED (0x0002).
    bytes2 public constant ALLOWED = 0x0003;

    /// @param gateway_ The gateway contract.
    /// @param gatekeeperNetwork_ The slot of the gatekeeper network.
    /// @param owner_ The owner. The zero address: nobody, so that gateway and gatekeeper network are fixed.
    constructor(address gateway_, uint256 gatekeeperNetwork_, address owner_)
        OwnedPassGate(gateway_, gatekeeperNetwork_, owner_)
    {}

    /// @inheritdoc IUniswapAllowlist
    function checkAllowlist(address account, address) external view returns (bytes2) {
        return hasPass(account) ? ALLOWED : bytes2(0);
    }

    /// @notice Whether the contract implements an interface (ERC-165).
    /// @param interfaceId The id of the interface.
    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == type(IUniswapAllowlist).interfaceId || interfaceId == this.supportsInterface.selector;
    }
}
