// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;

struct Charge {
    uint256 value;
    uint8 chargeType;
    address token;
    address tokenSender;
    address recipient;
}

interface IGatewayToken {
    function mint(address to, uint256 network, uint256 expiration, uint256 mask, Charge calldata charge) external payable;
    function freeze(uint256 tokenId) external;
    function revoke(uint256 tokenId) external;
    function burn(uint256 tokenId) external;
    function getTokenIdsByOwnerAndNetwork(address owner, uint256 network, bool onlyActive)
        external
        view
        returns (uint256[] memory);
}

interface IChecker {
    function hasPass(address wallet) external view returns (bool);
    function requirePass(address wallet) external view;
    function checkAllowlist(address account, address tokenAddress) external view returns (bytes2);
}

// A gatekeeper that issues many tokens in one transaction, and gives each its state.
contract Issuer {
    enum Fate {
        Active,
        Frozen,
        Revoked,
        Burned
    }

    struct Token {
        address wallet;
        uint256 network;
        uint256 expiration;
        Fate fate;
    }

    function issue(IGatewayToken gateway, Token[] calldata tokens) external {
        Charge memory none;
        for (uint256 i; i < tokens.length; i++) {
            Token calldata token = tokens[i];
            gateway.mint(token.wallet, token.network, token.expiration, 0, none);
            if (token.fate == Fate.Active) continue;
            uint256[] memory ids = gateway.getTokenIdsByOwnerAndNetwork(token.wallet, token.network, false);
            uint256 id = ids[ids.length - 1];
            if (token.fate == Fate.Frozen) gateway.freeze(id);
            else if (token.fate == Fate.Revoked) gateway.revoke(id);
            else gateway.burn(id);
        }
    }
}

// Asks a checker about many wallets in one call.
contract Asker {
    error NoPass(address wallet, address gateway, uint256 gatekeeperNetwork);

    // Returns the time of the block, and a byte for each wallet: bit 0 is `hasPass`, bit 1 is `requirePass`, bit 2 is `checkAllowlist`.
    function ask(IChecker checker, address[] calldata wallets) external view returns (uint256 time, bytes memory answers) {
        time = block.timestamp;
        answers = new bytes(wallets.length);
        for (uint256 i; i < wallets.length; i++) {
            uint8 answer = checker.hasPass(wallets[i]) ? 1 : 0;
            try checker.requirePass(wallets[i]) {
                answer |= 2;
            } catch (bytes memory reason) {
                require(bytes4(reason) == NoPass.selector, "another reason");
            }
            bytes2 flags = checker.checkAllowlist(wallets[i], address(this));
            require(flags == 0x0000 || flags == 0x0003, "other flags");
            if (flags == 0x0003) answer |= 4;
            answers[i] = bytes1(answer);
        }
    }
}
