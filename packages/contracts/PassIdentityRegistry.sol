// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

import {OwnedPassGate} from "./PassGate.sol";

/// @title The function of an identity registry (ERC-3643) that a token asks about each wallet that is to receive tokens.
interface IIdentityVerifier {
    /// @notice Whether the wallet may receive tokens.
    /// @param userAddress The wallet.
    function isVerified(address userAddress) external view returns (bool);
}

/// @title Identity registry of a token of ERC-3643 (T-REX): wallets with a valid pass are verified, without a contract per investor.
/// @notice A frozen, expired or revoked pass means no. So does every doubt.
/// @dev It has no identities and countries. Calls that need them revert: the recovery of a lost wallet, and compliance modules about countries or
///      about the tokens of an identity.
contract PassIdentityRegistry is OwnedPassGate, IIdentityVerifier {
    /// @param gateway_ The gateway contract.
    /// @param gatekeeperNetwork_ The slot of the gatekeeper network.
    /// @param owner_ The owner. The zero address: nobody, so that gateway and gatekeeper network are fixed.
    constructor(address gateway_, uint256 gatekeeperNetwork_, address owner_)
        OwnedPassGate(gateway_, gatekeeperNetwork_, owner_)
    {}

    /// @inheritdoc IIdentityVerifier
    function isVerified(address userAddress) external view returns (bool) {
        return hasPass(userAddress);
    }
}
